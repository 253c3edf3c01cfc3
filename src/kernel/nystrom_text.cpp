#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <charconv>

namespace dsk {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

NystromOptions parse_nystrom(std::string_view text) {
  constexpr std::string_view method = "nystrom:", by_error = "error=";
  constexpr double default_error = 0.01;
  const auto refuse = [&] {
    return InvalidInput(fmt::format(
        "approximation '{}' is unknown; use nystrom:M with M landmarks from 1 to {}, nystrom:error=E with E from 0 to "
        "below 1, or nystrom:auto",
        text, most_landmarks));
  };
  if (!text.starts_with(method)) throw refuse();
  const std::string_view how = text.substr(method.size());
  NystromOptions options;
  if (how == "auto" || how.starts_with(by_error)) {
    options.landmarks = 2000;
    options.error = how == "auto" ? default_error : number<double>(how.substr(by_error.size()));
    if (!options.error || !(*options.error >= 0 && *options.error < 1)) throw refuse();
    return options;
  }
  const std::optional<Index> landmarks = number<Index>(how);
  if (!landmarks || *landmarks < 1 || *landmarks > most_landmarks) throw refuse();
  options.landmarks = *landmarks;
  return options;
}

}  // namespace dsk
