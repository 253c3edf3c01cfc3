#include "repair_flags.hpp"

#include <fmt/core.h>

#include "command.hpp"

namespace dsk::cli {

void RepairFlags::add_to(CLI::App& command) {
  auto* const needed = command.add_option(
      "--repair", needed_,
      "Repair matrices that are not positive definite: shrink, ridge or clip, optionally with :AMOUNT");
  command.add_option("--repair-all", all_, "The same for all matrices, also those that need no repair")
      ->excludes(needed);
}

Repair RepairFlags::repair() const {
  if (all_ == "none") return read_flag("--repair", [&] { return Repair::parse(needed_); });
  Repair all = read_flag("--repair-all", [&] { return Repair::parse(all_); });
  all.every_matrix = true;
  return all;
}

std::string RepairFlags::text() const {
  return needed_ == "none" ? all_ : needed_ + " where needed";
}

void RepairFlags::report(const std::string& file, const RepairSummary& summary) const {
  facts_.push_back({{"file", file},
                    {"matrices", summary.matrices},
                    {"changed", summary.changed},
                    {"largest_relative_change", summary.largest_change}});
  print_notes({fmt::format("{}: {} of {} repaired ({}), largest relative change {:.3g}", file, summary.changed,
                           summary.matrices == 1 ? "1 matrix" : fmt::format("{} matrices", summary.matrices), text(),
                           summary.largest_change)});
}

}  // namespace dsk::cli
