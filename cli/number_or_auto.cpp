#include <dsk/matrices.hpp>

#include <fmt/core.h>

#include <charconv>

#include "number_or_auto.hpp"

namespace dsk::cli {

std::optional<double> number_or_auto(const std::string& flag, const std::string& text) {
  if (text == "auto") return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidInput(fmt::format("{} '{}' is neither a number nor auto", flag, text));
  return value;
}

}  // namespace dsk::cli
