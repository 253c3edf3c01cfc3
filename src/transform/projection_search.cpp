#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <utility>

#include "machine/parallel.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

ProjectionSearch::ProjectionSearch(const SpdBatch& x, Matrix start, int threads, const PairSpace& space)
    : x_(x), start_(std::move(start)), threads_(threads), space_(space), w_(start_), z_(projected(start_)) {}

SpdBatch ProjectionSearch::projected(const Matrix& w) const {
  try {
    return trust(congruences(w, x_, threads_));
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("after projection: {}", error.what()));
  }
}

PairSums ProjectionSearch::sweep(const PairOptions& options) const {
  return space_.is_flat() ? PairSums(map().rows(z_), options) : PairSums(z_, options);
}

Eigen::VectorXd ProjectionSearch::start() const {
  return Eigen::Map<const Eigen::VectorXd>(start_.data(), start_.size());
}

void ProjectionSearch::apply(const Eigen::VectorXd& parameters, PairSums& sweep) {
  w_ = Eigen::Map<const Matrix>(parameters.data(), start_.rows(), start_.cols());
  z_ = projected(w_);
  space_.is_flat() ? sweep.replace_rows(map().rows(z_)) : sweep.replace(z_);
}

MatrixStack ProjectionSearch::by_projected(const WeightedInverses& found, double theta) const {
  if (space_.is_flat()) return map().pull_back(z_, by_rows(found, theta));
  MatrixStack by_z = found.sums;
  for_ranges(z_.size(), threads_, cubic_cost(z_.dim(), 1), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      Eigen::Map<Matrix> sum(by_z.values.data() + i * z_.dim() * z_.dim(), z_.dim(), z_.dim());
      const Matrix inverse = z_[i].llt().solve(Matrix::Identity(z_.dim(), z_.dim()));
      const Matrix gradient = -theta * (sum - found.weight_sums[i] * inverse);
      sum = (gradient + gradient.transpose()) / 2;
    }
  });
  return by_z;
}

Eigen::VectorXd ProjectionSearch::pull_back(const WeightedInverses& found, double theta) const {
  const Matrix by_w = pull_back_projection(w_, x_, by_projected(found, theta), threads_);
  return Eigen::Map<const Eigen::VectorXd>(by_w.data(), by_w.size());
}

double ProjectionSearch::penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const {
  const Eigen::VectorXd moved = parameters - start();
  gradient.head(parameters.size()) += 2 * factor * moved;
  return moved.squaredNorm();
}

Transform ProjectionSearch::at(const Eigen::VectorXd& parameters) const {
  return Transform(Projection{Eigen::Map<const Matrix>(parameters.data(), start_.rows(), start_.cols())});
}

}  // namespace dsk::detail
