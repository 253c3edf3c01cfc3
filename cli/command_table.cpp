#include "command_table.hpp"

namespace dsk::cli {
namespace {

bool is_shown(const CLI::App* command) {
  return !command->get_group().empty();
}

TableOption table_option(const CLI::Option& option) {
  TableOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.is_argument = result.names.empty();
  if (result.is_argument) result.names.push_back(option.get_name());
  result.help = option.get_description();
  result.standard = option.get_default_str();
  result.takes_value = option.get_items_expected_max() > 0;
  result.is_required = option.get_required();
  return result;
}

void add_command(const CLI::App& command, const std::string& before, std::vector<TableCommand>& table) {
  TableCommand row;
  row.name = before + command.get_name();
  row.summary = command.get_description();
  row.footer = command.get_footer();
  for (const CLI::Option* const option : command.get_options()) row.options.push_back(table_option(*option));
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

}  // namespace dsk::cli
