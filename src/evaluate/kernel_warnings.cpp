#include "evaluate/kernel_warnings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernel/kernel.hpp"

namespace dsk::detail {
namespace {

struct KernelOfModel {
  Comparison comparison;
  double theta = 1;
};

template <class Models>
std::optional<KernelOfModel> kernel_of(const Models& model) {
  if (const auto* const svm = std::get_if<SvmClassifier>(&model)) return KernelOfModel{svm->comparison(), svm->theta()};
  if (const auto* const mean = std::get_if<MeanClassifier>(&model))
    return KernelOfModel{mean->comparison(), mean->theta()};
  return {};
}

std::vector<std::string> warnings_of(const KernelOfModel& kernel, const SpdBatch& x, int threads) {
  constexpr double hardly_alike = 1e-2, hardly_different = 1 - 1e-2;
  const Matrix squared = squared_distances(kernel.comparison, x, {.threads = threads});
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
