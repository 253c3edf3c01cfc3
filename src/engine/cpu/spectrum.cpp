#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cpu/packed.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/team/share.hpp"
#include "machine/aligned.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using engine::AlignedArray;
constexpr Index lanes = engine::group_size<double>;

/// Cholesky factors divided by 2^exponent, so that factors of data in any units can be multiplied.
struct Factors {
  std::vector<int> exponents;
  AlignedArray<double> interleaved;  ///< groups of packed factors; the last matrix fills up the last group
  std::vector<double> left;          ///< packed factors, or their inverses, one behind the other
};

Factors factors_of(const SpdBatch& batch, bool invert, int threads) {
  const Index dim = batch.dim(), size = engine::triangle(dim);
  const Index slots = (batch.size() + lanes - 1) / lanes * lanes;
  Factors result{std::vector<int>(static_cast<std::size_t>(batch.size())), AlignedArray<double>(slots * size),
                 std::vector<double>(static_cast<std::size_t>(batch.size() * size))};
  const Matrix identity = Matrix::Identity(dim, dim);
  detail::for_ranges(slots, threads, detail::cubic_cost(dim, 2), [&](Index first, Index last) {
    Matrix factor;
    for (Index slot = first; slot < last; ++slot) {
      const Index i = std::min(slot, batch.size() - 1);
      detail::cholesky_factor(batch[i], factor);
      const int exponent = std::ilogb(factor.diagonal().maxCoeff());
      factor = factor.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); }).eval();
      double* group = result.interleaved.data() + slot / lanes * size * lanes + slot % lanes;
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c <= r; ++c) group[(r * (r + 1) / 2 + c) * lanes] = factor(r, c);
      if (slot != i) continue;
      result.exponents[static_cast<std::size_t>(i)] = exponent;
      if (invert) factor = factor.triangularView<Eigen::Lower>().solve(identity).eval();
      double* packed = result.left.data() + i * size;
      for (Index r = 0; r < dim; ++r) packed = std::copy_n(&factor(r, 0), r + 1, packed);
    }
  });
  return result;
}

class SpectrumSweep {
 public:
  SpectrumSweep(engine::SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options)
      : value_(value),
        x_(x),
        y_(y ? *y : x),
        symmetric_(y == nullptr),
        threads_(options.threads),
        team_(options.team),
        rows_(factors_of(x, inverts(), threads_)) {
    if (!symmetric_) columns_ = factors_of(y_, inverts(), threads_);
  }

  Matrix run() const {
    Matrix result(x_.size(), y_.size());
    if (team_ != nullptr) result.setZero();
    const auto d = static_cast<double>(x_.dim());
    const double pairs = static_cast<double>(x_.size()) * static_cast<double>(y_.size()) / (symmetric_ ? 2 : 1);
    const int threads = engine::thread_count(threads_, pairs * (4 * d * d * d + 100 * d * d));
    engine::ThreadErrors errors;
#pragma omp parallel num_threads(threads)
    {
      AlignedArray<double> scratch;
      errors.guard([&] { scratch = AlignedArray<double>(engine::spectrum_scratch(x_.dim())); });
#pragma omp for schedule(dynamic)
      for (Index i = 0; i < x_.size(); ++i)
        errors.guard([&] {
          if (engine::is_mine(i, team_)) fill_row(i, scratch.data(), result);
        });
    }
    errors.rethrow();
    if (team_ != nullptr) team_->sum({result.data(), static_cast<std::size_t>(result.size())});
    return result;
  }

 private:
  bool inverts() const {
    return value_ != engine::SpectrumValue::singular_values;
  }

  const Factors& columns() const {
    return symmetric_ ? rows_ : columns_;
  }

  /// The log of the units' ratio, per eigenvalue of X_i^-1 Y_j.
  double log_offset(Index i, Index j) const {
    const int exponents =
        columns().exponents[static_cast<std::size_t>(j)] - rows_.exponents[static_cast<std::size_t>(i)];
    return 2 * std::numbers::ln2 * exponents;
  }

  bool equal(Index i, Index j) const {
    const Index entries = x_.dim() * x_.dim();
    return std::equal(x_[i].data(), x_[i].data() + entries, y_[j].data());
  }

  /// The distance, or its square, that belongs to a value of the spectrum.
  double distance(Index i, Index j, double value) const {
    if (equal(i, j)) return 0;
    if (inverts()) return value;
    const int exponents =
        columns().exponents[static_cast<std::size_t>(j)] + rows_.exponents[static_cast<std::size_t>(i)];
    return std::max(0.0, x_[i].trace() + y_[j].trace() - 2 * std::scalbn(value, exponents));
  }

  void fill_row(Index i, double* scratch, Matrix& result) const {
    const Index size = engine::triangle(x_.dim());
    if (symmetric_) result(i, i) = 0;
    alignas(64) double offsets[engine::spectrum_pairs], values[engine::spectrum_pairs];
    const Index first_column = symmetric_ ? i + 1 : 0;
    for (Index block = first_column / lanes * lanes; block < y_.size(); block += engine::spectrum_pairs) {
      detail::check_interrupt();
      const Index together = block + lanes < y_.size() ? engine::spectrum_pairs : lanes;
      for (Index l = 0; l < together; ++l) offsets[l] = log_offset(i, std::min(block + l, y_.size() - 1));
      engine::spectrum_groups({.value = value_,
                               .dim = x_.dim(),
                               .pairs = together,
                               .left = rows_.left.data() + i * size,
                               .factors = columns().interleaved.data() + block * size,
                               .log_offsets = offsets},
                              scratch, values);
      const Index last = std::min(block + together, y_.size());
      for (Index j = std::max(first_column, block); j < last; ++j) {
        result(i, j) = distance(i, j, values[j - block]);
        if (symmetric_) result(j, i) = result(i, j);
      }
    }
  }

  engine::SpectrumValue value_;
  const SpdBatch& x_;
  const SpdBatch& y_;
  bool symmetric_;
  int threads_;
  const Team* team_;
  Factors rows_, columns_;
};

}  // namespace

Matrix pair_squared_airm(const SpdBatch& x, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return SpectrumSweep(engine::SpectrumValue::squared_logs, x, nullptr, options).run();
}

Matrix pair_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return SpectrumSweep(engine::SpectrumValue::squared_logs, x, &y, options).run();
}

Matrix pair_thompson(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Thompson distances");
  return SpectrumSweep(engine::SpectrumValue::largest_log, x, y, options).run();
}

Matrix pair_squared_wasserstein(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Wasserstein distances");
  return SpectrumSweep(engine::SpectrumValue::singular_values, x, y, options).run();
}

}  // namespace dsk
