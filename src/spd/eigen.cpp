#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>

#include "machine/aligned.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// detail::for_ranges in pieces of whole groups, lest lanes stay empty.
template <class Body>
void for_groups(Index count, int threads, double nanoseconds_each, const Body& body) {
  constexpr Index group = detail::eigen_group;
  detail::for_ranges((count + group - 1) / group, threads, static_cast<double>(group) * nanoseconds_each,
                     [&](Index first, Index last) { body(first * group, std::min(last * group, count)); });
}

/// Writes the decompositions of a piece of the batch where they belong.
class Decomposer {
 public:
  Decomposer(const SpdBatch& batch, EigenBatch& result) : batch_(batch), result_(result), dim_(batch.dim()) {}

  void in_lanes(Index first, Index last) {
    detail::AlignedArray<double> scratch(detail::eigen_scratch(dim_));
    for (Index i = first; i < last; i += detail::eigen_group) {
      const Index count = std::min(detail::eigen_group, last - i);
      const unsigned failed =
          detail::decompose_group(batch_[i].data(), count, dim_, scratch.data(), &result_.values(i, 0), vectors_of(i));
      for (Index lane = 0; lane < count; ++lane)
        if ((failed >> lane & 1U) != 0 || !trusted(i + lane)) by_jacobi(i + lane);
    }
  }

  void alone(Index first, Index last) {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dim_);
    for (Index i = first; i < last; ++i) {
      solver.compute(batch_[i]);
      result_.values.row(i) = solver.eigenvalues().reverse().transpose();
      Eigen::Map<Matrix>(vectors_of(i), dim_, dim_) = solver.eigenvectors().rowwise().reverse();
      if (solver.info() != Eigen::Success || !trusted(i)) by_jacobi(i);
    }
  }

 private:
  double* vectors_of(Index i) { return result_.vectors.values.data() + i * dim_ * dim_; }

  /// What is lost against the largest eigenvalue can even come out negative.
  bool trusted(Index i) const {
    const double smallest = static_cast<double>(dim_) * std::numeric_limits<double>::epsilon();
    return result_.values(i, dim_ - 1) > smallest * result_.values(i, 0);
  }

  void by_jacobi(Index i) {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
    detail::positive_eigen(batch_[i], values, vectors);
    result_.values.row(i) = values.transpose();
    Eigen::Map<Matrix>(vectors_of(i), dim_, dim_) = vectors;
  }

  const SpdBatch& batch_;
  EigenBatch& result_;
  Index dim_;
};

}  // namespace

EigenBatch eigen_decompose(const SpdBatch& batch, int threads) {
  const Index dim = batch.dim();
  EigenBatch result{Matrix(batch.size(), dim), {batch.size(), dim, std::vector<double>(batch.values().size())}};
  if (dim <= detail::largest_in_lanes) {
    for_groups(batch.size(), threads, detail::cubic_cost(dim, 0.6),
               [&](Index first, Index last) { Decomposer(batch, result).in_lanes(first, last); });
  } else {
    detail::for_ranges(batch.size(), threads, detail::cubic_cost(dim, 1),
                       [&](Index first, Index last) { Decomposer(batch, result).alone(first, last); });
  }
  return result;
}

MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads) {
  detail::check_shape(vectors.values.size(), vectors.count, vectors.dim);
  const Index dim = vectors.dim;
  if (values.rows() != vectors.count || values.cols() != dim)
    throw InvalidInput(fmt::format("{} x {} eigenvalues do not fit {} matrices of {} eigenvectors", values.rows(),
                                   values.cols(), vectors.count, dim));
  MatrixStack result{vectors.count, dim, std::vector<double>(vectors.values.size())};
  for_groups(vectors.count, threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    detail::AlignedArray<double> scratch(detail::eigen_scratch(dim));
    for (Index i = first; i < last; i += detail::eigen_group)
      detail::recompose_group(&values(i, 0), vectors[i].data(), std::min(detail::eigen_group, last - i), dim,
                              scratch.data(), result.values.data() + i * dim * dim);
  });
  return result;
}

}  // namespace dsk
