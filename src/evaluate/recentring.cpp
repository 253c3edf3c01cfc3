#include "evaluate/recentring.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace dsk::detail {

Dataset recentred_by_groups(const Dataset& data, int threads) {
  if (!data.has_groups())
    throw InvalidInput("recentring by groups needs a data set with groups, such as subjects or sessions");
  std::optional<Labels> labels;
  if (data.has_labels()) labels = data.labels();
  return Dataset(recentre_groups(data.matrices(), &data.groups(), threads), labels, data.groups());
}

Model recentring_groups(Model model) {
  if (const auto* const pipeline = std::get_if<Pipeline>(&model))
    return Pipeline(pipeline->members(), Recentring::groups);
  return std::visit(
      [](auto&& one) -> Model {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Pipeline>) {
          return one;
        } else {
          std::vector<Pipeline::Member> members;
          members.push_back({Transform(), SimpleModel(std::forward<decltype(one)>(one))});
          return Pipeline(std::move(members), Recentring::groups);
        }
      },
      std::move(model));
}

}  // namespace dsk::detail
