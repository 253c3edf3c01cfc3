#include "engine/cpu/large_stein.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/cpu/packed.hpp"
#include "engine/engine.hpp"
#include "machine/blocked_factor.hpp"
#include "machine/lapack.hpp"
#include "machine/large_pages.hpp"
#include "machine/lender.hpp"
#include "machine/parallel.hpp"

namespace dsk {

namespace engine {

bool has_large_logdets(Index dim) {
  return detail::lapack::takes(detail::lapack::crossover().stein, dim);
}

bool is_one_by_one(Index factors, Index dim, int threads) {
  return detail::is_factored_by_threads(dim) && 2 * factors <= threads;
}

double logdet_in_place(double* matrix, Index dim, int threads) {
  if (!detail::factor_by_threads(matrix, dim, threads)) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (Index r = 0; r < dim; ++r) sum += std::log(matrix[r * dim + r]);
  return 2 * sum;
}

}  // namespace engine

namespace {

/// Whether all matrices are finite and exactly symmetric, with positive diagonals: what is checked before they are
/// factored.
bool are_fit(const StackView& matrices, int threads) {
  const Index dim = matrices.rows;
  std::atomic<bool> all_fit = true;
  detail::for_ranges(matrices.count, threads, static_cast<double>(dim * dim), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double* const x = matrices.values.data() + i * dim * dim;
      detail::SymmetryScan scan;
      detail::scan_symmetry(x, dim, 0, dim, scan);
      bool fit = scan.finite && scan.asymmetry == 0;
      for (Index k = 0; k < dim; ++k) fit = fit && x[k * dim + k] >= std::numeric_limits<double>::min();
      if (!fit) all_fit = false;
    }
  });
  return all_fit;
}

/// Stein divergences of large matrices that nobody has checked, with the bits of the sweep over tiles. The factor of
/// each matrix serves for its check as well, and pairs are added up from the matrices as they are.
class LargeStein {
 public:
  LargeStein(const StackView& x, const StackView* y, const PairOptions& options)
      : x_(x), y_(y), dim_(x.rows), options_(options), scale_(x, y) {}

  std::optional<Matrix> run() {
    if (!find_halves(x_, row_halves_) || (y_ != nullptr && !find_halves(*y_, column_halves_))) return {};
    const Index rows = x_.count, columns = y_ != nullptr ? y_->count : rows;
    Matrix result = Matrix::Zero(rows, columns);
    const bool all_right = for_matrices(
        rows * columns, y_ != nullptr ? rows * columns : rows * (rows - 1) / 2,
        [&](Index pair, double* square, int threads) {
          const Index i = pair / columns, j = pair % columns;
          if (y_ == nullptr && j <= i) return true;
          add_halves(matrix(x_, i), matrix(y_ != nullptr ? *y_ : x_, j), square);
          const double logdet = engine::logdet_in_place(square, dim_, threads);
          result(i, j) =
              std::max(0.0, logdet - (half(row_halves_, i) + half(y_ != nullptr ? column_halves_ : row_halves_, j)));
          if (y_ == nullptr) result(j, i) = result(i, j);
          return !std::isnan(logdet);
        });
    if (!all_right) return {};
    return result;
  }

 private:
  using Halves = std::vector<double>;
  /// Memory for a matrix.
  struct Square {
    explicit Square(Index dim) : values(dim * dim) {
      detail::use_large_pages(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
    }
    engine::AlignedArray<double> values;
  };
  using SquareLender = detail::Lender<Square>;

  const double* matrix(const StackView& matrices, Index i) const { return matrices.values.data() + i * dim_ * dim_; }
  static double half(const Halves& halves, Index i) { return halves[static_cast<std::size_t>(i)]; }

  /// Half of each scaled matrix, as PackedBatch has it, and the sum of two of them.
  void add_halves(const double* x, const double* y, double* square) const {
    for (Index r = 0; r < dim_; ++r) {
      const double by_row = scale_.factor(r);
      for (Index c = 0; c <= r; ++c) {
        const double first = 0.5 * (x[r * dim_ + c] * by_row) * scale_.factor(c);
        const double second = 0.5 * (y[r * dim_ + c] * by_row) * scale_.factor(c);
        square[r * dim_ + c] = first + second;
      }
    }
  }

  /// log det / 2 of every matrix. False if one is not certainly valid.
  bool find_halves(const StackView& matrices, Halves& halves) const {
    halves.resize(static_cast<std::size_t>(matrices.count));
    return for_matrices(matrices.count, matrices.count, [&](Index i, double* square, int threads) {
      const double* const x = matrix(matrices, i);
      add_halves(x, x, square);
      Halves roots(static_cast<std::size_t>(dim_));
      for (Index k = 0; k < dim_; ++k) roots[static_cast<std::size_t>(k)] = std::sqrt(square[k * dim_ + k]);
      const double logdet = engine::logdet_in_place(square, dim_, threads);
      halves[static_cast<std::size_t>(i)] = logdet / 2;
      return !std::isnan(logdet) && detail::is_surely_well_conditioned(square, dim_, roots.data());
    });
  }

  /// Calls work(k, room for a matrix, threads to use inside) for k from 0 to before `count`, `factors` of which take
  /// time. False as soon as one call returns that.
  template <class Work>
  bool for_matrices(Index count, Index factors, const Work& work) const {
    const double cost = detail::cubic_cost(dim_, 0.03);
    const int all = detail::worker_count(options_.threads, static_cast<double>(factors) * cost);
    const bool one_by_one = engine::is_one_by_one(factors, dim_, all);
    std::atomic<bool> all_right = true;
    detail::for_ranges(count, one_by_one ? 1 : all, cost, [&](Index first, Index last) {
      SquareLender::Loan square(lender_, dim_);
      for (Index k = first; k < last && all_right; ++k)
        if (!work(k, square->values.data(), one_by_one ? all : 1)) all_right = false;
    });
    return all_right;
  }

  StackView x_;
  const StackView* y_;
  Index dim_;
  const PairOptions& options_;
  engine::CoordinateScale scale_;
  Halves row_halves_, column_halves_;
  mutable SquareLender lender_;
};

}  // namespace

std::optional<Matrix> stein_of_large(const StackView& x, const StackView* y, const PairOptions& options) {
  const bool is_plain =
      options.device == Device::cpu && options.precision == Precision::float64 && options.team == nullptr;
  if (!is_plain || !engine::has_large_logdets(x.rows)) return {};
  if (!are_fit(x, options.threads) || (y != nullptr && !are_fit(*y, options.threads))) return {};
  return LargeStein(x, y, options).run();
}

}  // namespace dsk
