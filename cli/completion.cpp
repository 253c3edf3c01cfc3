#include <fmt/core.h>

#include <algorithm>

#include "command_table.hpp"

// What shells complete: the names of commands and flags. Where a flag takes a value, and for arguments, they complete
// files.
namespace dsk::cli {
namespace {

std::vector<std::string> flags_of(const TableCommand& command, bool with_value) {
  std::vector<std::string> names;
  for (const TableOption& option : command.options)
    if (!option.is_argument && (!with_value || option.takes_value))
      names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The name without the program's: "describe texture".
std::string words_after_program(const TableCommand& command) {
  return command.name.find(' ') == std::string::npos ? "" : command.name.substr(command.name.find(' ') + 1);
}

/// Between single quotes.
std::string for_quotes(std::string text, std::string_view escaped_quote) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += escaped_quote.size())
    text.replace(at, 1, escaped_quote);
  return text;
}

/// For zsh, where brackets and colons end a description.
std::string for_zsh(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return for_quotes(result, "'\\''");
}

const TableCommand& inner_command(const std::vector<TableCommand>& commands, const TableCommand& outer,
                                  const std::string& name) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const auto& one) { return one.name == outer.name + " " + name; });
  return *found;
}

}  // namespace

std::string bash_completion(const std::vector<TableCommand>& commands) {
  std::string text =
      "# bash completion of dsk\n_dsk() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local place='' inner='' flags='' values='' k\n  COMPREPLY=()\n"
      "  for ((k = 1; k < COMP_CWORD && k < 3; ++k)); do\n"
      "    case \"$place ${COMP_WORDS[k]}\" in\n";
  for (const TableCommand& command : commands)
    if (!words_after_program(command).empty())
      text += fmt::format("      ' {0}') place=' {0}' ;;\n", words_after_program(command));
  text += "    esac\n  done\n  case $place in\n";
  for (const TableCommand& command : commands) {
    const std::string words = words_after_program(command);
    text += fmt::format("    '{}') inner='{}' flags='{}' values='{}' ;;\n", words.empty() ? "" : " " + words,
                        spaced(command.inner), spaced(flags_of(command, false)), spaced(flags_of(command, true)));
  }
  return text +
         "  esac\n  if [[ \" $values \" == *\" $before \"* ]]; then\n    mapfile -t COMPREPLY < <(compgen -f -- "
         "\"$word\")\n  elif [[ $word == -* ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- "
         "\"$word\")\n  elif [[ -n $inner ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$inner\" -- "
         "\"$word\")\n  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}\n"
         "complete -o filenames -F _dsk dsk\n";
}

std::string zsh_completion(const std::vector<TableCommand>& commands) {
  std::string text =
      "#compdef dsk\n_dsk() {\n  local place=''\n  local -a inner flags\n  local k\n"
      "  for ((k = 2; k < CURRENT && k < 4; ++k)); do\n    case \"$place ${words[k]}\" in\n";
  for (const TableCommand& command : commands)
    if (!words_after_program(command).empty())
      text += fmt::format("      ' {0}') place=' {0}' ;;\n", words_after_program(command));
  text += "    esac\n  done\n  case $place in\n";
  for (const TableCommand& command : commands) {
    const std::string words = words_after_program(command);
    text += fmt::format("    '{}')\n      inner=(", words.empty() ? "" : " " + words);
    for (const std::string& name : command.inner)
      text += fmt::format(" '{}:{}'", name, for_zsh(inner_command(commands, command, name).summary));
    text += " )\n      flags=(";
    for (const TableOption& option : command.options)
      if (!option.is_argument)
        for (const std::string& name : option.names) text += fmt::format(" '{}:{}'", name, for_zsh(option.help));
    text += " ) ;;\n";
  }
  return text +
         "  esac\n  if [[ $PREFIX == -* ]]; then\n    _describe 'option' flags\n"
         "  elif (( ${#inner} )); then\n    _describe 'command' inner\n  else\n    _files\n  fi\n}\n_dsk \"$@\"\n";
}

std::string fish_completion(const std::vector<TableCommand>& commands) {
  std::string text = "# fish completion of dsk\n";
  for (const TableCommand& command : commands) {
    const std::string words = words_after_program(command);
    std::string condition = words.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + words;
    if (const auto last = words.rfind(' '); last != std::string::npos)
      condition = "__fish_seen_subcommand_from " + words.substr(0, last) + "; and __fish_seen_subcommand_from " +
                  words.substr(last + 1);
    for (const std::string& name : command.inner)
      text += fmt::format("complete -c dsk -f -n '{}' -a {} -d '{}'\n", condition, name,
                          for_quotes(inner_command(commands, command, name).summary, "\\'"));
    for (const TableOption& option : command.options) {
      if (option.is_argument) continue;
      text += fmt::format("complete -c dsk -n '{}'", condition);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{} -d '{}'\n", option.takes_value ? " -r" : "", for_quotes(option.help, "\\'"));
    }
  }
  return text;
}

}  // namespace dsk::cli
