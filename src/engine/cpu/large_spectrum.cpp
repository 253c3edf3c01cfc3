#include "engine/cpu/large_spectrum.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/team/share.hpp"
#include "machine/lapack.hpp"
#include "machine/lender.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

/// Cholesky factors divided by 2^exponent, and their inverses where they are wanted.
struct LargeFactors {
  MatrixStack factors, inverses;
  std::vector<int> exponents;

  int exponent(Index i) const { return exponents[static_cast<std::size_t>(i)]; }
};

StackView view_of(const SpdBatch& batch) {
  return {batch.values(), batch.size(), batch.dim(), batch.dim()};
}

MatrixView matrix_of(const StackView& x, Index i) {
  return {x.values.data() + i * x.rows * x.rows, x.rows, x.rows};
}

/// The memory for one factor after the other.
struct FactorSpace {
  explicit FactorSpace(Index dim) : check(dim) {}
  detail::CheckedFactor check;
  Matrix factor, inverse;
};

enum class Unchecked { no, yes };

/// The inverses of the first matrices only. Nothing if the matrices are unchecked and one is not certainly valid and
/// exactly symmetric.
std::optional<LargeFactors> large_factors(const StackView& x, Index inverted, int threads, Unchecked unchecked) {
  const Index dim = x.rows, size = dim * dim;
  LargeFactors result{{x.count, dim, std::vector<double>(x.values.size())},
                      {inverted, dim, std::vector<double>(static_cast<std::size_t>(inverted * size))},
                      std::vector<int>(static_cast<std::size_t>(x.count))};
  std::atomic<bool> all_valid = true;
  detail::Lender<FactorSpace> spaces;
  detail::for_ranges(x.count, threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    detail::Lender<FactorSpace>::Loan space(spaces, dim);
    for (Index i = first; i < last && all_valid; ++i) {
      const MatrixView matrix = matrix_of(x, i);
      if (unchecked == Unchecked::yes) {
        if (!space->check.check(matrix.data(), symmetry_tolerance) || !space->check.is_exactly_symmetric()) {
          all_valid = false;
          return;
        }
        space->check.write_lower(space->factor);
      } else {
        detail::cholesky_factor(matrix, space->factor);
      }
      result.exponents[static_cast<std::size_t>(i)] = scale_factor(space->factor);
      std::copy_n(space->factor.data(), size, result.factors.values.data() + i * size);
      if (i >= inverted) continue;
      detail::invert_factor(space->factor, space->inverse);
      std::copy_n(space->inverse.data(), size, result.inverses.values.data() + i * size);
    }
  });
  if (!all_valid) return {};
  return result;
}

LargeFactors large_factors(const SpdBatch& batch, Index inverted, int threads) {
  return *large_factors(view_of(batch), inverted, threads, Unchecked::no);
}

bool are_equal_matrices(const MatrixView& x, const MatrixView& y) {
  return std::equal(x.data(), x.data() + x.size(), y.data());
}

/// The squared singular values of one product of factors after the other, with the memory for it.
class LargePair {
 public:
  explicit LargePair(Index dim)
      : dim_(dim),
        product_(static_cast<std::size_t>(dim * dim)),
        work_(product_.size()),
        values_(product_.size() / static_cast<std::size_t>(dim)) {}

  /// Of L R or L' R. As eigenvalues of G'G if these lose no digits that matter, and otherwise, which takes twice as
  /// long, from G.
  const std::vector<double>& operator()(const double* left, bool transposed, const double* right) {
    constexpr double least_ratio = 1e-4;
    const bool converged = transposed ? square_full(left, right) : square_triangle(left, right);
    if (converged && values_.front() > least_ratio * values_.back()) return values_;
    if (!transposed) Eigen::Map<Matrix>(product_.data(), dim_, dim_).triangularView<Eigen::StrictlyUpper>().setZero();
    if (!detail::lapack::singular_values(product_.data(), dim_, values_.data()))
      throw NumericalFailure("the eigenvalues of a pair of matrices did not converge");
    for (double& value : values_) value *= value;
    return values_;
  }

 private:
  bool square_full(const double* left, const double* right) {
    detail::lapack::multiply_lower(left, true, right, product_.data(), dim_);
    return detail::lapack::squared_singular_values(product_.data(), dim_, work_.data(), values_.data());
  }
  /// L R is a triangle: a third of the work.
  bool square_triangle(const double* left, const double* right) {
    detail::lapack::multiply_triangles(left, right, product_.data(), dim_);
    return detail::lapack::squared_singular_values_of_triangle(product_.data(), dim_, work_.data(), values_.data());
  }

  Index dim_;
  std::vector<double> product_, work_, values_;
};

/// Of eigenvalues of X^-1 Y with factors that were divided by powers of two.
struct LogSums {
  double squares = 0;
  double largest = 0;
};

LogSums log_sums(const std::vector<double>& eigenvalues, int row_exponent, int column_exponent) {
  const double offset = 2 * std::numbers::ln2 * (column_exponent - row_exponent);
  LogSums sums;
  for (const double value : eigenvalues) {
    const double log = std::log(value) + offset;
    sums.squares += log * log;
    sums.largest = std::max(sums.largest, std::abs(log));
  }
  return sums;
}

/// Of matrices that outlive it, with their factors.
class LargeSpectra {
 public:
  LargeSpectra(SpectrumValue value, const StackView& x, const StackView* y, const PairOptions& options)
      : value_(value), x_(x), y_(y != nullptr ? *y : x), symmetric_(y == nullptr), options_(options) {}

  /// False if matrices that are unchecked are not certainly valid.
  bool prepare(Unchecked unchecked) {
    // Of a set with itself, the last matrix stands on the right only.
    const Index left = symmetric_ ? x_.count - 1 : x_.count;
    std::optional<LargeFactors> rows = large_factors(x_, inverts() ? left : 0, options_.threads, unchecked);
    if (!rows) return false;
    rows_ = std::move(*rows);
    if (symmetric_) return true;
    std::optional<LargeFactors> columns = large_factors(y_, 0, options_.threads, unchecked);
    if (columns) columns_ = std::move(*columns);
    return columns.has_value();
  }

  Matrix run() const {
    const Index rows = x_.count, columns = y_.count, dim = x_.rows;
    Matrix result = Matrix::Zero(rows, columns);
    const double d = static_cast<double>(dim);
    const int threads = thread_count(options_.threads, static_cast<double>(rows * columns) * 4 * d * d * d);
    ThreadErrors errors;
#pragma omp parallel num_threads(threads)
    {
      std::optional<LargePair> memory;
      errors.guard([&] { memory.emplace(dim); });
#pragma omp for schedule(dynamic)
      for (Index pair = 0; pair < rows * columns; ++pair) {
        const Index i = pair / columns, j = pair % columns;
        if ((symmetric_ && j <= i) || !is_mine(pair, options_.team)) continue;
        errors.guard([&] {
          result(i, j) = distance(i, j, *memory);
          if (symmetric_) result(j, i) = result(i, j);
        });
      }
    }
    errors.rethrow();
    if (options_.team != nullptr) options_.team->sum({result.data(), static_cast<std::size_t>(result.size())});
    return result;
  }

 private:
  bool inverts() const {
    return value_ != SpectrumValue::singular_values;
  }
  const LargeFactors& columns() const {
    return symmetric_ ? rows_ : columns_;
  }

  double distance(Index i, Index j, LargePair& memory) const {
    const MatrixView x = matrix_of(x_, i), y = matrix_of(y_, j);
    if (are_equal_matrices(x, y)) return 0;
    // The eigenvalues of X^-1 Y, or of X Y, are the squared singular values of A^-1 B or A' B.
    const MatrixView left = inverts() ? rows_.inverses[i] : rows_.factors[i];
    const std::vector<double>& values = memory(left.data(), !inverts(), columns().factors[j].data());
    const int row_exponent = rows_.exponent(i), column_exponent = columns().exponent(j);
    if (!inverts()) {
      double sum = 0;
      for (const double squared : values) sum += std::sqrt(squared);
      return std::max(0.0, x.trace() + y.trace() - 2 * std::scalbn(sum, row_exponent + column_exponent));
    }
    const LogSums sums = log_sums(values, row_exponent, column_exponent);
    return value_ == SpectrumValue::squared_logs ? sums.squares : sums.largest;
  }

  SpectrumValue value_;
  StackView x_, y_;
  bool symmetric_;
  const PairOptions& options_;
  LargeFactors rows_, columns_;
};

/// LAPACK allocates memory, in a time that does not count beside that of a pair.
class LargeAirmQuery : public DistanceQuery {
 public:
  explicit LargeAirmQuery(const SpdBatch& known)
      : known_(known), factors_(large_factors(known, 0, 1)), memory_(known.dim()) {}

  bool operator()(const double* point, double* squared) override {
    const MatrixView matrix(point, known_.dim(), known_.dim());
    const int exponent = scaled_factor(matrix, factor_);
    detail::invert_factor(factor_, inverse_);
    for (Index j = 0; j < known_.size(); ++j)
      squared[j] =
          are_equal_matrices(matrix, known_[j])
              ? 0
              : log_sums(memory_(inverse_.data(), false, factors_.factors[j].data()), exponent, factors_.exponent(j))
                    .squares;
    return true;
  }

 private:
  SpdBatch known_;
  LargeFactors factors_;
  LargePair memory_;
  Matrix factor_, inverse_;
};

}  // namespace

std::unique_ptr<DistanceQuery> large_airm_query(const SpdBatch& known) {
  return std::make_unique<LargeAirmQuery>(known);
}

bool has_large_spectra(Index dim) {
  return detail::lapack::takes(detail::lapack::crossover().spectrum, dim);
}

Matrix large_spectra(SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  const StackView rows = view_of(x), columns = view_of(y != nullptr ? *y : x);
  LargeSpectra spectra(value, rows, y != nullptr ? &columns : nullptr, options);
  spectra.prepare(Unchecked::no);
  return spectra.run();
}

std::optional<Matrix> large_spectra(SpectrumValue value, const StackView& x, const StackView* y,
                                    const PairOptions& options) {
  if (!has_large_spectra(x.rows)) return {};
  LargeSpectra spectra(value, x, y, options);
  if (!spectra.prepare(Unchecked::yes)) return {};
  return spectra.run();
}

}  // namespace dsk::engine
