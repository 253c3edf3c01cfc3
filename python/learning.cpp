#include <dsk/train.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

nb::list as_list(const std::vector<PenaltyChoice::Score>& scores) {
  nb::list list;
  for (const PenaltyChoice::Score& score : scores) {
    nb::dict row;
    row["penalty"] = score.penalty;
    row["accuracy"] = score.accuracy;
    row["setting"] = score.neighbours_or_c;
    list.append(row);
  }
  return list;
}

/// The kernel, the score of each penalty, which is an empty list if one was given, the standard error of the criterion,
/// which is None without a batch, and warnings.
nb::tuple learn_kernel(const Dataset& train, const std::string& criterion, const std::string& adjustment,
                       std::optional<double> theta, std::optional<double> c, std::optional<double> penalty,
                       const std::string& scale, const std::string& theta_range, int max_iterations, double tolerance,
                       const std::string& classifier, Index folds, const FoldsArgument& given_folds, std::uint64_t seed,
                       int threads, nb::object on_kernel, nb::object on_iteration, const std::string& device,
                       const std::string& metric, std::optional<double> zeta, Index batch) {
  Listener kernels(std::move(on_kernel)), iterations(std::move(on_iteration));
  LearnOptions options;
  options.fit.metric = parse_metric(metric);
  options.fit.zeta = zeta;
  options.fit.criterion = parse_criterion(criterion);
  options.fit.adjustment = parse_adjustment(adjustment);
  options.fit.theta = theta;
  options.fit.c = c;
  options.theta_range = parse_theta_range(theta_range);
  options.penalty = penalty;
  options.fit.scale = Scale::parse(scale);
  options.fit.max_iterations = max_iterations;
  options.fit.tolerance = tolerance;
  options.classifier = parse_classifier(classifier);
  options.folds = folds;
  options.given_folds = as_splits(given_folds);
  options.seed = seed;
  options.fit.batch = batch;
  options.fit.batch_seed = seed;
  options.fit.pairs.threads = threads;
  options.fit.pairs.device = parse_device(device);
  options.on_kernel = [&](int done, int total) { return kernels.report_progress(done, total); };
  options.fit.on_iteration = [&](const Fit::Iteration& iteration) {
    return iterations.report_progress(iteration.number, iteration.objective);
  };
  try {
    const Learned learned = compute([&] { return learn(train, options); });
    iterations.raise_again();
    const std::optional<Fit::Blocks>& blocks = learned.fit.blocks;
    return nb::make_tuple(learned.kernel, learned.validation ? as_list(learned.validation->scores) : nb::list(),
                          blocks ? std::optional(blocks->standard_error) : std::nullopt, learned.warnings);
  } catch (const Cancelled&) {
    kernels.raise_again();
    throw;
  }
}

/// Weights, variances and the alignment.
nb::tuple aligned_kernels(const StackArgument& kernels, const LabelParts& labels, const std::vector<double>& weights,
                          int threads) {
  const MatrixStack stack = as_stack(kernels);
  std::vector<Matrix> all;
  all.reserve(static_cast<std::size_t>(stack.count));
  for (Index k = 0; k < stack.count; ++k) all.emplace_back(stack[k]);
  const KernelWeights found = compute([&] { return align_kernels(all, *as_labels(labels), weights, threads); });
  return nb::make_tuple(as_array(found.weights), as_array(found.variances), found.alignment);
}

}  // namespace

void bind_learning(nb::module_& module) {
  module.def("learn", &learn_kernel, "train"_a, "criterion"_a, "adjustment"_a, "theta"_a.none(), "c"_a.none(),
             "penalty"_a.none(), "scale"_a, "theta_range"_a, "max_iterations"_a, "tolerance"_a, "classifier"_a,
             "folds"_a, "given_folds"_a, "seed"_a, "threads"_a, "on_kernel"_a.none(), "on_iteration"_a.none(),
             "device"_a = "cpu", "metric"_a = "stein", "zeta"_a.none() = nb::none(), "batch"_a = 0);
  module.def("align_kernels", &aligned_kernels, "kernels"_a, "labels"_a, "weights"_a, "threads"_a);
}

}  // namespace dsk::python
