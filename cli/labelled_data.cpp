#include "labelled_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
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

/// The sum of what the ranks did to their parts.
Repair::Summary of_all_ranks(const Repair::Summary& mine) {
  std::array<double, 2> counts{static_cast<double>(mine.matrices), static_cast<double>(mine.changed)};
  double largest = -mine.largest_change;
  team()->sum(counts);
  team()->smallest({&largest, 1});
  return {static_cast<Index>(counts[0]), static_cast<Index>(counts[1]), -largest};
}

/// `are_complex` null: complex matrices are refused.
Dataset load_together(const LabelledData& data, int threads, const decltype(LoadOptions::rows)& rows,
                      bool* are_complex) {
  std::optional<Dataset> loaded;
  std::optional<Repair::Summary> repaired;
  together(team(), [&] {
    loaded =
        load(data.x, {.labels = data.labels,
                      .repair = data.repair.repair(),
                      .part = parse_part(data.part),
                      .rows = rows,
                      .threads = threads,
                      .on_repair = [&](const Repair::Summary& summary) { repaired = summary; },
                      .on_complex = are_complex == nullptr ? std::function<void()>() : [&] { *are_complex = true; }});
  });
  if (repaired) data.repair.report(data.x, rows && team() != nullptr ? of_all_ranks(*repaired) : *repaired);
  return *std::move(loaded);
}

}  // namespace

Dataset LabelledData::load(int threads, Entries entries) const {
  bool are_complex = false;
  return load_together(*this, threads, {}, entries == Entries::real ? nullptr : &are_complex);
}

DataShare LabelledData::load_share(int threads) const {
  bool are_complex = false;
  if (team() == nullptr) {
    Dataset all = load_together(*this, threads, {}, &are_complex);
    return {all, {0, all.size()}, are_complex};
  }
  RowRange mine;
  const auto my_rows = [&](Index count) {
    mine = share_of_rows(count, team()->rank(), team()->size());
    const Index first = std::min(mine.first, count - 1);
    return std::pair(first, std::max(mine.last, first + 1));
  };
  Dataset loaded = load_together(*this, threads, my_rows, &are_complex);
  return {std::move(loaded), mine, are_complex};
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
