#include "evaluate/choose.hpp"

#include <fmt/format.h>

#include <set>

#include "evaluate/summarise.hpp"

namespace dsk::detail {

std::vector<std::string> group_warnings(const Dataset& data) {
  if (!data.has_groups() || !data.has_labels()) return {};
  std::vector<std::set<int>> groups(data.labels().names().size());
  for (Index i = 0; i < data.size(); ++i) groups[static_cast<std::size_t>(data.labels()[i])].insert(data.groups()[i]);
  std::vector<std::string> in_one_group;
  std::size_t classes = 0;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    classes += groups[c].empty() ? 0 : 1;
    if (groups[c].size() == 1) in_one_group.push_back(data.labels().names()[c]);
  }
  // One class is refused elsewhere, with its own message.
  if (in_one_group.empty() || classes < 2) return {};
  if (in_one_group.size() == classes)
    throw ClassesInOneGroup(
        fmt::format("each class lies in a single group ({}): groups are kept together, so that no class can be both "
                    "learned and tested; ignore the groups",
                    listed_classes(in_one_group)));
  return {
      fmt::format("{} of {} classes {} in a single group ({}): groups are kept together, so that {} matrices are "
                  "never classified correctly; ignore the groups if matrices of a group may be on both sides",
                  in_one_group.size(), classes, in_one_group.size() == 1 ? "lies" : "lie", listed_classes(in_one_group),
                  in_one_group.size() == 1 ? "its" : "their")};
}

}  // namespace dsk::detail
