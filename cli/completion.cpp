#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "command_table.hpp"

// What shells complete: commands, flags, and what a flag or a command takes, known words or files.
namespace dsk::cli {
namespace {

using Value = TableOption::Value;

/// The name without the program's: "describe texture".
std::string words_after_program(const TableCommand& command) {
  return command.name.find(' ') == std::string::npos ? "" : command.name.substr(command.name.find(' ') + 1);
}

/// As the scripts for bash and zsh keep it, with a blank before each word.
std::string place_of(const TableCommand& command) {
  const std::string words = words_after_program(command);
  return words.empty() ? "" : " " + words;
}

std::vector<std::string> flags_of(const TableCommand& command) {
  std::vector<std::string> names;
  for (const TableOption& option : command.options)
    if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
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

std::string_view name(Value value) {
  switch (value) {
    case Value::none:
      return "none";
    case Value::number:
      return "number";
    case Value::word:
      return "word";
    case Value::list:
      return "list";
    case Value::file:
      return "file";
    case Value::word_or_file:
      return "word file";
  }
  return "";
}

/// Cases of bash and zsh: the words before the cursor that are a command's name, and after them the flags with a value.
std::string place_cases(const std::vector<TableCommand>& commands) {
  std::string text;
  for (const TableCommand& command : commands)
    if (!place_of(command).empty()) text += fmt::format("      '{0}') place='{0}' ;;\n", place_of(command));
  return text;
}
std::string value_cases(const std::vector<TableCommand>& commands) {
  std::string text;
  for (const TableCommand& command : commands)
    for (const TableOption& option : command.options)
      if (!option.is_argument && option.value != Value::none)
        text += fmt::format("    '{1} {0}') takes='{2}' choices='{3}' ;;\n",
                            fmt::join(option.names, fmt::format("' | '{} ", place_of(command))), place_of(command),
                            name(option.value), fmt::join(option.values, " "));
  return text;
}

/// What bash and zsh do alike: they find the command that the words of the line name, what it offers, and what the flag
/// before the cursor takes. `words` is the head of the loop over the words, `before` the word before the cursor.
template <class OfferedBy>
std::string lookups(const std::vector<TableCommand>& commands, std::string_view words, std::string_view before,
                    const OfferedBy& offered_by) {
  std::string offers;
  for (const TableCommand& command : commands)
    offers += fmt::format("    '{}'){} ;;\n", place_of(command), offered_by(command));
  return fmt::format(R"(  for (({})); do
    case "$place ${{words[k]}}" in
{}    esac
  done
  case $place in
{}  esac
  case "$place {}" in
{}  esac
)",
                     words, place_cases(commands), offers, before, value_cases(commands));
}

}  // namespace

std::string bash_completion(const std::vector<TableCommand>& commands) {
  const auto offered_by = [](const TableCommand& command) {
    return fmt::format(" inner='{}' flags='{}'", fmt::join(command.inner, " "), fmt::join(flags_of(command), " "));
  };
  return R"(# bash completion of dsk
_dsk() {
  # Words of the line: those of COMP_WORDS also end at colons and equals signs.
  local line=${COMP_LINE:0:COMP_POINT} place='' inner='' flags='' takes='' choices='' k
  local word=${line##*[[:space:]]} file=${COMP_WORDS[COMP_CWORD]}
  local -a words
  read -ra words <<<"${line%"$word"}"
  local before=${words[${#words[@]} - 1]}
  if [[ $word == --*=* ]]; then before=${word%%=*} word=${word#*=}; fi
  COMPREPLY=()
)" + lookups(commands, "k = 1; k < ${#words[@]} && k < 3; ++k", "$before", offered_by) +
         R"(  if [[ -z $takes && $word == -* ]]; then
    choices=$flags
  elif [[ -z $takes && -n $inner ]]; then
    choices=$inner
  elif [[ -z $takes || $word == given:* ]]; then
    takes=file
  fi
  local done=''
  if [[ $takes == list && $word == *,* ]]; then done=${word%,*},; fi
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$choices" -- "${word#"$done"}")
  if [[ $takes == *file ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$file")
  else
    compopt +o filenames 2>/dev/null
  fi
  if [[ ${COMPREPLY[0]-} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
  # Only what follows the last colon is put in place.
  if [[ $takes != *file && $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    done=${word%"${word##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$done"}")
  fi
}
complete -o filenames -F _dsk dsk
)";
}

std::string zsh_completion(const std::vector<TableCommand>& commands) {
  const auto offered_by = [&](const TableCommand& command) {
    std::string text = "\n      inner=(";
    for (const std::string& one : command.inner)
      text += fmt::format(" '{}:{}'", one, for_zsh(inner_command(commands, command, one).summary));
    text += " )\n      flags=(";
    for (const TableOption& option : command.options)
      if (!option.is_argument)
        for (const std::string& one : option.names) text += fmt::format(" '{}:{}'", one, for_zsh(option.help));
    return text + " )";
  };
  return R"(#compdef dsk
_dsk() {
  local place='' takes='' choices='' k
  local -a inner flags
)" + lookups(commands, "k = 2; k < CURRENT && k < 4; ++k", "${words[CURRENT-1]}", offered_by) +
         R"(  if [[ $takes == list ]]; then compset -P '*,'; fi
  if [[ -n $choices ]]; then
    local -a open=( ${(M)${=choices}:#*[:=]} ) closed=( ${${=choices}:#*[:=]} )
    compadd -S '' -- $open
    compadd -- $closed
  fi
  if [[ $takes == *file ]]; then
    _files
  elif [[ -n $takes ]]; then
    return
  elif [[ $PREFIX == -* ]]; then
    _describe 'option' flags
  elif (( ${#inner} )); then
    _describe 'command' inner
  else
    _files
  fi
}
_dsk "$@"
)";
}

std::string fish_completion(const std::vector<TableCommand>& commands) {
  std::string text = "# fish completion of dsk\n";
  for (const TableCommand& command : commands) {
    const std::string words = words_after_program(command);
    std::string condition = words.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + words;
    if (const auto last = words.rfind(' '); last != std::string::npos)
      condition = "__fish_seen_subcommand_from " + words.substr(0, last) + "; and __fish_seen_subcommand_from " +
                  words.substr(last + 1);
    for (const std::string& one : command.inner)
      text += fmt::format("complete -c dsk -f -n '{}' -a {} -d '{}'\n", condition, one,
                          for_quotes(inner_command(commands, command, one).summary, "\\'"));
    for (const TableOption& option : command.options) {
      if (option.is_argument) continue;
      text += fmt::format("complete -c dsk -n '{}'", condition);
      for (const std::string& one : option.names)
        text += one.starts_with("--") ? " -l " + one.substr(2) : " -s " + one.substr(1);
      if (option.value == Value::file || option.value == Value::word_or_file)
        text += " -r -F";
      else if (option.value != Value::none)
        text += " -x";
      if (!option.values.empty())
        text += fmt::format(" -a '{}'", option.value == Value::list
                                            ? fmt::format("(__fish_append , {})", fmt::join(option.values, " "))
                                            : fmt::format("{}", fmt::join(option.values, " ")));
      text += fmt::format(" -d '{}'\n", for_quotes(option.help, "\\'"));
    }
  }
  return text;
}

}  // namespace dsk::cli
