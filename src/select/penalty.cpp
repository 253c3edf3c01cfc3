#include <dsk/select/folds.hpp>
#include <dsk/select/penalty.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "select/count_right.hpp"

namespace dsk {
namespace {

/// How many of the test matrices each setting of the classifier gets right.
std::vector<Index> count_right(const LearnedKernel& kernel, const Dataset& train, const Dataset& test,
                               const PenaltySearch& search, const PairOptions& pairs) {
  const SpdBatch adjusted_train = kernel.adjust(train.matrices(), pairs.threads);
  const SpdBatch adjusted_test = kernel.adjust(test.matrices(), pairs.threads);
  const LearnedKernel plain = LearnedKernel::plain(kernel.dim(), kernel.theta());
  if (search.classifier == Classifier::knn)
    return detail::count_right_neighbours(divergence_matrix(plain, adjusted_test, adjusted_train, pairs),
                                          train.labels(), test.labels(), search.neighbours);
  return detail::count_right_svm(kernel_matrix(plain, adjusted_train, pairs),
                                 kernel_matrix(plain, adjusted_test, adjusted_train, pairs), train.labels(),
                                 test.labels(), search.svm_cs, pairs.threads);
}

/// The same, none where the adjustment takes a matrix out of double's range.
std::vector<Index> count_right_if_any(const LearnedKernel& kernel, const Dataset& train, const Dataset& test,
                                      const PenaltySearch& search, const PairOptions& pairs) {
  try {
    return count_right(kernel, train, test, search, pairs);
  } catch (const InvalidInput&) {
    return std::vector<Index>(search.classifier == Classifier::knn ? search.neighbours.size() : search.svm_cs.size());
  }
}

/// Adds counts to counts, of which there may be none yet.
void add(std::vector<Index>& sums, const std::vector<Index>& counts) {
  sums.resize(counts.size());
  std::transform(counts.begin(), counts.end(), sums.begin(), sums.begin(), std::plus<>());
}

double setting(const PenaltySearch& search, std::size_t position) {
  return search.classifier == Classifier::knn ? static_cast<double>(search.neighbours[position])
                                              : search.svm_cs[position];
}

void check(const PenaltySearch& search) {
  if (search.relative_penalties.empty()) throw InvalidInput("the grid of penalties is empty");
  for (const double penalty : search.relative_penalties)
    if (!(penalty >= 0)) throw InvalidInput(fmt::format("penalty {} must be 0 or more", penalty));
  if (search.classifier == Classifier::knn ? search.neighbours.empty() : search.svm_cs.empty())
    throw InvalidInput("the grid of the classifier's settings is empty");
  for (const Index k : search.neighbours)
    if (k < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", k));
  for (const double c : search.svm_cs)
    if (!(c > 0 && std::isfinite(c))) throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
}

/// The options for learning on one training part: theta and C found once serve all penalties.
LearnOptions options_for(const Dataset& part, const LearnOptions& options) {
  const PlainKernel plain = best_plain_kernel(part, options);
  LearnOptions with = options;
  with.theta = plain.theta;
  if (has_soft_margin(options.criterion)) with.c = plain.c;
  return with;
}

}  // namespace

Classifier parse_classifier(std::string_view text) {
  if (text == "knn") return Classifier::knn;
  if (text == "svm") return Classifier::svm;
  throw InvalidInput(fmt::format("unknown classifier '{}': use knn or svm", text));
}

std::string_view name(Classifier classifier) {
  return classifier == Classifier::knn ? "knn" : "svm";
}

PenaltyChoice choose_penalty(const Dataset& train, const LearnOptions& options, const PenaltySearch& search) {
  check(search);
  const std::vector<Split> splits = stratified_folds(train, search.folds, search.seed);
  const double unit = std::abs(best_plain_kernel(train, options).value);
  std::vector<double> penalties;
  for (const double relative : search.relative_penalties)
    penalties.push_back(std::isinf(relative) ? relative : relative * unit);
  std::sort(penalties.begin(), penalties.end());

  std::vector<std::vector<Index>> right(penalties.size());
  Index scored = 0;
  int done = 0;
  for (const Split& split : splits) {
    const Dataset part = train.select(split.train), held_out = train.select(split.test);
    scored += held_out.size();
    try {
      LearnOptions with = options_for(part, options);
      for (std::size_t p = 0; p < penalties.size(); ++p) {
        with.penalty = penalties[p];
        const LearnResult learned = learn_kernel(part, with);
        if (learned.fit.stop == StopReason::cancelled) throw Cancelled();
        add(right[p], count_right_if_any(learned.kernel, part, held_out, search, options.pairs));
        if (search.on_progress && !search.on_progress(++done, static_cast<int>(splits.size() * penalties.size())))
          throw Cancelled();
      }
    } catch (const InvalidInput& error) {
      throw InvalidInput(fmt::format("cross-validation, learning from {} of {} matrices: {}", part.size(), train.size(),
                                     error.what()));
    }
  }
  PenaltyChoice choice;
  choice.folds = static_cast<Index>(splits.size());
  for (std::size_t p = 0; p < penalties.size(); ++p) {
    const auto most = std::max_element(right[p].begin(), right[p].end());
    choice.scores.push_back({penalties[p], static_cast<double>(*most) / static_cast<double>(scored),
                             setting(search, static_cast<std::size_t>(most - right[p].begin()))});
    if (choice.scores.back().accuracy >= choice.best.accuracy) choice.best = choice.scores.back();
  }
  return choice;
}

}  // namespace dsk
