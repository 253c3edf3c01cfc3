#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {
namespace {

constexpr Index most_shown = 400;

/// The first result whose kernel was adjusted, or null.
const SplitResult* first_adjusted(const Evaluation& evaluation) {
  for (const SplitResult& result : evaluation.results)
    if (result.candidates.empty() && is_from_paper(Method::parse(result.method)) &&
        Method::parse(result.chosen).learning && std::isfinite(result.penalty))
      return &result;
  return nullptr;
}

/// `theta` of the result is the classifier's.
Evaluation::Kernel evaluated_kernel(const SplitResult& result, LearnResult learned, const Dataset& test, int threads) {
  Evaluation::Kernel shown{.method = result.chosen,
                           .split = result.split,
                           .kernel = learned.kernel.with_theta(result.theta),
                           .penalty = result.penalty,
                           .fit = std::move(learned.fit)};
  const Dataset some = to_show(test);
  if (some.size() < 3) return shown;
  shown.shown = some.labels().codes();
  const PairOptions pairs{.threads = threads};
  shown.plain_values =
      kernel_matrix(LearnedKernel::plain(test.dim(), result.theta, shown.kernel.metric(), shown.kernel.zeta()),
                    some.matrices(), pairs);
  shown.learned_values = kernel_matrix(shown.kernel, some.matrices(), pairs);
  shown.plain_components = kernel_principal_components(shown.plain_values, 2);
  shown.learned_components = kernel_principal_components(shown.learned_values, 2);
  return shown;
}

/// More patterns than this are hard to read.
constexpr Index most_patterns = 12;
constexpr std::size_t most_kinds = 10;

/// The components of all subspaces that a candidate projects to, descending.
std::vector<Index> sizes_of(const Candidate& candidate, const std::vector<Index>& rungs, Index dim) {
  std::vector<Index> sizes = is_ladder(candidate) ? rungs : std::vector<Index>{candidate.components};
  std::erase_if(sizes, [&](Index components) { return components < 1 || components >= dim; });
  return sizes;
}

/// The candidate, or the first member of an average, that projects to a subspace; none where none does.
std::optional<Candidate> projecting(const std::optional<Candidate>& candidate, const std::vector<Index>& rungs,
                                    Index dim) {
  if (!candidate) return {};
  const auto projects = [&](const Candidate& one) { return !sizes_of(one, rungs, dim).empty(); };
  if (projects(*candidate)) return candidate;
  const auto member = std::find_if(candidate->members.begin(), candidate->members.end(), projects);
  return member == candidate->members.end() ? std::nullopt : std::optional(*member);
}

Matrix two_components(const Candidate& candidate, const SpdBatch& x, int threads) {
  const Matrix squared =
      pairwise_squared_distances({.metric = candidate.metric, .zeta = candidate.zeta}, x, {.threads = threads});
  const double theta = theta_of(candidate, median_above_diagonal(squared), x.dim());
  return kernel_principal_components((-theta * squared.array()).exp().matrix(), 2);
}

void add_pictures(Evaluation::Subspace& subspace, Candidate candidate, const Dataset& test, int threads) {
  const Dataset some = to_show(test);
  if (some.size() < 3) return;
  // Nearest neighbours need no theta.
  if (candidate.relative_theta == 0) candidate.relative_theta = 1;
  try {
    subspace.whole_components = two_components(candidate, some.matrices(), threads);
    subspace.projected_components =
        two_components(candidate, project(some.matrices(), subspace.projection, threads), threads);
    subspace.shown = some.labels().codes();
  } catch (const NumericalFailure&) {
    // Whole matrices may be too badly conditioned for what projected ones are good enough for.
    subspace.whole_components = subspace.projected_components = Matrix();
  }
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

std::optional<Evaluation::Kernel> first_evaluated_kernel(const Dataset& data, const EvaluationOptions& options,
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
    const Dataset train = data.select(split.train);
    const Projecting::Kind project = selection.project.kind;
    if (project == Projecting::Kind::none || project == Projecting::Kind::number) {
      known = fit_as_chosen(train, method, *Method::parse(result->chosen).learning, result->penalty, selection);
    } else {
      // The number of components is not among the results.
      const ChosenMethod chosen = choose(train, method, selection, nullptr);
      known = LearnResult{*chosen.comparison.learned, *chosen.fit};
    }
  }
  return evaluated_kernel(*result, *std::move(known), data.select(split.test), options.threads);
}

std::vector<CandidateScore> best_of_each_kind(const std::vector<CandidateScore>& candidates) {
  std::set<std::pair<std::string, Index>> kinds;
  std::vector<CandidateScore> best;
  for (const CandidateScore& one : candidates)
    if (best.size() < most_kinds && kinds.emplace(one.name.substr(0, one.name.find(',')), one.components).second)
      best.push_back(one);
  return best;
}

std::vector<CandidateScore> best_by_components(const std::vector<CandidateScore>& candidates) {
  std::map<Index, CandidateScore> best;
  for (const CandidateScore& one : candidates) {
    if (one.components == 0) continue;
    CandidateScore& other = best.try_emplace(one.components, one).first->second;
    if (std::pair(one.folds, one.accuracy) > std::pair(other.folds, other.accuracy)) other = one;
  }
  std::vector<CandidateScore> list;
  list.reserve(best.size());
  for (auto& entry : best) list.push_back(std::move(entry.second));
  return list;
}

std::optional<Evaluation::Subspace> first_evaluated_subspace(const Dataset& data, const EvaluationOptions& options,
                                                             const Evaluation& evaluation) {
  for (const SplitResult& result : evaluation.results) {
    if (result.candidates.empty()) continue;
    const Method method = Method::parse(result.method);
    SelectionOptions selection = selection_for(method, options.selection);
    selection.pairs.threads = options.threads;
    selection.pairs.team = nullptr;
    const CandidateOptions work = candidate_options(method, data.dim(), selection);
    const std::optional<Candidate> candidate =
        projecting(candidate_named(result.chosen, method, data.dim(), selection), work.rungs, data.dim());
    if (!candidate) continue;
    std::vector<Index> sizes = sizes_of(*candidate, work.rungs, data.dim());
    const auto few =
        std::find_if(sizes.begin(), sizes.end(), [](Index components) { return components <= most_patterns; });
    const Split& split = evaluation.splits[static_cast<std::size_t>(result.split)];
    const Dataset train = data.select(split.train);
    const Projection projection = CandidateTransforms(train, work).subspace(few == sizes.end() ? sizes.back() : *few);
    Evaluation::Subspace subspace{.method = result.method,
                                  .chosen = result.chosen,
                                  .split = result.split,
                                  .sizes = std::move(sizes),
                                  .projection = projection,
                                  .patterns = spatial_patterns(projection, train.matrices(), train.weights())};
    add_pictures(subspace, *candidate, data.select(split.test), options.threads);
    return subspace;
  }
  return {};
}

}  // namespace dsk::detail
