#include "evaluate/shared_learning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

namespace dsk::detail {

Digest digest_of(const Dataset& train) {
  Digest digest{0x243f6a8885a308d3, 0x13198a2e03707344};
  const auto add = [&digest](std::uint64_t word) {
    digest.first = (std::rotl(digest.first, 29) ^ word) * 0x9e3779b97f4a7c15;
    digest.second = std::rotl((digest.second + word) * 0xd6e8feb86659fd93, 32);
  };
  add(static_cast<std::uint64_t>(train.size()));
  for (const double value : train.matrices().values()) add(std::bit_cast<std::uint64_t>(value));
  for (const int code : train.labels().codes()) add(static_cast<std::uint64_t>(code));
  for (const double weight : train.weights()) add(std::bit_cast<std::uint64_t>(weight));
  if (train.has_groups())
    for (const int code : train.groups().codes()) add(static_cast<std::uint64_t>(code));
  return digest;
}

SharedLearning::KernelKey SharedLearning::key_of(const Dataset& train, const FitOptions& o) {
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "none"; };
  return {digest_of(train),
          fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", name(o.metric), name(o.criterion),
                      name(o.adjustment), number(o.theta), number(o.c), number(o.zeta), o.allow_indefinite,
                      o.search_all_thetas, o.penalty, fmt::join(o.alpha0, ","), o.components, o.subspace_iterations,
                      o.recentre, static_cast<int>(o.scale.kind), o.scale.factor, o.max_iterations, o.tolerance,
                      o.batch, o.batch_seed)};
}

PlainKernel SharedLearning::plain(const Dataset& train, FitOptions options) {
  options.penalty = 0;
  if (options.adjustment == Adjustment::coefficient) options.adjustment = Adjustment::power;
  return plains_.get(key_of(train, options), [&] { return best_plain_kernel(train, options); });
}

ChosenMethod SharedLearning::plain_settings(const Dataset& train, const Method& method, const SelectionOptions& options,
                                            const std::function<ChosenMethod()>& choose) {
  // Folds that were given have no short name.
  if (!options.given_folds.empty()) return choose();
  const auto numbers = [](const auto& values) { return fmt::format("{}", fmt::join(values, ",")); };
  ChosenMethod chosen = plain_settings_.get(
      {digest_of(train),
       fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", name(method.metric), name(method.classifier),
                   options.folds, options.seed, numbers(options.neighbours), numbers(options.svm_cs),
                   numbers(options.relative_thetas), numbers(options.zetas),
                   options.theta ? fmt::format("{}", *options.theta) : "none", static_cast<int>(options.theta_range),
                   static_cast<int>(options.svm.margin), options.svm.balanced, numbers(options.svm.class_weights))},
      choose);
  chosen.method = method;
  return chosen;
}

PlainKernel shared_plain(const Dataset& train, const FitOptions& options, SharedLearning* shared) {
  return shared == nullptr ? best_plain_kernel(train, options) : shared->plain(train, options);
}

}  // namespace dsk::detail
