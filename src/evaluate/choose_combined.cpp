#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/classify.hpp"
#include "evaluate/base_kernels.hpp"
#include "evaluate/choose.hpp"
#include "machine/messages.hpp"

namespace dsk::detail {
namespace {

/// Weights and C that were tried.
struct Tried {
  Method::Combining how = Method::Combining::average;
  double c = 1;
  Hits hits = {};
  double accuracy = 0;
};

std::vector<Tried> ways_to_try(const Method& method, const SelectionOptions& options) {
  std::vector<Tried> ways;
  for (const Method::Combining how : {Method::Combining::average, Method::Combining::aligned})
    if (*method.combining == Method::Combining::chosen || *method.combining == how)
      for (const double c : options.svm_cs) ways.push_back({how, c});
  return ways;
}

/// Adds the hits of a fold. Nothing of the test part but its matrices is used.
void score_fold(const Dataset& train, const Dataset& test, const SelectionOptions& options, std::vector<Tried>& ways) {
  const BaseKernels base(train, options);
  for (std::size_t first = 0; first < ways.size(); first += options.svm_cs.size()) {
    const CombinedKernel kernel = base.combined(ways[first].how);
    const std::vector<Hits> hits =
        svm_hits(kernel_matrix(kernel, train.matrices(), options.pairs),
                 kernel_matrix(kernel, test.matrices(), train.matrices(), options.pairs), train.labels(), test.labels(),
                 options.svm_cs, options.svm, options.pairs.threads, train.weights());
    for (std::size_t c = 0; c < hits.size(); ++c) {
      Hits& all = ways[first + c].hits;
      all.insert(all.end(), hits[c].begin(), hits[c].end());
    }
  }
}

std::vector<CandidateScore> as_candidates(const std::vector<Tried>& ways, std::size_t folds, Index matrices) {
  std::vector<CandidateScore> result;
  result.reserve(ways.size());
  for (const Tried& one : ways) {
    const Method named{.classifier = Classifier::svm, .combining = one.how};
    const auto predicted = static_cast<double>(std::min(matrices, std::ssize(one.hits)));
    result.push_back({.name = fmt::format("{}, C {:g}", named.full_name(), one.c),
                      .accuracy = one.accuracy,
                      .standard_error = std::sqrt(one.accuracy * (1 - one.accuracy) / predicted),
                      .folds = static_cast<Index>(folds)});
  }
  return result;
}

}  // namespace

ChosenMethod choose_combined(const Dataset& train, const Method& method, const SelectionOptions& options) {
  const Dataset basis = to_choose_on(train, options);
  const std::vector<Split> splits = folds_of(basis, options.given_folds, options.folds, options.seed);
  std::vector<Tried> ways = ways_to_try(method, options);
  for (std::size_t s = 0; s < splits.size(); ++s) {
    score_fold(basis.select(splits[s].train), basis.select(splits[s].test), options, ways);
    if (options.on_progress && !options.on_progress(static_cast<int>(s) + 1, static_cast<int>(splits.size())))
      throw Cancelled();
  }
  const std::vector<double> weights = scored_weights(basis, splits);
  for (Tried& one : ways) one.accuracy = share(one.hits, weights);
  std::stable_sort(ways.begin(), ways.end(), [](const Tried& a, const Tried& b) { return a.accuracy > b.accuracy; });
  const Tried& best = ways.front();
  ChosenMethod chosen;
  chosen.method = method;
  chosen.neighbours_or_c = best.c;
  chosen.validation_accuracy = best.accuracy;
  chosen.hits = best.hits;
  chosen.svm = options.svm;
  chosen.candidates = as_candidates(ways, splits.size(), basis.size());
  chosen.combined = BaseKernels(train, options).combined(best.how);
  return chosen;
}

void check_combining(std::span<const Method> methods, const SelectionOptions& options) {
  const auto any = [&](const auto& is) { return std::any_of(methods.begin(), methods.end(), is); };
  if (!any([](const Method& method) { return method.combining.has_value(); })) return;
  const bool has_theta = options.theta || options.zetas != SelectionOptions().zetas;
  const bool one_learned = !options.alpha0.empty() || options.scale.kind != Scale::Kind::none;
  const auto compares_by_one = [](const Method& method) {
    return !method.combining && !method.majority &&
           (method.classifier == Classifier::knn || method.classifier == Classifier::svm ||
            method.classifier == Classifier::mean);
  };
  if (has_theta && !any(compares_by_one))
    throw InvalidInput("theta and zeta of combined kernels are chosen and cannot be given");
  if (one_learned && !any([](const Method& method) { return method.best || method.automatic || method.learning; }))
    throw InvalidInput("alpha0 and scale are for a single learned kernel, not for combined ones");
}

}  // namespace dsk::detail
