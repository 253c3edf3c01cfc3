#include <dsk/files.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/engine.hpp"

namespace dsk {
namespace {

/// The sum of what the ranks did to their parts.
Repair::Summary of_all_ranks(const Repair::Summary& mine, const Team& team) {
  std::array<double, 2> counts{static_cast<double>(mine.matrices), static_cast<double>(mine.changed)};
  double largest = -mine.largest_change;
  team.sum(counts);
  team.smallest({&largest, 1});
  return {static_cast<Index>(counts[0]), static_cast<Index>(counts[1]), -largest};
}

}  // namespace

DataShare load_share(const std::filesystem::path& path, const LoadOptions& options, const Team* team) {
  RowRange mine;
  bool are_complex = false;
  std::optional<Repair::Summary> repaired;
  LoadOptions reading = options;
  reading.on_complex = [&] { are_complex = true; };
  reading.on_repair = [&](const Repair::Summary& summary) { repaired = summary; };
  if (team != nullptr)
    reading.rows = [&](Index count) {
      mine = share_of_rows(count, team->rank(), team->size());
      const Index first = std::min(mine.first, count - 1);
      return std::pair(first, std::max(mine.last, first + 1));
    };
  else
    reading.rows = {};
  std::optional<Dataset> loaded;
  together(team, [&] { loaded = load(path, reading); });
  if (team == nullptr) mine = {0, loaded->size()};
  if (repaired && options.on_repair) options.on_repair(team != nullptr ? of_all_ranks(*repaired, *team) : *repaired);
  return {*std::move(loaded), mine, are_complex};
}

}  // namespace dsk
