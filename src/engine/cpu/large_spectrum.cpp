#include "engine/cpu/large_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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
      std::vector<double> product, work, values;
      errors.guard([&] {
        product.resize(static_cast<std::size_t>(x_.dim() * x_.dim()));
        work.resize(product.size());
        values.resize(static_cast<std::size_t>(x_.dim()));
      });
#pragma omp for schedule(dynamic)
      for (Index pair = 0; pair < rows * columns; ++pair) {
        const Index i = pair / columns, j = pair % columns;
        if ((symmetric_ && j <= i) || !is_mine(pair, options_.team)) continue;
        errors.guard([&] {
          result(i, j) = distance(i, j, product, work, values);
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

  double distance(Index i, Index j, std::vector<double>& product, std::vector<double>& work,
                  std::vector<double>& values) const {
    const MatrixView x = x_[i], y = y_[j];
    if (std::equal(x.data(), x.data() + x.size(), y.data())) return 0;
    // The eigenvalues of X^-1 Y, or of X Y, are the squared singular values of A^-1 B or A' B.
    const MatrixView left = inverts() ? rows_.inverses[i] : rows_.factors[i], right = columns().factors[j];
    detail::lapack::multiply_lower(left.data(), !inverts(), right.data(), product.data(), x.rows());
    squared_singular_values(product, work, values);
    const int row_exponent = rows_.exponent(i), column_exponent = columns().exponent(j);
    if (!inverts()) {
      double sum = 0;
      for (const double squared : values) sum += std::sqrt(squared);
      return std::max(0.0, x.trace() + y.trace() - 2 * std::scalbn(sum, row_exponent + column_exponent));
    }
    const double offset = 2 * std::numbers::ln2 * (column_exponent - row_exponent);
    double sum = 0, largest = 0;
    for (const double squared : values) {
      const double log = std::log(squared) + offset;
      sum += log * log;
      largest = std::max(largest, std::abs(log));
    }
    return value_ == SpectrumValue::squared_logs ? sum : largest;
  }

  /// As eigenvalues of G'G if these lose no digits that matter, and otherwise, which takes twice as long, from G.
  void squared_singular_values(std::vector<double>& g, std::vector<double>& work, std::vector<double>& values) const {
    constexpr double least_ratio = 1e-4;
    const Index dim = x_.dim();
    if (detail::lapack::squared_singular_values(g.data(), dim, work.data(), values.data()) &&
        values.front() > least_ratio * values.back())
      return;
    if (!detail::lapack::singular_values(g.data(), dim, values.data()))
      throw NumericalFailure("the eigenvalues of a pair of matrices did not converge");
    for (double& value : values) value *= value;
  }

  SpectrumValue value_;
  const SpdBatch& x_;
  const SpdBatch& y_;
  bool symmetric_;
  const PairOptions& options_;
  LargeFactors rows_, columns_;
};

}  // namespace

bool has_large_spectra(Index dim) {
  return detail::lapack::takes(detail::lapack::crossover().spectrum, dim);
}

Matrix large_spectra(SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return LargeSpectra(value, x, y, options).run();
}

}  // namespace dsk::engine
