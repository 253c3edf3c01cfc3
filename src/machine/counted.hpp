#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace dsk::detail {

/// "1 component", "3 components": for nouns whose plural ends in s.
template <class Count>
std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace dsk::detail
