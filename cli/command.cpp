#include "command.hpp"

#include <dsk/engine.hpp>

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <cmath>
#include <ctime>

#include "ranks.hpp"

namespace dsk::cli {
namespace {

std::string as_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [name, item] : value.items()) {
    if (!text.empty()) text += value.is_object() ? ", " : " ";
    text += value.is_object() ? name + " " + as_text(item) : as_text(item);
  }
  return text;
}

std::string& remembered_command() {
  static std::string command;
  return command;
}

/// The word itself, or in quotes where a shell would take it for something else.
std::string shell_word(const std::string& word) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
  return text.data();
}

}  // namespace

void remember_command_line(int count, char** arguments) {
  remembered_command() = "dsk";
  for (int k = 1; k < count; ++k) remembered_command() += " " + shell_word(arguments[k]);
}

const std::string& command_line() {
  return remembered_command();
}

ReportSource source_of(const std::string& data_file) {
  return {.data = data_file, .command = command_line(), .date = today()};
}

Device device_of(const std::string& flag) {
  if (team() != nullptr) choose_cuda_device(rank_on_machine());
  return parse_device(flag);
}

LoadOptions::Part parse_part(const std::string& text) {
  if (text == "train") return LoadOptions::Part::train;
  if (text == "test") return LoadOptions::Part::test;
  throw UsageError(fmt::format("--part '{}' must be train or test", text));
}

bool is_mat_file(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".mat";
}

void check_threads(int threads) {
  if (threads < 0) throw UsageError(fmt::format("--threads {} must be 0 or more", threads));
}

std::string counted(Index count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_notes(const std::vector<std::string>& notes) {
  if (!is_first()) return;
  for (const std::string& note : notes) fmt::print(stderr, "dsk: note: {}\n", note);
}

void Facts::print() const {
  for (const auto& [name, value] : facts_.items()) {
    if (value.is_array() && !value.empty() && value.front().is_object()) {
      fmt::print("{}\n", name);
      for (const auto& item : value) fmt::print("{:<10} {}\n", "", as_text(item));
    } else {
      fmt::print("{:<10} {}\n", name, as_text(value));
    }
  }
}

void Facts::add_repairs(const RepairFlags& repair) {
  if (!repair.facts().is_null()) add("repaired", repair.facts());
}

void Facts::write(const std::filesystem::path& file) const {
  if (file.empty()) return;
  // Bytes of file names that are not UTF-8 are replaced, not refused.
  save_text(facts_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", file);
}

nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("infinite");
}

nlohmann::ordered_json rows_of(const Matrix& matrix) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : matrix.rowwise()) rows.push_back(std::vector<double>(row.begin(), row.end()));
  return rows;
}

}  // namespace dsk::cli
