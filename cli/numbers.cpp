#include "numbers.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>

#include "usage.hpp"

namespace dsk::cli {
namespace {

template <class Number>
std::string fault(const std::string& text) {
  Number value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc::result_out_of_range) return fmt::format("'{}' is out of range", text);
  if (error == std::errc() && end == last) return "";
  if constexpr (std::is_floating_point_v<Number>) return fmt::format("'{}' is not a number", text);
  return fmt::format("'{}' is not a whole number{}", text, std::is_unsigned_v<Number> ? " of 0 or more" : "");
}

}  // namespace

std::optional<double> number_or_auto(const std::string& flag, const std::string& text) {
  if (text == "auto") return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} '{}' is neither a number nor auto", flag, text));
  return value;
}

void check_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_items_expected_max() > 0)
      option->check([](const std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); }, "");
    const std::string type = option->get_type_name();
    if (type == CLI::detail::type_name<double>()) option->check(fault<double>);
    if (type == CLI::detail::type_name<int>()) option->check(fault<std::int64_t>);
    if (type == CLI::detail::type_name<std::uint64_t>()) option->check(fault<std::uint64_t>);
  }
  for (CLI::App* const inner : command.get_subcommands({})) check_values(*inner);
}

}  // namespace dsk::cli
