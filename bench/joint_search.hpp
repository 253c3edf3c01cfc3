#pragma once

#include <dsk/learn.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <utility>
#include <vector>

#include "learn/learn.hpp"
#include "transform/transform.hpp"

namespace dsk::bench {

inline constexpr double relative_penalty = 0.01;  ///< of the criterion of the plain kernel, for eigenvalues
inline constexpr double subspace_penalty = 0.01;

/// Thetas for which the Stein kernel of matrices of this size is positive definite.
inline std::vector<double> valid_thetas(Index dim) {
  const double bound = static_cast<double>(dim - 1) / 2;
  std::vector<double> thetas;
  for (double theta = 0.5; theta < bound; theta += 0.5) thetas.push_back(theta);
  for (int k = 0; k < 100; ++k) thetas.push_back(bound * std::pow(1.1, k));
  return thetas;
}

/// W and the powers of the eigenvalues of W'XW together.
class JointSearch : public detail::TransformSearch {
 public:
  JointSearch(const SpdBatch& x, Matrix w, double alpha_penalty)
      : x_(x), w_(std::move(w)), alpha_penalty_(alpha_penalty), z_(at(start()).apply(x_, 1)) {}

  PairSums sweep(const PairOptions& options) const override { return PairSums(z_, options); }
  Eigen::VectorXd start() const override {
    Eigen::VectorXd point(w_.size() + w_.cols());
    point << Eigen::Map<const Eigen::VectorXd>(w_.data(), w_.size()), Eigen::VectorXd::Ones(w_.cols());
    return point;
  }
  void apply(const Eigen::VectorXd& parameters, PairSums& sweep) override {
    parameters_ = parameters;
    z_ = at(parameters).apply(x_, 1);
    sweep.replace(z_);
  }
  Eigen::VectorXd pull_back(const WeightedInverses& found, double theta) const override {
    MatrixStack by_z = found.sums;
    for (Index i = 0; i < by_z.count; ++i) {
      Eigen::Map<Matrix> sum(by_z.values.data() + i * by_z.dim * by_z.dim, by_z.dim, by_z.dim);
      const Matrix gradient =
          -theta * (sum - found.weight_sums[i] * Matrix(z_[i].llt().solve(Matrix::Identity(by_z.dim, by_z.dim))));
      sum = (gradient + gradient.transpose()) / 2;
    }
    return at(parameters_).pull_back(x_, by_z, 1);
  }
  /// Of W; that of alpha in the same units.
  double penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const override {
    Eigen::VectorXd moved = parameters - start();
    const double of_alpha = moved.tail(w_.cols()).squaredNorm() * alpha_penalty_ / subspace_penalty;
    const double of_w = moved.head(w_.size()).squaredNorm();
    moved.tail(w_.cols()) *= alpha_penalty_ / subspace_penalty;
    gradient.head(parameters.size()) += 2 * factor * moved;
    return of_w + of_alpha;
  }
  Transform at(const Eigen::VectorXd& parameters) const override {
    auto adjustment = EigenvalueAdjustment::none(w_.cols());
    adjustment.alpha = parameters.tail(w_.cols());
    const Matrix w = Eigen::Map<const Matrix>(parameters.data(), w_.rows(), w_.cols());
    return Transform(Projection{w}).then(Transform(adjustment));
  }

 private:
  SpdBatch x_;
  Matrix w_;
  double alpha_penalty_;
  Eigen::VectorXd parameters_;
  SpdBatch z_;
};

}  // namespace dsk::bench
