#include <dsk/classify.hpp>

#include <LBFGS.h>
#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/classify.hpp"
#include "classify/pairwise_svm.hpp"
#include "engine/engine.hpp"
#include "machine/interrupt.hpp"
#include "machine/messages.hpp"

namespace dsk {

Matrix LinearModel::scores(const Matrix& features) const {
  if (features.cols() != weights.rows())
    throw InvalidInput(
        fmt::format("rows of {} features do not match {} weights per output", features.cols(), weights.rows()));
  Matrix result = features * weights;
  result.rowwise() += offsets;
  return result;
}

namespace detail {

ScaledFeatures::ScaledFeatures(const Matrix& features, std::span<const double> weights) {
  if (features.rows() == 0) throw InvalidInput("there are no features to train on");
  if (!features.allFinite()) throw UndefinedForData("a feature is not a finite number");
  double squares = 0;
  if (weights.empty()) {
    centre = features.colwise().mean();
    rows = features.rowwise() - centre;
    squares = rows.squaredNorm() / static_cast<double>(rows.rows());
  } else {
    const Eigen::Map<const Eigen::VectorXd> of_rows(weights.data(), features.rows());
    centre = of_rows.transpose() * features / of_rows.sum();
    rows = features.rowwise() - centre;
    squares = of_rows.dot(rows.rowwise().squaredNorm()) / of_rows.sum();
  }
  const double deviation = std::sqrt(squares);
  if (deviation > 0 && std::isfinite(deviation)) scale = deviation;
  rows /= scale;
}

Matrix ScaledFeatures::scaled(const Matrix& features) const {
  return (features.rowwise() - centre) / scale;
}

Matrix ScaledFeatures::kernel() const {
  Matrix products = Matrix::Zero(rows.rows(), rows.rows());
  products.selfadjointView<Eigen::Lower>().rankUpdate(rows);
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();
  return products;
}

LinearModel ScaledFeatures::unscaled(LinearModel model) const {
  model.weights /= scale;
  model.offsets -= centre * model.weights;
  return model;
}

PairwiseSvm fit_linear_svm(const Matrix& features, const std::vector<int>& codes, const SvmOptions& options) {
  const ScaledFeatures scaled(features, options.sample_weights);
  const PairwiseSvm machine(scaled.kernel(), codes, options);
  LinearModel model = scaled.unscaled({Matrix(scaled.rows.transpose() * machine.coefficients()), machine.offsets()});
  return {machine.classes(), model.weights, std::move(model.offsets)};
}

}  // namespace detail

}  // namespace dsk

namespace dsk::detail {
namespace {

/// Rows in other coordinates, rows = coordinates * axes', with orthonormal axes: the weights of a penalised linear
/// model are combinations of the rows, so the optimum is the same. There are no more axes than rows.
struct PrincipalAxes {
  Matrix coordinates;            ///< (rows, axes)
  Matrix axes;                   ///< (features, axes); empty: the features themselves
  Eigen::RowVectorXd variances;  ///< mean square of each coordinate

  explicit PrincipalAxes(const Matrix& rows) {
    constexpr Index most_decomposed = 1000;
    if (rows.rows() < rows.cols())
      by_gram_matrix(rows);
    else if (rows.cols() <= most_decomposed)
      by_scatter_matrix(rows);
    else
      coordinates = rows;
    variances = coordinates.colwise().squaredNorm() / static_cast<double>(rows.rows());
  }

  Matrix weights(const Matrix& along_axes) const { return axes.size() > 0 ? Matrix(axes * along_axes) : along_axes; }

 private:
  void by_scatter_matrix(const Matrix& rows) {
    Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(rows.cols(), rows.cols());
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
    axes = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scatter).eigenvectors();
    coordinates = rows * axes;
  }

  void by_gram_matrix(const Matrix& rows) {
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(rows.rows(), rows.rows());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(rows);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
    // Axes along which rows differ by rounding only cannot be found, nor do they matter.
    const double smallest = 1e-13 * std::max(eigen.eigenvalues().maxCoeff(), std::numeric_limits<double>::min());
    const Index kept = std::max<Index>(1, (eigen.eigenvalues().array() > smallest).count());
    const Eigen::VectorXd roots = eigen.eigenvalues().tail(kept).cwiseMax(smallest).cwiseSqrt();
    const Eigen::MatrixXd vectors = eigen.eigenvectors().rightCols(kept);
    coordinates = vectors * roots.asDiagonal();
    axes = rows.transpose() * (vectors * roots.cwiseInverse().asDiagonal());
  }
};

/// The mean loss plus |V|^2 / (2 c n), as a function of D V and the offsets, one behind the other. D makes the second
/// derivatives similar in all directions, for which L-BFGS needs few iterations.
class LogisticObjective {
 public:
  /// `weights` are those of the losses, one for each row.
  LogisticObjective(const PrincipalAxes& data, std::span<const int> codes, Index classes,
                    const Eigen::VectorXd& weights)
      : data_(data), codes_(codes), classes_(classes), weights_(weights), whole_(weights.sum()) {}

  void set_c(double c) {
    const auto k = static_cast<double>(classes_);
    penalty_ = 1 / (c * whole_);
    const double curvature = classes_ > 1 ? (k - 1) / (k * k) : 1;
    metric_ = (curvature * data_.variances.array() + penalty_).sqrt();
  }

  Eigen::VectorXd packed(const Matrix& along_axes, const Eigen::RowVectorXd& offsets) const {
    Eigen::VectorXd point(along_axes.size() + classes_);
    point.head(along_axes.size()) = Matrix(metric_.transpose().asDiagonal() * along_axes).reshaped<Eigen::RowMajor>();
    point.tail(classes_) = offsets;
    return point;
  }
  Matrix along_axes(const Eigen::VectorXd& point) const {
    const Index axes = data_.coordinates.cols();
    return metric_.cwiseInverse().transpose().asDiagonal() * Eigen::Map<const Matrix>(point.data(), axes, classes_);
  }
  Eigen::RowVectorXd offsets(const Eigen::VectorXd& point) const { return point.tail(classes_).transpose(); }

  double operator()(const Eigen::VectorXd& point, Eigen::VectorXd& gradient) {
    check_interrupt();
    const Matrix v = along_axes(point);
    Matrix outputs = data_.coordinates * v;
    outputs.rowwise() += offsets(point);
    double loss = 0;
    for (Index i = 0; i < outputs.rows(); ++i) {
      const double largest = outputs.row(i).maxCoeff();
      loss += weights_[i] * (largest - outputs(i, codes_[static_cast<std::size_t>(i)]));
      outputs.row(i).array() -= largest;
    }
    exponential_in_place({outputs.data(), static_cast<std::size_t>(outputs.size())}, 1);
    for (Index i = 0; i < outputs.rows(); ++i) {
      const double sum = outputs.row(i).sum();
      loss += weights_[i] * std::log(sum);
      outputs.row(i) /= sum;
      outputs(i, codes_[static_cast<std::size_t>(i)]) -= 1;
      outputs.row(i) *= weights_[i] / whole_;
    }
    gradient.resize(point.size());
    const Matrix by_v = data_.coordinates.transpose() * outputs + penalty_ * v;
    gradient.head(v.size()) =
        Matrix(metric_.cwiseInverse().transpose().asDiagonal() * by_v).reshaped<Eigen::RowMajor>();
    gradient.tail(classes_) = outputs.colwise().sum().transpose();
    const double value = loss / whole_ + penalty_ / 2 * v.squaredNorm();
    if (value < best_value_) {
      best_value_ = value;
      best_ = point;
    }
    return value;
  }

  /// The best of all points seen since this was called last.
  Eigen::VectorXd take_best() {
    best_value_ = std::numeric_limits<double>::infinity();
    return std::exchange(best_, {});
  }

 private:
  const PrincipalAxes& data_;
  std::span<const int> codes_;
  Index classes_;
  const Eigen::VectorXd& weights_;
  double whole_;
  double penalty_ = 0;
  Eigen::RowVectorXd metric_;  ///< the diagonal of D
  double best_value_ = std::numeric_limits<double>::infinity();
  Eigen::VectorXd best_;
};

Eigen::VectorXd minimum(LogisticObjective& objective, Eigen::VectorXd start, double flat, int max_iterations) {
  LBFGSpp::LBFGSParam<double> parameters;
  parameters.m = 10;
  parameters.epsilon = flat;
  parameters.epsilon_rel = 0;
  parameters.max_iterations = max_iterations;
  parameters.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
  parameters.max_linesearch = 40;
  try {
    LBFGSpp::LBFGSSolver<double> solver(parameters);
    double value = 0;
    solver.minimize(objective, start, value);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    // The line search cannot improve on what rounding allows: the best point is the minimum.
  }
  return objective.take_best();
}

void check_logistic(const Matrix& features, std::span<const int> codes, Index classes, std::span<const double> cs,
                    const LogisticOptions& options) {
  if (features.rows() != static_cast<Index>(codes.size()))
    throw InvalidInput(fmt::format("{} rows of features do not match {} classes", features.rows(), codes.size()));
  for (const int code : codes)
    if (code < 0 || code >= classes)
      throw InvalidInput(fmt::format("class code {} is outside the {} classes", code, classes));
  if (!options.sample_weights.empty() && options.sample_weights.size() != codes.size())
    throw InvalidInput(fmt::format("{} weights do not match {} classes", options.sample_weights.size(), codes.size()));
  for (const double c : cs)
    if (!(c > 0 && std::isfinite(c))) throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
  if (options.max_iterations < 1)
    throw InvalidInput(fmt::format("max_iterations {} must be 1 or more", options.max_iterations));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InvalidInput(fmt::format("tolerance {} must be above 0 and below 1", options.tolerance));
}

Eigen::RowVectorXd prior_offsets(std::span<const int> codes, Index classes, const Eigen::VectorXd& weights) {
  Eigen::RowVectorXd counts = Eigen::RowVectorXd::Zero(classes);
  for (std::size_t i = 0; i < codes.size(); ++i) counts[codes[i]] += weights[static_cast<Index>(i)];
  const Eigen::RowVectorXd logs = counts.array().log();
  return logs.array() - logs.mean();
}

}  // namespace

std::vector<LinearModel> fit_logistic_path(const Matrix& features, std::span<const int> codes, Index classes,
                                           std::span<const double> cs, const LogisticOptions& options) {
  check_logistic(features, codes, classes, cs, options);
  const std::vector<double>& given = options.sample_weights;
  const Eigen::VectorXd weights =
      given.empty() ? Eigen::VectorXd::Ones(features.rows())
                    : Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(given.data(), features.rows()));
  const ScaledFeatures scaled(features, given);
  const PrincipalAxes data(scaled.rows);
  const std::vector<int> present = distinct({codes.begin(), codes.end()});
  const std::vector<int> own = positions_among(present, codes);
  const auto count = static_cast<Index>(present.size());
  LogisticObjective objective(data, own, count, weights);
  const Eigen::RowVectorXd priors = prior_offsets(own, count, weights);
  const Matrix no_weights = Matrix::Zero(data.coordinates.cols(), count);
  Matrix along_axes = no_weights;
  Eigen::RowVectorXd offsets = priors;
  std::vector<LinearModel> result;
  for (const double c : cs) {
    // One function, minus and plus half of it for two classes, has half the penalty of the binary model.
    objective.set_c(count == 2 ? c / 2 : c);
    Eigen::VectorXd gradient;
    objective(objective.packed(no_weights, priors), gradient);
    constexpr double rounding = 1e-14;
    const double flat = std::max(options.tolerance * gradient.norm(), rounding);
    const Eigen::VectorXd best =
        minimum(objective, objective.packed(along_axes, offsets), flat, options.max_iterations);
    along_axes = objective.along_axes(best);
    offsets = objective.offsets(best);
    const LinearModel of_present = scaled.unscaled({data.weights(along_axes), offsets});
    LinearModel model{Matrix::Zero(features.cols(), classes),
                      Eigen::RowVectorXd::Constant(classes, -std::numeric_limits<double>::infinity())};
    model.weights(Eigen::all, present) = of_present.weights;
    model.offsets(present) = of_present.offsets;
    result.push_back(std::move(model));
  }
  return result;
}

LinearModel fit_logistic(const Matrix& features, std::span<const int> codes, Index classes,
                         const LogisticOptions& options) {
  return fit_logistic_path(features, codes, classes, {&options.c, 1}, options).front();
}

}  // namespace dsk::detail
