#pragma once

#include <dsk/engine.hpp>
#include <dsk/transform.hpp>

#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "machine/aligned.hpp"
#include "metric/metric.hpp"

namespace dsk {

/// As for a batch, of which this is the decomposition.
SpdBatch adjust(const EigenBatch& eigen, const EigenvalueAdjustment& adjustment, int threads = 0);

}  // namespace dsk

namespace dsk::detail {

/// The smallest part of its matrix's largest eigenvalue that an adjusted one may be.
double smallest_adjusted_ratio(Index dim);

/// The logarithms of adjusted eigenvalues, (n, d).
Matrix adjusted_log_eigenvalues(const Matrix& eigenvalues, const EigenvalueAdjustment& adjustment);

/// M^-1/2: projected by it, matrices with the mean M have the unit matrix as their mean.
Matrix whitening_of(const Matrix& mean);

/// The same data set with each group recentred by its own mean; `stop` as for recentre_groups. Throws InvalidInput for
/// data without groups.
Dataset recentred_by_groups(const Dataset& data, int threads, Mean::Stop* stop = nullptr);

/// W' X_i W of every matrix, exactly symmetric.
MatrixStack congruences(const Matrix& w, const SpdBatch& x, int threads);

/// 2 sum_i X_i W G_i for symmetric G_i, with the same bits for any number of threads.
Matrix pull_back_projection(const Matrix& w, const SpdBatch& x, const MatrixStack& by_result, int threads);

/// Applies a transform to one matrix after the other without allocating memory, up to d = 128.
class MatrixTransform {
 public:
  explicit MatrixTransform(const Transform& transform);
  ~MatrixTransform();
  MatrixTransform(MatrixTransform&&) noexcept;

  /// Takes a symmetric positive definite matrix. The answer is valid until the next call. Null for a matrix that needs
  /// the care of Transform::apply.
  const double* operator()(const double* matrix);

  class Step;

 private:
  std::vector<std::unique_ptr<Step>> steps_;
};

/// How transformed matrices are compared while a transform is searched for: by the Stein divergence, or by a metric
/// that is Euclidean after a map.
struct PairSpace {
  Metric metric = Metric::stein;
  double zeta = 0.5;       ///< of the power-Euclidean metric
  bool free_zeta = false;  ///< searched for too, in the logarithm; of the power-Euclidean metric only

  bool is_flat() const { return metric != Metric::stein; }
};

/// dJ/d(row) from sums over pairs of rows: -4 theta sum_j c_ij (p_i - p_j).
inline Matrix by_rows(const WeightedInverses& found, double theta) {
  return -4 * theta * found.differences;
}

/// A transform of a training set while the best parameters are searched for.
class TransformSearch {
 public:
  virtual ~TransformSearch() = default;
  /// A sweep over the training set, for `apply` to change.
  virtual PairSums sweep(const PairOptions& options) const = 0;
  /// Where the search begins.
  virtual Eigen::VectorXd start() const = 0;
  /// Puts the transformed training set into the sweep. Throws NumericalFailure where it leaves the range of double.
  virtual void apply(const Eigen::VectorXd& parameters, PairSums& sweep) = 0;
  /// dJ/d(parameters) at the parameters applied last, where dJ/dZ_i = -theta (A_i - r_i Z_i^-1) with A_i and r_i from
  /// the sweep: its parts where `found` is a part.
  virtual Eigen::VectorXd pull_back(const WeightedInverses& found, double theta) const = 0;
  /// The squared distance from `start`; adds its derivatives times `factor` to the gradient.
  virtual double penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const = 0;
  virtual Transform at(const Eigen::VectorXd& parameters) const = 0;
};

/// Derivatives by a_z and b_z of log lam~_z = a_z (log(lam_z / scale) - m_z) + m_z + b_z.
struct AdjustmentDerivatives {
  Eigen::VectorXd by_slope;
  Eigen::VectorXd by_intercept;
  double by_zeta = 0;  ///< of the power-Euclidean metric
};

/// The search for adjusted eigenvalues. Works with the forms u'Au along eigenvectors, never with whole matrices A. The
/// parameters are alpha (its logarithm for `coefficient`), then beta for `affine`, then log zeta where that is free.
class EigenvalueSearch : public TransformSearch {
 public:
  /// Decomposes the matrices. `first` is where the search begins and says which kind, scale and centre the result shall
  /// have; its beta is 0.
  EigenvalueSearch(const SpdBatch& x, int threads, const PairSpace& space = {});
  void set_first(EigenvalueAdjustment first) { first_ = std::move(first); }

  /// Logarithms of the eigenvalues, descending, (n, d).
  const Matrix& log_eigenvalues() const { return log_eigenvalues_; }
  /// The training set as it is; for a metric that depends on units, divided by the scale of `first`.
  void apply_plain(PairSums& sweep);
  void apply(const EigenvalueAdjustment& adjustment, double zeta, PairSums& sweep);
  AdjustmentDerivatives derivatives(const WeightedInverses& found, double theta) const;
  EigenvalueAdjustment adjustment(const Eigen::VectorXd& parameters) const;
  double zeta(const Eigen::VectorXd& parameters) const;

  PairSums sweep(const PairOptions& options) const override;
  Eigen::VectorXd start() const override;
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override;
  Eigen::VectorXd pull_back(const WeightedInverses& found, double theta) const override;
  double penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const override;
  Transform at(const Eigen::VectorXd& parameters) const override;

 private:
  /// Of alpha and beta.
  Index adjusting() const { return (first_.kind == Adjustment::affine ? 2 : 1) * x_.dim(); }
  FlatMap map(double zeta) const { return {space_.metric, zeta, threads_}; }

  SpdBatch x_;
  int threads_;
  PairSpace space_;
  EigenBatch eigen_;
  Matrix log_eigenvalues_;
  EigenvalueAdjustment first_;
  // Of the adjustment applied last.
  EigenvalueAdjustment applied_;
  Matrix adjusted_logs_;
  double applied_zeta_;
};

/// The search for W of Z = W' X W, near where it starts. Matrices should be whitened by their mean, so that the penalty
/// treats all directions alike.
class ProjectionSearch : public TransformSearch {
 public:
  /// A free zeta stays as it is.
  ProjectionSearch(const SpdBatch& x, Matrix start, int threads, const PairSpace& space = {});

  /// W'XW at the parameters applied last, at first the start. Throws NumericalFailure, as `project` does, unless they
  /// are positive definite.
  SpdBatch projected() const;

  PairSums sweep(const PairOptions& options) const override;
  Eigen::VectorXd start() const override;
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override;
  Eigen::VectorXd pull_back(const WeightedInverses& found, double theta) const override;
  double penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const override;
  Transform at(const Eigen::VectorXd& parameters) const override;

 private:
  /// By the W in use.
  MatrixStack congruences_of_all();
  FlatMap map() const { return {space_.metric, space_.zeta, threads_}; }
  MatrixStack by_projected(const WeightedInverses& found, double theta) const;

  SpdBatch x_;
  Matrix start_;
  int threads_;
  PairSpace space_;
  // Of the parameters applied last.
  Matrix w_;
  AlignedArray<double> halves_;  ///< X_i W, which the gradient needs again
  SpdBatch z_;
};

}  // namespace dsk::detail
