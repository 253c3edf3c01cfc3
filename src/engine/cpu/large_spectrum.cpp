#include "engine/cpu/large_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/team/share.hpp"
#include "machine/lapack.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

/// Cholesky factors divided by 2^exponent, and their inverses where they are wanted.
struct LargeFactors {
  MatrixStack factors, inverses;
  std::vector<int> exponents;

  int exponent(Index i) const { return exponents[static_cast<std::size_t>(i)]; }
};

LargeFactors large_factors(const SpdBatch& batch, bool invert, int threads) {
  const Index dim = batch.dim(), size = dim * dim;
  LargeFactors result{{batch.size(), dim, std::vector<double>(batch.values().size())},
                      {batch.size(), dim, std::vector<double>(invert ? batch.values().size() : 0)},
                      std::vector<int>(static_cast<std::size_t>(batch.size()))};
  detail::for_ranges(batch.size(), threads, detail::cubic_cost(dim, 0.1), [&](Index first, Index last) {
    Matrix factor, inverse;
    for (Index i = first; i < last; ++i) {
      result.exponents[static_cast<std::size_t>(i)] = scaled_factor(batch[i], factor);
      std::copy_n(factor.data(), size, result.factors.values.data() + i * size);
      if (!invert) continue;
      detail::invert_factor(factor, inverse);
      std::copy_n(inverse.data(), size, result.inverses.values.data() + i * size);
    }
  });
  return result;
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
    detail::lapack::multiply_lower(left, transposed, right, product_.data(), dim_);
    if (detail::lapack::squared_singular_values(product_.data(), dim_, work_.data(), values_.data()) &&
        values_.front() > least_ratio * values_.back())
      return values_;
    if (!detail::lapack::singular_values(product_.data(), dim_, values_.data()))
      throw NumericalFailure("the eigenvalues of a pair of matrices did not converge");
    for (double& value : values_) value *= value;
    return values_;
  }

 private:
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

class LargeSpectra {
 public:
  LargeSpectra(SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options)
      : value_(value),
        x_(x),
        y_(y != nullptr ? *y : x),
        symmetric_(y == nullptr),
        options_(options),
        rows_(large_factors(x, inverts(), options.threads)) {
    if (!symmetric_) columns_ = large_factors(y_, false, options.threads);
  }

  Matrix run() const {
    Matrix result = Matrix::Zero(x_.size(), y_.size());
    const Index rows = x_.size(), columns = y_.size();
    const double d = static_cast<double>(x_.dim());
    const int threads = thread_count(options_.threads, static_cast<double>(rows * columns) * 4 * d * d * d);
    ThreadErrors errors;
#pragma omp parallel num_threads(threads)
    {
      std::optional<LargePair> memory;
      errors.guard([&] { memory.emplace(x_.dim()); });
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
    const MatrixView x = x_[i], y = y_[j];
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
  const SpdBatch& x_;
  const SpdBatch& y_;
  bool symmetric_;
  const PairOptions& options_;
  LargeFactors rows_, columns_;
};

/// LAPACK allocates memory, in a time that does not count beside that of a pair.
class LargeAirmQuery : public DistanceQuery {
 public:
  explicit LargeAirmQuery(const SpdBatch& known)
      : known_(known), factors_(large_factors(known, false, 1)), memory_(known.dim()) {}

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
  return LargeSpectra(value, x, y, options).run();
}

}  // namespace dsk::engine
