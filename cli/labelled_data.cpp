#include "labelled_data.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {

void LabelledData::add_to(CLI::App& command, const std::string& what, const std::string& labels_help) {
  command.add_option("X", x, what)->required();
  command.add_option("--labels", labels, labels_help);
  repair.add_to(command);
  command.add_option("--part", part, part_help);
}

void LabelledData::add_groups_flag(CLI::App& command) {
  command.add_flag(
      "--ignore-groups", ignore_groups,
      "Use the data as if the file had no groups. Otherwise a group, such as a subject, is never in both the "
      "training and the test part");
}

void LabelledData::check(const CLI::App& command) const {
  repair.repair();
  parse_part(part);
  refuse_idle_flags(command, {{{"--part"}, is_mat_file(x), "on a file that is not a .mat file"}});
}

namespace {

LoadOptions load_options(const LabelledData& data, int threads) {
  return {.labels = data.labels,
          .repair = data.repair.repair(),
          .part = parse_part(data.part),
          .threads = threads,
          .on_repair = [&data](const Repair::Summary& summary) { data.repair.report(data.x, summary); }};
}

}  // namespace

Dataset LabelledData::load(int threads, Entries entries) const {
  LoadOptions options = load_options(*this, threads);
  if (entries == Entries::real_or_complex) options.on_complex = [] {};
  std::optional<Dataset> loaded;
  together(team(), [&] { loaded = dsk::load(x, options); });
  return *std::move(loaded);
}

DataShare LabelledData::load_share(int threads) const {
  return dsk::load_share(x, load_options(*this, threads), team());
}

Dataset LabelledData::load_labelled(int threads, Entries entries) const {
  Dataset data = load(threads, entries);
  if (!data.has_labels()) throw InvalidInput(fmt::format("{}: has no labels to learn from; give --labels", x));
  try {
    nlohmann::json(data.labels().names()).dump();
  } catch (const nlohmann::json::exception&) {
    throw InvalidInput(fmt::format("{}: has a class name that is not UTF-8", labels.empty() ? x : labels));
  }
  return ignore_groups ? data.without_groups() : data;
}

const std::vector<AdvisedFlag>& advised_flags() {
  static const std::vector<AdvisedFlag> flags{{"ignore the groups", "--ignore-groups"},
                                              {"allow indefinite kernels", "--theta-range any"},
                                              {"allow any theta", "--theta-range any"},
                                              {"keep to valid thetas", "--theta-range valid"},
                                              {"project to a subspace", "--project"}};
  return flags;
}

void print_warnings(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) warning = with_flags(std::move(warning), advised_flags());
  print_notes(warnings);
}

}  // namespace dsk::cli
