#include "usage.hpp"

#include <dsk/engine.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "ranks.hpp"

namespace dsk::cli {

void refuse_idle_flags(const CLI::App& command, const std::vector<FlagRule>& rules) {
  for (const FlagRule& rule : rules)
    for (const std::string& flag : rule.flags)
      if (!rule.has_effect && command.count(flag) > 0)
        throw UsageError(fmt::format("{} has no effect {}", flag, rule.otherwise));
}

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

std::string in_plain_words(const CLI::ParseError& error) {
  const std::string message = error.what();
  const auto flag_before = [&](std::string_view rest, std::size_t from = 0) -> std::string {
    const std::size_t end = message.find(rest, from);
    return end != std::string::npos && message.compare(from, 2, "--") == 0 ? message.substr(from, end - from) : "";
  };
  if (const std::string flag = flag_before(": 1 required "); !flag.empty()) return flag + " needs a value";
  if (const std::string flag = flag_before(": At Most 1 "); !flag.empty()) return flag + " is given more than once";
  // Texts that should be numbers were found before.
  constexpr std::string_view unconverted = "Could not convert: ";
  if (message.starts_with(unconverted))
    if (const std::string flag = flag_before(" = ", unconverted.size()); !flag.empty()) return flag + " takes no value";
  return message;
}

std::string with_flags(std::string message, const std::vector<AdvisedFlag>& flags) {
  for (const auto& [advice, flag] : flags)
    if (const auto position = message.find(advice); position != std::string::npos)
      message.insert(position + advice.size(), fmt::format(" with {}", flag));
  return message;
}

std::string in_flags(std::string message, const std::vector<FlagForWords>& flags) {
  for (const auto& [words, flag] : flags)
    if (const auto position = message.find(words); position != std::string::npos)
      message.replace(position, words.size(), flag);
  return message;
}

namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored) ||
         std::filesystem::equivalent(a, b, ignored);
}

void check_folder(const std::filesystem::path& output) {
  std::error_code ignored;
  const auto folder = output.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw InvalidInput(fmt::format("{}: cannot be written: there is no folder {}", output.string(), folder.string()));
  if (std::filesystem::is_directory(output, ignored))
    throw InvalidInput(fmt::format("{}: cannot be written: it is a directory", output.string()));
}

}  // namespace

void check_files(const std::vector<std::filesystem::path>& inputs, const std::vector<std::filesystem::path>& outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].empty()) continue;
    check_folder(outputs[k]);
    for (const auto& input : inputs)
      if (!input.empty() && same_file(input, outputs[k]))
        throw InvalidInput(fmt::format("{}: is an input and would be overwritten", outputs[k].string()));
    for (std::size_t other = 0; other < k; ++other)
      if (!outputs[other].empty() && same_file(outputs[other], outputs[k]))
        throw InvalidInput(fmt::format("{}: is named for two results; give them different files", outputs[k].string()));
  }
  on_rank_zero(team(), [&] {
    for (const auto& output : outputs)
      if (!output.empty()) check_writable(output);
  });
}

void check_extension(const std::filesystem::path& output, std::string_view what,
                     const std::vector<std::string_view>& extensions) {
  if (output.empty()) return;
  std::string extension = output.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
    throw InvalidInput(fmt::format("{}: {} are written as {}", output.string(), what, fmt::join(extensions, " or ")));
}

}  // namespace dsk::cli
