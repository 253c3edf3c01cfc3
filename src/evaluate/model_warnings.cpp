// What is wrong with a trained model, in words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "classify/classify.hpp"
#include "evaluate/choose.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// What may be wrong, each with its sentence.
enum class Problem { nearly_identity, nearly_constant, indefinite, class_means, tangent_mean };
using Problems = std::map<Problem, std::string>;

void add_kernel_problem(Problems& problems, const Comparison& comparison, double theta, const SpdBatch& x,
                        int threads) {
  constexpr double hardly_alike = 1e-2, hardly_different = 1 - 1e-2;
  const Matrix squared = pairwise_squared_distances(comparison, x, {.threads = threads});
  const double typical = std::exp(-theta * median_above_diagonal(squared));
  if (typical < hardly_alike)
    problems[Problem::nearly_identity] = fmt::format(
        "the kernel matrix is nearly the identity (its median value is {:.1e}): theta {:.3g} is too large "
        "for these matrices; give a smaller one, allow any theta, or project to a subspace",
        typical, theta);
  if (typical > hardly_different)
    problems[Problem::nearly_constant] = fmt::format(
        "the kernel matrix is nearly constant (its median value is {:.5f}): theta {:.3g} is too small for "
        "these matrices; give a larger one, or keep to valid thetas",
        typical, theta);
}

/// Its smallest eigenvalue, where the kernel matrix of an SVM was not positive definite.
std::optional<double> clipped_eigenvalue(const SvmClassifier& svm, Index matrices) {
  const double count = static_cast<double>(matrices);
  // As where the kernel matrix is clipped, whose largest eigenvalue is at most the number of matrices.
  constexpr double rounding = 1e-15;
  const std::optional<double> smallest = svm.smallest_eigenvalue();
  return smallest && *smallest < -rounding * count * count ? smallest : std::nullopt;
}

void add_clipping(Problems& problems, const SvmClassifier& svm, Index matrices) {
  // The diagonal is 1. This is a choice, not a bound: kernels that cross-validation finds best are often clipped by a
  // hundredth or less, of which there would be a warning at nearly every fit. Summaries mention them.
  constexpr double matters = 0.05;
  const std::optional<double> smallest = clipped_eigenvalue(svm, matrices);
  if (smallest && *smallest < -matters)
    problems[Problem::indefinite] = fmt::format(
        "the kernel matrix of the training set is far from positive definite (its smallest eigenvalue is {:.2g}, its "
        "diagonal 1): the SVM was trained on the nearest one that is; keep to valid thetas to avoid that",
        *smallest);
}

void add_mean_problem(Problems& problems, Problem problem, std::string_view mean, std::optional<Mean::Stop> stop) {
  for (std::string& text : mean_warnings(mean, stop)) problems[problem] = std::move(text);
}

/// Of a model that is not made of others.
template <class Models>
Problems problems_of(const Models& model, const SpdBatch& x, Index matrices, int threads) {
  Problems problems;
  if (const auto* const svm = std::get_if<SvmClassifier>(&model)) {
    if (svm->combined() == nullptr) add_kernel_problem(problems, svm->comparison(), svm->theta(), x, threads);
    add_clipping(problems, *svm, matrices);
  } else if (const auto* const mean = std::get_if<MeanClassifier>(&model)) {
    add_kernel_problem(problems, mean->comparison(), mean->theta(), x, threads);
  } else if (const auto* const mdm = std::get_if<MdmClassifier>(&model)) {
    add_mean_problem(problems, Problem::class_means, "a class mean", mdm->stop());
  } else if (const auto* const tangent = std::get_if<TangentClassifier>(&model)) {
    add_mean_problem(problems, Problem::tangent_mean, "the mean that the tangent space is at",
                     detail::parts_of(*tangent).stop);
  }
  return problems;
}

/// The first member that has a problem, and how many do.
struct Affected {
  std::string sentence;
  std::string first;
  Index count = 0;
};

std::string named(const Affected& members, std::size_t all) {
  const Index others = members.count - 1;
  return fmt::format("{}, one of {} classifiers that are averaged: {}{}", members.first, all, members.sentence,
                     others > 0 ? fmt::format(" (the same for {} other{})", others, others == 1 ? "" : "s") : "");
}

}  // namespace

std::vector<std::string> mean_warnings(std::string_view mean, std::optional<Mean::Stop> stop) {
  if (stop != Mean::Stop::iteration_limit) return {};
  return {
      fmt::format("{} did not converge within the limit of iterations: are there nearly singular matrices, which could "
                  "be repaired?",
                  mean)};
}

std::vector<std::string> model_warnings(const Model& model, const Dataset& train, int threads) {
  if (train.size() < 2) return {};
  constexpr Index enough = 100;
  const SpdBatch some = train.matrices().select(random_sample(train.size(), enough, 0));
  std::vector<std::string> sentences;
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  if (pipeline == nullptr) {
    for (auto& [problem, text] : problems_of(model, some, train.size(), threads)) sentences.push_back(std::move(text));
    return sentences;
  }
  const std::size_t all = pipeline->members().size();
  std::map<Problem, Affected> found;
  for (const Pipeline::Member& member : pipeline->members()) {
    const SpdBatch seen = member.before.is_identity() ? some : member.before.apply(some, threads);
    for (auto& [problem, text] : problems_of(member.classifier, seen, train.size(), threads)) {
      Affected& members = found[problem];
      if (members.count++ > 0) continue;
      members.sentence = std::move(text);
      members.first = fmt::format("{0} on {1} x {1} matrices", kind(member.classifier), seen.dim());
    }
  }
  for (const auto& [problem, members] : found) sentences.push_back(all == 1 ? members.sentence : named(members, all));
  return sentences;
}

std::string clipping_note(const Model& model, Index matrices) {
  std::vector<double> smallest;
  const auto look_at = [&](const auto& classifier) {
    if (const auto* const svm = std::get_if<SvmClassifier>(&classifier))
      if (const auto one = clipped_eigenvalue(*svm, matrices)) smallest.push_back(*one);
  };
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  if (pipeline == nullptr) {
    look_at(model);
  } else {
    for (const Pipeline::Member& member : pipeline->members()) look_at(member.classifier);
  }
  if (smallest.empty()) return {};
  const std::string whose = pipeline == nullptr || pipeline->members().size() == 1
                                ? "the kernel matrix of the SVM was"
                                : fmt::format("kernel matrices of {} were", counted(std::ssize(smallest), "SVM"));
  return fmt::format("{} not positive definite (smallest eigenvalue {:.2g}) and replaced by the nearest that is", whose,
                     *std::min_element(smallest.begin(), smallest.end()));
}

std::vector<std::string> training_warnings(const ChosenMethod& chosen, const Model& model, const Dataset& train,
                                           int threads) {
  const std::optional<Mean::Stop> of_kernel = chosen.fit ? chosen.fit->mean_stop : std::nullopt;
  std::vector<std::string> sentences =
      mean_warnings("the mean by which matrices are recentred", chosen.model ? chosen.mean_stop : of_kernel);
  for (std::string& sentence : model_warnings(model, train, threads)) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace dsk::detail
