#pragma once

#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "metric/metric.hpp"
#include "transform/transform.hpp"

namespace dsk {

/// Throws InvalidInput, listing the valid values, unless theta is finite, above 0, and valid or allowed not to be.
void check_theta(Metric metric, double theta, Index dim, bool allow_indefinite = false);

/// Matrices for which all that a comparison does once per matrix is done, to be compared many times: their eigenvalues
/// are adjusted, or they are mapped to where the metric is Euclidean.
class ComparedBatch {
 public:
  ComparedBatch(const Comparison& comparison, const SpdBatch& batch, int threads = 0);

  Index size() const;
  Index dim() const { return dim_; }
  /// Those from `first` on.
  ComparedBatch slice(Index first, Index count) const;
  /// The adjusted matrices, or null if the metric is Euclidean after its map.
  const SpdBatch* matrices() const { return std::get_if<SpdBatch>(&points_); }
  /// The mapped matrices as rows, or null.
  const Matrix* coordinates() const { return std::get_if<Matrix>(&points_); }
  Metric metric() const { return metric_; }

 private:
  ComparedBatch(Metric metric, Index dim, std::variant<SpdBatch, Matrix> points);

  Metric metric_;
  Index dim_;
  std::variant<SpdBatch, Matrix> points_;
};

/// The same, of batches made by equal comparisons. Throws InvalidInput if their sizes or metrics differ.
Matrix pairwise_squared_distances(const ComparedBatch& x, const PairOptions& options = {});
Matrix pairwise_squared_distances(const ComparedBatch& x, const ComparedBatch& y, const PairOptions& options = {});

/// Compares one matrix after the other with prepared ones, in the calling thread and without allocating memory, up to
/// d = 128.
class ComparedQuery {
 public:
  ComparedQuery(const Comparison& comparison, const ComparedBatch& known);

  /// The squared distances of a symmetric positive definite matrix, valid until the next call, for the caller to
  /// change. Empty for a matrix that needs the care of the functions for batches.
  std::span<double> operator()(const double* matrix);

 private:
  std::optional<detail::MatrixTransform> adjust_;
  std::unique_ptr<DistanceQuery> query_;
  std::vector<double> squared_;
};

/// The support vector machine's dual: the eta >= 0 that maximise sum(eta) - (eta t)'K(eta t)/2 with sum(eta t) = 0 and
/// eta <= bound. For the L2-norm soft margin add 1/C to the diagonal of K and leave the bound infinite.
struct MarginDual {
  Eigen::VectorXd eta;
  double squared_norm = 0;  ///< |w|^2
  double offset = 0;        ///< b of the decision value sum_j eta_j t_j k(x_j, x) + b
};

/// `signs` are +1 or -1, both present. A support set tried first (from a similar problem) may save most of the work;
/// the solution does not depend on it. Throws InvalidInput for other signs, sizes that do not fit, kernel values that
/// are not finite, and a bound that is not above 0.
MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs,
                        double bound = std::numeric_limits<double>::infinity(), const MarginDual* similar = nullptr);

/// The same with a bound of its own for either sign, as classes of different weight want it.
struct MarginBounds {
  double positive = std::numeric_limits<double>::infinity();
  double negative = std::numeric_limits<double>::infinity();
};
MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const MarginBounds& bounds,
                        const MarginDual* similar = nullptr);
/// The same with a finite bound for each point.
MarginDual solve_margin(const Matrix& kernel, std::span<const int> signs, const Eigen::VectorXd& bounds);

/// The same for several finite bounds, each not below the one before it. Each solution starts from the one before,
/// and is that one where no bound was reached.
std::vector<MarginDual> solve_margin_path(const Matrix& kernel, std::span<const int> signs,
                                          std::span<const MarginBounds> bounds);

/// The smallest ball around all points in feature space, for a kernel with equal diagonal entries: its centre is
/// sum_i beta_i phi(x_i), with beta >= 0 and sum(beta) = 1.
struct BallDual {
  Eigen::VectorXd beta;
  double squared_radius = 0;
};

/// Throws InvalidInput for a kernel that is not square or not finite.
BallDual solve_ball(const Matrix& kernel, const BallDual* similar = nullptr);

/// 1 - |phi|^2 for one row of features, never negative: the squared distance of a matrix from what landmarks can say.
double residual(const Eigen::Ref<const Eigen::RowVectorXd>& features);

}  // namespace dsk

namespace dsk::detail {

/// What public classes keep for the library alone: matrices prepared for comparison, and the parts that a model is made
/// of.
struct Inside {
  template <class Owner>
  static const auto& compared(const Owner& owner) {
    return *owner.compared_;
  }
  template <class Model>
  static const auto& prepared(const Model& model) {
    return *model.prepared_;
  }
  template <class Model>
  static const auto& parts(const Model& model) {
    return *model.parts_;
  }
  template <class Model, class... Parts>
  static Model made_of(Parts&&... parts) {
    return Model(std::forward<Parts>(parts)...);
  }
};

/// Whether a kernel adjusts nothing but divides by a scale, on which the metric depends.
bool only_scales(const LearnedKernel& kernel);

/// Of x with itself if y is null. In the order of the true squared distances even where these leave double's range.
SquaredDistances compare(const ComparedBatch& x, const ComparedBatch* y, const PairOptions& options);

/// theta itself, or the nearest half integer above 0 where the kernel is not positive definite for theta.
double nearest_valid_theta(Metric metric, double theta, Index dim);
/// The same with the next larger half integer.
double next_valid_theta(Metric metric, double theta, Index dim);

/// The size of the matrices that are compared, which decides whether theta is valid.
inline Index compared_dim(const Comparison& comparison, Index dim) {
  return comparison.learned ? comparison.learned->result_dim() : dim;
}

/// Matrices prepared for each part of a combined kernel.
std::vector<ComparedBatch> compared_parts(const CombinedKernel& kernel, const SpdBatch& x, int threads);

/// The values of a combined kernel with those of a model, in blocks of rows: calls visit(first row, kernel values).
void visit_combined_blocks(const CombinedKernel& kernel, const SpdBatch& x, std::span<const ComparedBatch> known,
                           const PairOptions& options, const std::function<void(Index first, Matrix kernel)>& visit);

/// The median of the values of different matrices, those above the diagonal; 0 where there are none. With
/// `positive_only` values that are not above 0 do not count.
double median_above_diagonal(const Matrix& values, bool positive_only = false);

/// Throws InvalidInput, naming the first, if a kernel value is not a finite number.
void check_kernel_values(const Matrix& kernel);

/// Throws InvalidInput for matrices of another size than the model's.
inline void check_model_dim(Index rows, Index columns, Index dim) {
  if (rows != dim || columns != dim)
    throw InvalidInput(fmt::format("the model is for {} x {} matrices, not for {} x {}", dim, dim, rows, columns));
}

/// Of `count` rows with so many columns, those whose pairs do not take much memory.
inline Index rows_at_a_time(Index columns, Index count) {
  constexpr Index entries = Index{1} << 22;
  return std::clamp<Index>(entries / columns, 64, std::max<Index>(64, count));
}

/// The comparisons of new matrices with those of a model, in blocks of rows, so that memory is bounded for any number
/// of both: calls visit(first row, squared distances).
template <class Visitor>
void visit_row_blocks(const Comparison& comparison, const SpdBatch& x, const ComparedBatch& known,
                      const PairOptions& options, const Visitor& visit) {
  check_model_dim(x.dim(), x.dim(), known.dim());
  const Index rows = rows_at_a_time(known.size(), x.size());
  const ComparedBatch points(comparison, x, options.threads);
  for (Index first = 0; first < x.size(); first += rows) {
    const ComparedBatch block = points.slice(first, std::min(rows, x.size() - first));
    try {
      visit(first, compare(block, &known, options));
    } catch (const PairFailure& failure) {
      throw PairFailure(failure.row() + first, failure.column());
    }
  }
}

}  // namespace dsk::detail
