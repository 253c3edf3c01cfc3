#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsk::cli {

/// A flag or an argument of a command.
struct TableOption {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument, its name alone
  std::string help;
  std::string standard;  ///< the default value, if it is shown
  /// What a value is. Of a list, each part between commas is one of the values.
  enum class Value { none, number, word, list, file, word_or_file };
  Value value = Value::none;
  std::vector<std::string> values;  ///< what shells complete; other values may be possible, too
  bool is_argument = false;
  bool is_required = false;
};

/// A command as its --help shows it.
struct TableCommand {
  std::string name;  ///< "dsk", "dsk train", "dsk describe texture"
  std::string summary;
  std::string footer;
  std::vector<TableOption> options;
  std::vector<std::string> inner;  ///< the names of its own commands
};

/// The program and its commands, outermost first: what the manual and the completions of shells are written from.
std::vector<TableCommand> command_table(const CLI::App& program);

/// Fills in the values of an option that has known ones.
void add_values(const std::string& command, TableOption& option);

std::string man_page(const std::vector<TableCommand>& commands);
std::string markdown_reference(const std::vector<TableCommand>& commands);
std::string bash_completion(const std::vector<TableCommand>& commands);
std::string zsh_completion(const std::vector<TableCommand>& commands);
std::string fish_completion(const std::vector<TableCommand>& commands);

}  // namespace dsk::cli
