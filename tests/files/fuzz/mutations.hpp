#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <string>

namespace dsk::fuzz {

using Random = std::minstd_rand;
/// Nothing if the text does not have the form.
using Mutated = std::optional<std::string>;

/// A number from 0 to count - 1; 0 if there is none.
std::size_t below(Random& random, std::size_t count);

/// By libFuzzer.
std::string mutate_bytes(std::string bytes);

/// Replaces, repeats, removes or swaps words, numbers and what stands between separators.
std::string mutate_text(std::string text, Random& random);

Mutated mutate_picture(const std::string& bytes, Random& random);

}  // namespace dsk::fuzz
