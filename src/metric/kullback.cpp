#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "metric/mean.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// What a divergence needs of each matrix. Those in units that are far from 1 are divided by 2^exponent.
struct GaussianBatch {
  GaussianBatch(const double* matrices_, Index count_, Index dim_)
      : matrices(matrices_),
        count(count_),
        dim(dim_),
        width(dim_ * (dim_ + 1) / 2),
        rows(count_ * width),
        inverses((count_ + eigen_group - 1) / eigen_group * eigen_group * width),
        logdets(count_),
        conditions(count_),
        exponents(static_cast<std::size_t>(count_)) {}

  const double* matrices;
  Index count, dim, width;
  AlignedArray<double> rows;      ///< lower triangles
  AlignedArray<double> inverses;  ///< the same in groups, what is below the diagonal doubled: products are traces
  Eigen::VectorXd logdets;        ///< of the divided matrices
  Eigen::VectorXd conditions;     ///< |X| |X^-1|, Frobenius norms
  std::vector<int> exponents;

  const double* matrix(Index i) const { return matrices + i * dim * dim; }
  MatrixView view(Index i) const { return {matrix(i), dim, dim}; }
  int exponent(Index i) const { return exponents[static_cast<std::size_t>(i)]; }
  double* group(Index g) { return inverses.data() + g * width * eigen_group; }
  const double* group(Index g) const { return inverses.data() + g * width * eigen_group; }
};

/// What a matrix is divided by: a power of four near its largest entry, or 1 where squares stay in range anyway.
int exponent_of(const MatrixView& x) {
  constexpr int harmless = 200;
  const int exponent = std::ilogb(x.diagonal().maxCoeff());
  return std::abs(exponent) <= harmless ? 0 : std::clamp(exponent, -1000, 1000) / 2 * 2;
}

Matrix divided(const MatrixView& x, int exponent) {
  return exponent == 0 ? Matrix(x) : x.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); });
}

Matrix factor_of(const GaussianBatch& x, Index i) {
  const Matrix scaled = divided(x.view(i), x.exponent(i));
  Matrix lower;
  cholesky_factor({scaled.data(), x.dim, x.dim}, lower);
  return lower;
}

/// Puts in the inverse of one matrix.
void invert_one(GaussianBatch& x, Index i) {
  const Matrix lower = factor_of(x, i);
  Matrix inverse_factor, inverse(x.dim, x.dim);
  invert_from_factor(lower, inverse_factor, inverse);
  double* entry = x.group(i / eigen_group) + i % eigen_group;
  for (Index r = 0; r < x.dim; ++r)
    for (Index c = 0; c <= r; ++c, entry += eigen_group) *entry = r == c ? inverse(r, r) : 2 * inverse(r, c);
  x.logdets(i) = 2 * lower.diagonal().array().log().sum();
}

/// Puts in the lower triangles of a group and what its conditions are: inverses must be there.
void finish_group(GaussianBatch& x, Index g) {
  using Lanes = Eigen::Array<double, eigen_group, 1>;
  const Eigen::Map<const Eigen::Array<double, eigen_group, Eigen::Dynamic>> inverses(x.group(g), eigen_group, x.width);
  Lanes all = Lanes::Zero(), diagonal = Lanes::Zero();
  for (Index r = 0, element = 0; r < x.dim; ++r) {
    for (Index c = 0; c < r; ++c, ++element) all += inverses.col(element).square();
    diagonal += inverses.col(element++).square();
  }
  for (Index i = g * eigen_group; i < std::min((g + 1) * eigen_group, x.count); ++i) {
    const double* const matrix = x.matrix(i);
    double* row = x.rows.data() + i * x.width;
    double squares = 0;
    for (Index r = 0; r < x.dim; ++r) {
      const Eigen::Map<const Eigen::ArrayXd> lower(matrix + r * x.dim, r + 1);
      Eigen::Map<Eigen::ArrayXd> to(row, r + 1);
      to = lower;
      if (x.exponent(i) != 0) to *= std::ldexp(1.0, -x.exponent(i));
      squares += 2 * to.square().sum() - to(r) * to(r);
      row += r + 1;
    }
    const Index lane = i % eigen_group;
    x.conditions(i) = std::sqrt(squares * (all(lane) / 2 + diagonal(lane)));
  }
}

/// Fills in everything. False if the matrices are `unchecked` and one of them is not certainly valid and exactly
/// symmetric.
bool prepare(GaussianBatch& x, bool unchecked, int threads) {
  const bool in_lanes = x.dim <= largest_checked_in_lanes;
  if (unchecked && !in_lanes) return false;
  const Index groups = (x.count + eigen_group - 1) / eigen_group;
  const double cost = eigen_group * cubic_cost(x.dim, in_lanes ? 0.1 : 1);
  std::atomic<bool> all_valid = true;
  for_ranges(groups, threads, cost, [&](Index first, Index last) {
    AlignedArray<double> scratch(in_lanes ? check_scratch(x.dim) : 1);
    for (Index g = first; g < last && all_valid; ++g) {
      const Index begin = g * eigen_group, count = std::min(eigen_group, x.count - begin);
      double units[eigen_group];
      for (Index k = 0; k < count; ++k) {
        const int exponent = x.exponents[static_cast<std::size_t>(begin + k)] = exponent_of(x.view(begin + k));
        units[k] = std::ldexp(1.0, exponent / 2);
      }
      unsigned factored = 0;
      if (in_lanes) {
        const InverseForm form{.inverses = x.group(g), .off_diagonal = 2, .units = units};
        const GroupInverse found =
            invert_group(x.matrix(begin), count, x.dim, symmetry_tolerance, form, scratch.data());
        if (unchecked && (found.check.valid & found.check.exact) + 1 != 1U << count) {
          all_valid = false;
          return;
        }
        std::copy_n(found.logdets, count, x.logdets.data() + begin);
        factored = found.factored;
      }
      for (Index k = 0; k < count; ++k)
        if ((factored >> k & 1U) == 0) invert_one(x, begin + k);
      finish_group(x, g);
    }
  });
  return all_valid;
}

GaussianBatch prepared_for_kullback(const SpdBatch& batch, int threads) {
  GaussianBatch result(batch.values().data(), batch.size(), batch.dim());
  prepare(result, false, threads);
  return result;
}

/// The same from the Cholesky factors as a sum of terms that are all positive: with G = L_Y^-1 L_X it is
/// (sum of g_ii^2 - 1 - log g_ii^2, and of the squares below the diagonal) / 2.
double kullback_of_factors(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j) {
  const double ratio = std::exp2(0.5 * (x.exponent(i) - y.exponent(j)));
  Matrix g = factor_of(x, i);
  factor_of(y, j).triangularView<Eigen::Lower>().solveInPlace(g);
  double sum = 0;
  for (Index r = 0; r < x.dim; ++r) {
    sum += g.row(r).head(r).squaredNorm() * ratio * ratio;
    const double beyond_one = std::fma(g(r, r), ratio, -1.0);
    sum += beyond_one * beyond_one + 2 * (beyond_one - std::log1p(beyond_one));
  }
  return sum / 2;
}

bool are_equal(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j) {
  return std::equal(x.matrix(i), x.matrix(i) + x.dim * x.dim, y.matrix(j));
}

/// Similar matrices leave little of the trace, and its rounding errors would count. Factors have them squared.
bool loses_digits(double value, double trace, double row_error, double column_condition) {
  constexpr double allowed = 1e-10;
  const double error = std::numeric_limits<double>::epsilon() * column_condition * trace + row_error;
  return value < trace / 8 && !(error <= allowed * value);
}

double error_of_row(const GaussianBatch& x, Index i) {
  return std::numeric_limits<double>::epsilon() * x.conditions(i) * static_cast<double>(x.dim);
}

/// (tr(Y^-1 X) - d + log det Y - log det X) / 2, given the trace of the divided matrices.
double kullback_of_pair(const GaussianBatch& x, Index i, const GaussianBatch& y, Index j, double trace) {
  const auto d = static_cast<double>(x.dim);
  const int exponents = x.exponent(i) - y.exponent(j);
  double value = 0;
  if (exponents == 0) {
    value = (trace - d + (y.logdets(j) - x.logdets(i))) / 2;
  } else {
    trace = std::scalbn(trace, exponents);
    value = (trace - d + (y.logdets(j) - x.logdets(i) - d * std::numbers::ln2 * exponents)) / 2;
  }
  if (!loses_digits(value, trace, error_of_row(x, i), y.conditions(j))) return value;
  return are_equal(x, i, y, j) ? 0 : kullback_of_factors(x, i, y, j);
}

bool has_units(const GaussianBatch& x) {
  return std::any_of(x.exponents.begin(), x.exponents.end(), [](int exponent) { return exponent != 0; });
}

/// Pairs that are computed together.
constexpr Index block_rows = 16, block_columns = 64;
struct KullbackBlock {
  Index row, rows, column, columns;
};

/// Replaces the traces of a block, rows of which are block_columns apart, by divergences.
void finish_block(const GaussianBatch& x, const GaussianBatch& y, const KullbackBlock& block, double* values) {
  const auto d = static_cast<double>(x.dim);
  const double* const logdets = y.logdets.data() + block.column;
  const double* const conditions = y.conditions.data() + block.column;
  const bool in_units = has_units(x) || has_units(y);
  for (Index r = 0; r < block.rows; ++r) {
    const Index i = block.row + r;
    double* const traces = values + r * block_columns;
    const double logdet = x.logdets(i), row_error = error_of_row(x, i);
    const auto finish = [&](Index first, Index last) {
      // Most rows have no pair that needs care.
      double found[block_columns];
      Index doubtful = 0;
      for (Index j = first; j < last; ++j) {
        found[j] = (traces[j] - d + (logdets[j] - logdet)) / 2;
        doubtful += static_cast<Index>(loses_digits(found[j], traces[j], row_error, conditions[j]));
      }
      if (doubtful == 0 && !in_units)
        std::copy(found + first, found + last, traces + first);
      else
        for (Index j = first; j < last; ++j) traces[j] = kullback_of_pair(x, i, y, block.column + j, traces[j]);
    };
    const Index itself = &x == &y ? i - block.column : -1;
    if (itself < 0 || itself >= block.columns) {
      finish(0, block.columns);
      continue;
    }
    finish(0, itself);
    traces[itself] = 0;
    finish(itself + 1, block.columns);
  }
}

enum class Way { there, back };

/// Row i and column j have the divergence of x[i] from y[j], or of y[j] from x[i] in the transpose of that.
Matrix kullback_of(const GaussianBatch& x, const GaussianBatch& y, int threads, Way way = Way::there) {
  Matrix result(way == Way::there ? x.count : y.count, way == Way::there ? y.count : x.count);
  const Index row_blocks = (x.count + block_rows - 1) / block_rows;
  const Index column_blocks = (y.count + block_columns - 1) / block_columns;
  const double nanoseconds = (0.05 * static_cast<double>(x.width) + 3) * block_rows * block_columns;
  for_ranges(row_blocks * column_blocks, threads, nanoseconds, [&](Index first, Index last) {
    alignas(64) double values[block_rows * block_columns];
    for (Index k = first; k < last; ++k) {
      const Index row = k / column_blocks * block_rows, column = k % column_blocks * block_columns;
      const KullbackBlock block{row, std::min(block_rows, x.count - row), column,
                                std::min(block_columns, y.count - column)};
      engine::row_products_tile({x.rows.data() + row * x.width, block.rows, y.group(column / eigen_group),
                                 (block.columns + eigen_group - 1) / eigen_group, x.width},
                                values, block_columns);
      finish_block(x, y, block, values);
      for (Index r = 0; r < block.rows; ++r) {
        const double* const from = values + r * block_columns;
        if (way == Way::there)
          std::copy_n(from, block.columns, &result(row + r, column));
        else
          for (Index j = 0; j < block.columns; ++j) result(column + j, row + r) = from[j];
      }
    }
  });
  return result;
}

Matrix harmonic_mean_of(const WeightedBatch& batch, const MeanOptions& options) {
  const DistanceOptions distance{.metric = Metric::harmonic, .pairs = {.threads = options.threads}};
  const Matrix rows = *flat_coordinates(batch.x, distance);
  return from_harmonic(weighted_row(rows, batch.weights, options.threads), batch.x.dim(), distance);
}

}  // namespace

namespace {

/// By the metric, from what was prepared; of x with itself if y is null.
Matrix divergences(Metric metric, const GaussianBatch& x, const GaussianBatch* y, int threads) {
  const GaussianBatch& others = y != nullptr ? *y : x;
  if (metric == Metric::kullback) return kullback_of(x, others, threads);
  if (metric == Metric::kullback_right) return kullback_of(others, x, threads, Way::back);
  const Matrix there = kullback_of(x, others, threads);
  if (y == nullptr) return there + there.transpose();
  return there + kullback_of(others, x, threads, Way::back);
}

Matrix divergences(Metric metric, const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Kullback-Leibler divergences");
  const GaussianBatch rows = prepared_for_kullback(x, options.threads);
  if (y == nullptr) return divergences(metric, rows, nullptr, options.threads);
  const GaussianBatch columns = prepared_for_kullback(*y, options.threads);
  return divergences(metric, rows, &columns, options.threads);
}

}  // namespace

Matrix kullback(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return divergences(Metric::kullback, x, y, options);
}

Matrix kullback_right(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return divergences(Metric::kullback_right, x, y, options);
}

Matrix kullback_sym(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return divergences(Metric::kullback_sym, x, y, options);
}

std::optional<Matrix> kullback_of_arrays(Metric metric, const StackView& x, const StackView* y,
                                         const PairOptions& options) {
  engine::require_cpu(options, "Kullback-Leibler divergences");
  GaussianBatch rows(x.values.data(), x.count, x.rows);
  if (!prepare(rows, true, options.threads)) return {};
  if (y == nullptr) return divergences(metric, rows, nullptr, options.threads);
  GaussianBatch columns(y->values.data(), y->count, y->rows);
  if (!prepare(columns, true, options.threads)) return {};
  return divergences(metric, rows, &columns, options.threads);
}

Mean kullback_mean(const WeightedBatch& batch, const MeanOptions& options) {
  return {arithmetic_mean(batch, options.threads)};
}

Mean kullback_right_mean(const WeightedBatch& batch, const MeanOptions& options) {
  return {harmonic_mean_of(batch, options)};
}

Mean kullback_sym_mean(const WeightedBatch& batch, const MeanOptions& options) {
  // L (L^-1 H L^-T)^1/2 L', the midpoint between the arithmetic mean LL' and the harmonic mean H.
  const Whitening arithmetic = whitening(arithmetic_mean(batch, options.threads));
  const Matrix harmonic_mean = harmonic_mean_of(batch, options);
  Matrix root(batch.x.dim(), batch.x.dim());
  double condition = 0;
  GroupFunction(SpectralFunction::root, batch.x.dim(), &arithmetic.inverse)(harmonic_mean.data(), 1, root.data(),
                                                                            &condition);
  Matrix midpoint = arithmetic.factor * root * arithmetic.factor.transpose();
  midpoint.triangularView<Eigen::StrictlyUpper>() = midpoint.transpose();
  return {std::move(midpoint)};
}

}  // namespace dsk::detail
