// Criteria of matrices that count differently: a matrix of weight 2 counts as two equal ones, except for the neighbour
// criterion, in which no matrix is its own neighbour.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/engine.hpp"
#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

ConstVector weights_of(const Classes& classes) {
  return {classes.weights.data(), classes.samples()};
}

/// The weight of each matrix's class.
Eigen::VectorXd class_weights_of(const Classes& classes) {
  Eigen::VectorXd by_class = Eigen::VectorXd::Zero(classes.count()), result(classes.samples());
  for (Index i = 0; i < classes.samples(); ++i) by_class[classes[i]] += classes.weights[static_cast<std::size_t>(i)];
  for (Index i = 0; i < classes.samples(); ++i) result[i] = by_class[classes[i]];
  return result;
}

/// 1 for pairs of one class, `other` for the rest.
Matrix target_of(const Classes& classes, double other) {
  Matrix target(classes.samples(), classes.samples());
  for (Index i = 0; i < target.rows(); ++i)
    for (Index j = 0; j < target.cols(); ++j) target(i, j) = classes[i] == classes[j] ? 1 : other;
  return target;
}

/// The matrix less the weighted means of its rows and columns.
Matrix centred_by(const Matrix& values, const ConstVector& w) {
  const Eigen::VectorXd means = values * w / w.sum();
  const double whole = w.dot(means) / w.sum();
  return ((values.colwise() - means).rowwise() - means.transpose()).array() + whole;
}

/// sum_ij w_i w_j a_ij b_ij.
double product(const Matrix& a, const Matrix& b, const ConstVector& w) {
  return w.dot(a.cwiseProduct(b) * w);
}

class WeightedObjective : public Objective {
 public:
  WeightedObjective(WeightedCriterion criterion, const Classes& classes, const PairOptions& options)
      : criterion_(criterion), classes_(classes), options_(options) {}

  Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const override {
    const Matrix divergences = pairs.divergences();
    Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
    for (Index t = 0; t < result.rows(); ++t)
      result.row(t).setConstant(at(divergences, thetas[static_cast<std::size_t>(t)], nullptr));
    return result;
  }

  KernelGradient gradient(const PairSums& pairs, double theta, double) const override {
    const Matrix divergences = pairs.divergences();
    KernelGradient gradient;
    Matrix weights;
    gradient.value = at(divergences, theta, &weights);
    weights.diagonal().setZero();
    gradient.inverses = pairs.weighted_inverses(weights);
    gradient.inverses.divergence_sums = weights.cwiseProduct(divergences).rowwise().sum();
    // Every rank knows all pairs, and the ranks' sums are added up.
    if (options_.team != nullptr && options_.team->rank() != 0) gradient.inverses.divergence_sums.setZero();
    return gradient;
  }

 private:
  double at(const Matrix& divergences, double theta, Matrix* weights) const {
    Matrix kernel = divergences;
    exponential_in_place(kernel, -theta, options_.threads);
    const Matrix logarithm = -theta * divergences;
    return criterion_({kernel, logarithm, classes_}, weights);
  }

  WeightedCriterion criterion_;
  const Classes& classes_;
  PairOptions options_;
};

}  // namespace

std::unique_ptr<Objective> make_weighted_objective(WeightedCriterion criterion, const Classes& classes,
                                                   const PairOptions& options) {
  return std::make_unique<WeightedObjective>(criterion, classes, options);
}

double weighted_alignment(const WeightedKernel& data, Matrix* weights) {
  const ConstVector w = weights_of(data.classes);
  const Matrix target = target_of(data.classes, -1);
  const double squared_norm = product(data.kernel, data.kernel, w), scale = w.sum() * std::sqrt(squared_norm);
  const double value = product(target, data.kernel, w) / scale;
  if (weights != nullptr)
    *weights = w.asDiagonal() * (target / scale - value / squared_norm * data.kernel).cwiseProduct(data.kernel) *
               w.asDiagonal();
  return value;
}

double weighted_separability(const WeightedKernel& data, Matrix* weights) {
  const ConstVector w = weights_of(data.classes);
  const Eigen::VectorXd of_class = class_weights_of(data.classes);
  const Matrix class_mean = of_class.cwiseInverse().asDiagonal() * target_of(data.classes, 0);
  const double n = w.sum(), p = product(class_mean, data.kernel, w), q = w.dot(data.kernel * w) / n, within = n - p;
  if (weights != nullptr)
    *weights =
        w.asDiagonal() *
        ((n - q) / (within * within) * class_mean.array() - 1 / (n * within)).matrix().cwiseProduct(data.kernel) *
        w.asDiagonal();
  return (p - q) / within;
}

double weighted_centred(const WeightedKernel& data, Matrix* weights) {
  const ConstVector w = weights_of(data.classes);
  const Matrix target = centred_by(target_of(data.classes, 0), w), kernel = centred_by(data.kernel, w);
  const double squared = product(kernel, kernel, w), norms = std::sqrt(squared * product(target, target, w));
  const double value = product(target, kernel, w) / norms;
  if (weights != nullptr)
    *weights = w.asDiagonal() * (target / norms - value / squared * kernel).cwiseProduct(data.kernel) * w.asDiagonal();
  return value;
}

/// J = sum_i w_i log(sum_{j != i of i's class} w_j K_ij / sum_{j != i} w_j K_ij) over those i that are not alone in
/// their class, divided by the sum of their weights.
double weighted_neighbour(const WeightedKernel& data, Matrix* weights) {
  const Classes& classes = data.classes;
  const ConstVector w = weights_of(classes);
  const Index n = classes.samples();
  const auto counts = [&](Index i) { return classes.size(classes[i]) > 1; };
  double whole = 0, value = 0;
  for (Index i = 0; i < n; ++i) whole += counts(i) ? w[i] : 0;
  if (!(whole > 0)) throw UndefinedForData("the neighbour criterion needs a class with at least two matrices");
  Matrix shares = Matrix::Zero(n, n);  // of row i: w_i d log(...) / dlog K_ij
  for (Index i = 0; i < n; ++i) {
    if (!counts(i)) continue;
    double largest = -std::numeric_limits<double>::infinity(), largest_same = largest;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      largest = std::max(largest, data.logarithm(i, j));
      if (classes[j] == classes[i]) largest_same = std::max(largest_same, data.logarithm(i, j));
    }
    double all = 0, same = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      all += w[j] * std::exp(data.logarithm(i, j) - largest);
      if (classes[j] == classes[i]) same += w[j] * std::exp(data.logarithm(i, j) - largest_same);
    }
    value += w[i] * (std::log(same) + largest_same - std::log(all) - largest);
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double of_all = w[j] * std::exp(data.logarithm(i, j) - largest) / all;
      const double of_same = classes[j] == classes[i] ? w[j] * std::exp(data.logarithm(i, j) - largest_same) / same : 0;
      shares(i, j) = w[i] * (of_same - of_all);
    }
  }
  if (weights != nullptr) *weights = (shares + shares.transpose()) / (2 * whole);
  return value / whole;
}

}  // namespace dsk::detail
