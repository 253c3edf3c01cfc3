#include "labelled_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {

void LabelledData::add_to(CLI::App& command) {
  command.add_option("X", x, "Matrices (n, d, d) with labels: .npz, .npy, .mat or .csv")->required();
  command.add_option("--labels", labels, "Labels, .npy or .csv, in place of the data file's own");
  command.add_option("--repair", repair, repair_help);
  command.add_option("--part", part, part_help);
}

void LabelledData::add_groups_flag(CLI::App& command) {
  command.add_flag("--ignore-groups", ignore_groups, "Do not keep the groups of the data file together");
}

void LabelledData::check() const {
  Repair::parse(repair);
  parse_part(part);
}

namespace {

Dataset load_together(const LabelledData& data, int threads, const decltype(LoadOptions::rows)& rows) {
  std::optional<Dataset> loaded;
  together(team(), [&] {
    loaded = load(data.x, {.labels = data.labels,
                           .repair = Repair::parse(data.repair),
                           .part = parse_part(data.part),
                           .rows = rows,
                           .threads = threads});
  });
  return *std::move(loaded);
}

}  // namespace

Dataset LabelledData::load(int threads) const {
  return load_together(*this, threads, {});
}

DataShare LabelledData::load_share(int threads) const {
  if (team() == nullptr) {
    Dataset all = load(threads);
    return {all, {0, all.size()}};
  }
  RowRange mine;
  Dataset loaded = load_together(*this, threads, [&](Index count) {
    mine = share_of_rows(count, team()->rank(), team()->size());
    const Index first = std::min(mine.first, count - 1);
    return std::pair(first, std::max(mine.last, first + 1));
  });
  return {std::move(loaded), mine};
}

Dataset LabelledData::load_labelled(int threads) const {
  Dataset data = load(threads);
  if (!data.has_labels()) throw InvalidInput(fmt::format("{}: has no labels to learn from; give --labels", x));
  try {
    nlohmann::json(data.labels().names()).dump();
  } catch (const nlohmann::json::exception&) {
    throw InvalidInput(fmt::format("{}: has a class name that is not UTF-8", labels.empty() ? x : labels));
  }
  return ignore_groups ? data.without_groups() : data;
}

}  // namespace dsk::cli
