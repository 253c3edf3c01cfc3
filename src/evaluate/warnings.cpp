#include "evaluate/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "evaluate/summarise.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {
namespace {

struct KernelOfModel {
  Comparison comparison;
  double theta = 1;
};

template <class Models>
std::optional<KernelOfModel> kernel_of(const Models& model) {
  const auto* const svm = std::get_if<SvmClassifier>(&model);
  if (svm != nullptr && svm->combined() == nullptr) return KernelOfModel{svm->comparison(), svm->theta()};
  if (const auto* const mean = std::get_if<MeanClassifier>(&model))
    return KernelOfModel{mean->comparison(), mean->theta()};
  return {};
}

std::vector<std::string> warnings_of(const KernelOfModel& kernel, const SpdBatch& x, int threads) {
  constexpr double hardly_alike = 1e-2, hardly_different = 1 - 1e-2;
  const Matrix squared = pairwise_squared_distances(kernel.comparison, x, {.threads = threads});
  const double typical = std::exp(-kernel.theta * median_above_diagonal(squared));
  if (typical < hardly_alike)
    return {
        fmt::format("the kernel matrix is nearly the identity (its median value is {:.1e}): theta {:.3g} is too large "
                    "for these matrices; give a smaller one, allow any theta, or project to a subspace",
                    typical, kernel.theta)};
  if (typical > hardly_different)
    return {
        fmt::format("the kernel matrix is nearly constant (its median value is {:.5f}): theta {:.3g} is too small for "
                    "these matrices; give a larger theta, or let it be chosen",
                    typical, kernel.theta)};
  return {};
}

}  // namespace

std::vector<std::string> group_warnings(const Dataset& data) {
  if (!data.has_groups() || !data.has_labels()) return {};
  std::vector<std::set<int>> groups(data.labels().names().size());
  for (Index i = 0; i < data.size(); ++i) groups[static_cast<std::size_t>(data.labels()[i])].insert(data.groups()[i]);
  std::vector<std::string> in_one_group;
  std::size_t classes = 0;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    if (!groups[c].empty()) ++classes;
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

std::vector<std::string> kernel_warnings(const Model& model, const Dataset& train, int threads) {
  if (train.size() < 2) return {};
  constexpr Index enough = 300;
  const SpdBatch some = train.matrices().select(random_sample(train.size(), enough, 0));
  if (const auto kernel = kernel_of(model)) return warnings_of(*kernel, some, threads);
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  if (pipeline == nullptr || pipeline->members().size() != 1) return {};
  const Pipeline::Member& member = pipeline->members().front();
  if (const auto kernel = kernel_of(member.classifier))
    return warnings_of(*kernel, member.before.apply(some, threads), threads);
  return {};
}

}  // namespace dsk::detail
