#include "evaluate/evaluated_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluate/choose.hpp"

namespace dsk::detail {
namespace {

constexpr Index most_shown = 400;

/// The first result whose kernel was adjusted, or null.
const SplitResult* first_adjusted(const Evaluation& evaluation) {
  for (const SplitResult& result : evaluation.results)
    if (result.candidates.empty() && Method::parse(result.method).is_papers() &&
        Method::parse(result.chosen).learning && std::isfinite(result.penalty))
      return &result;
  return nullptr;
}

/// `theta` of the result is the classifier's.
EvaluatedKernel evaluated_kernel(const SplitResult& result, LearnResult learned, const Dataset& test, int threads) {
  EvaluatedKernel shown{.method = result.chosen,
                        .split = result.split,
                        .kernel = LearnedKernel(learned.kernel.adjustment(), result.theta),
                        .penalty = result.penalty,
                        .fit = std::move(learned.fit)};
  const Dataset some = to_show(test);
  if (some.size() < 3) return shown;
  shown.shown = some.labels().codes();
  const PairOptions pairs{.threads = threads};
  shown.plain_values = kernel_matrix(LearnedKernel::plain(test.dim(), result.theta), some.matrices(), pairs);
  shown.learned_values = kernel_matrix(shown.kernel, some.matrices(), pairs);
  shown.plain_components = kernel_principal_components(shown.plain_values, 2);
  shown.learned_components = kernel_principal_components(shown.learned_values, 2);
  return shown;
}

}  // namespace

Dataset to_show(const Dataset& test) {
  std::vector<Index> order(static_cast<std::size_t>(test.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return test.labels()[a] < test.labels()[b]; });
  const Index step = (test.size() + most_shown - 1) / most_shown;
  std::vector<Index> kept;
  for (Index i = 0; i < test.size(); i += step) kept.push_back(order[static_cast<std::size_t>(i)]);
  return test.select(kept);
}

std::optional<EvaluatedKernel> first_kernel(const Dataset& data, const EvaluationOptions& options,
                                            const Evaluation& evaluation,
                                            std::vector<std::optional<LearnResult>>& kernels) {
  const SplitResult* const result = first_adjusted(evaluation);
  if (result == nullptr) return {};
  const Split& split = evaluation.splits[static_cast<std::size_t>(result->split)];
  std::optional<LearnResult>& known = kernels[static_cast<std::size_t>(result - evaluation.results.data())];
  if (!known) {
    const Method method = Method::parse(result->method);
    SelectionOptions selection = selection_for(method, options.selection);
    selection.pairs.threads = options.threads;
    selection.pairs.team = nullptr;
    known = fit_as_chosen(data.select(split.train), method, *Method::parse(result->chosen).learning, result->penalty,
                          selection);
  }
  return evaluated_kernel(*result, *std::move(known), data.select(split.test), options.threads);
}

}  // namespace dsk::detail
