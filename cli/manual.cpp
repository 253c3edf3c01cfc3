#include <dsk/version.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include "command.hpp"
#include "command_table.hpp"

namespace dsk::cli {
namespace {

bool is_shown(const CLI::App* command) {
  return !command->get_group().empty();
}

TableOption table_option(const std::string& command, const CLI::Option& option) {
  TableOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.is_argument = result.names.empty();
  if (result.is_argument) result.names.push_back(option.get_name());
  result.help = option.get_description();
  result.standard = option.get_default_str();
  result.is_required = option.get_required();
  if (option.get_items_expected_max() > 0) {
    result.value = option.get_type_name().starts_with("TEXT") ? TableOption::Value::file : TableOption::Value::number;
    add_values(command, result);
  }
  return result;
}

void add_command(const CLI::App& command, const std::string& before, std::vector<TableCommand>& table) {
  TableCommand row;
  row.name = before + command.get_name();
  row.summary = command.get_description();
  row.footer = command.get_footer();
  for (const CLI::Option* const option : command.get_options()) row.options.push_back(table_option(row.name, *option));
  const auto inner = command.get_subcommands(is_shown);
  for (const CLI::App* const one : inner) row.inner.push_back(one->get_name());
  const std::string name = row.name;
  table.push_back(std::move(row));
  for (const CLI::App* const one : inner) add_command(*one, name + " ", table);
}

}  // namespace

std::vector<TableCommand> command_table(const CLI::App& program) {
  std::vector<TableCommand> table;
  add_command(program, "", table);
  return table;
}

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// The footer's lines, each an example or a remark.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

/// Text for troff, which reads backslashes and dots and quotes at the start of a line as its own.
std::string for_troff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string for_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_' || c == '[') result += '\\';
    result += c;
  }
  return result;
}

std::string usage_line(const TableCommand& command) {
  std::string line = command.name;
  for (const TableOption& option : command.options)
    if (option.is_argument) line += option.is_required ? " " + option.names[0] : " [" + option.names[0] + "]";
  for (const TableOption& option : command.options)
    if (!option.is_argument && option.is_required) line += " " + option.names.front() + " VALUE";
  return line + (command.inner.empty() ? " [OPTIONS]" : " COMMAND");
}

std::string with_default(const TableOption& option) {
  return option.standard.empty() ? option.help : fmt::format("{} (default: {})", option.help, option.standard);
}

using Writer = std::string (*)(const std::vector<TableCommand>&);

struct Format {
  std::string_view name;
  Writer write;
};

constexpr std::array formats{Format{"man", man_page}, Format{"markdown", markdown_reference},
                             Format{"bash", bash_completion}, Format{"zsh", zsh_completion},
                             Format{"fish", fish_completion}};

std::string format_names() {
  std::string names;
  for (const Format& format : formats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

}  // namespace

std::string man_page(const std::vector<TableCommand>& commands) {
  std::string page = fmt::format(".TH DSK 1 \"\" \"dsk {}\" \"User Commands\"\n.SH NAME\ndsk \\- {}\n", DSK_VERSION,
                                 for_troff(commands.front().summary));
  page += ".SH SYNOPSIS\n.B dsk\nCOMMAND [OPTIONS]\n.SH DESCRIPTION\n" + for_troff(commands.front().summary) +
          ". Files are .npz, .npy, .mat or .csv; trained models are .dsk. Every command prints its own help with\n"
          ".BR \\-\\-help .\n.SH COMMANDS\n";
  for (const TableCommand& command : commands) {
    if (&command == &commands.front()) continue;
    page += fmt::format(".SS \"{}\"\n{}\n.PP\n.B {}\n", for_troff(command.name), for_troff(command.summary),
                        for_troff(usage_line(command)));
    for (const TableOption& option : command.options)
      page += fmt::format(".TP\n.B {}\n{}\n", for_troff(joined(option.names, ", ")), for_troff(with_default(option)));
    if (command.footer.empty()) continue;
    page += ".PP\n.nf\n";
    for (const std::string& line : lines_of(command.footer)) page += for_troff(line) + "\n";
    page += ".fi\n";
  }
  return page +
         ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nany other failure, such as lack of memory or a failing "
         "device\n.TP\n.B "
         "2\nbad usage or input, with one line on standard error\n.SH ENVIRONMENT\n.TP\n.B OMP_NUM_THREADS\nNumber of "
         "threads where \\-\\-threads is not given\n.TP\n.B DSK_PROGRESS_SECONDS\nSeconds between lines of progress "
         "where standard error is not a terminal\n";
}

std::string markdown_reference(const std::vector<TableCommand>& commands) {
  std::string page = "# Command line\n\nEvery command prints this with `--help`.\n";
  for (const TableCommand& command : commands) {
    if (&command == &commands.front()) continue;
    page += fmt::format("\n## {}\n\n{}.\n\n```\n{}\n```\n\n| | |\n|---|---|\n", command.name,
                        for_markdown(command.summary), usage_line(command));
    for (const TableOption& option : command.options)
      page += fmt::format("| `{}` | {} |\n", joined(option.names, "`,&nbsp;`"), for_markdown(with_default(option)));
    if (command.footer.empty()) continue;
    page += "\n```text\n" + command.footer + "\n```\n";
  }
  return page;
}

void add_manual(CLI::App& program) {
  auto* const command = program.add_subcommand("manual", "Print the manual or a shell's completion");
  const auto format = std::make_shared<std::string>("man");
  command->add_option("FORMAT", *format, format_names())->capture_default_str();
  command->group("");
  command->footer("Example: dsk manual man | man -l -\n         source <(dsk manual bash)");
  command->callback([&program, format] {
    const auto* const found =
        std::find_if(formats.begin(), formats.end(), [&](const Format& one) { return one.name == *format; });
    if (found == formats.end())
      throw UsageError(fmt::format("unknown format '{}'; use one of {}", *format, format_names()));
    fmt::print("{}", found->write(command_table(program)));
  });
}

}  // namespace dsk::cli
