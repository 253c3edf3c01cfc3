#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cpu/large_spectrum.hpp"
#include "engine/cpu/packed.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/team/share.hpp"
#include "machine/aligned.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {

int engine::scaled_factor(const MatrixView& x, Matrix& factor) {
  detail::cholesky_factor(x, factor);
  return scale_factor(factor);
}

int engine::scale_factor(Matrix& factor) {
  const int exponent = std::ilogb(factor.diagonal().maxCoeff());
  factor *= std::ldexp(1.0, -exponent);
  return exponent;
}

namespace {

using engine::AlignedArray;
constexpr Index lanes = engine::group_size<double>;

/// Cholesky factors divided by 2^exponent, so that factors of data in any units can be multiplied.
struct Factors {
  Index dim = 0;
  std::vector<int> exponents;
  AlignedArray<double> interleaved;  ///< groups of packed factors; the last matrix fills up the last group
  std::vector<double> left;          ///< packed factors, or their inverses, one behind the other
};

void pack(const Matrix& factor, double* packed) {
  for (Index r = 0; r < factor.rows(); ++r) packed = std::copy_n(&factor(r, 0), r + 1, packed);
}

/// Writes the packed inverse of a factor; `inverse` is work space.
void pack_inverse(const Matrix& factor, Matrix& inverse, double* packed) {
  detail::invert_factor(factor, inverse);
  pack(inverse, packed);
}

/// What of the matrices is packed one behind the other, to stand on the left.
enum class Packing { none, factors, inverses };

Factors factors_of(const SpdBatch& batch, Packing packing, int threads) {
  const Index dim = batch.dim(), size = engine::triangle(dim);
  const Index slots = (batch.size() + lanes - 1) / lanes * lanes;
  Factors result{dim, std::vector<int>(static_cast<std::size_t>(batch.size())), AlignedArray<double>(slots * size),
                 std::vector<double>(packing == Packing::none ? 0 : static_cast<std::size_t>(batch.size() * size))};
  detail::for_ranges(slots, threads, detail::cubic_cost(dim, 2), [&](Index first, Index last) {
    Matrix factor, inverse;
    for (Index slot = first; slot < last; ++slot) {
      const Index i = std::min(slot, batch.size() - 1);
      const int exponent = engine::scaled_factor(batch[i], factor);
      double* group = result.interleaved.data() + slot / lanes * size * lanes + slot % lanes;
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c <= r; ++c) group[(r * (r + 1) / 2 + c) * lanes] = factor(r, c);
      if (slot != i) continue;
      result.exponents[static_cast<std::size_t>(i)] = exponent;
      if (packing == Packing::inverses) pack_inverse(factor, inverse, result.left.data() + i * size);
      if (packing == Packing::factors) pack(factor, result.left.data() + i * size);
    }
  });
  return result;
}

/// The packed factor of one matrix, or its inverse.
struct LeftFactor {
  const double* packed = nullptr;
  int exponent = 0;
};

/// Calls place(j, value) for the columns from `first` to before `last`.
template <class Place>
void fill_row(engine::SpectrumValue value, const LeftFactor& row, const Factors& columns, Index first, Index last,
              double* scratch, const Place& place) {
  const Index size = engine::triangle(columns.dim), all = static_cast<Index>(columns.exponents.size());
  const Index count = std::min(last, all);
  alignas(64) double offsets[engine::spectrum_pairs], values[engine::spectrum_pairs];
  for (Index block = first / lanes * lanes; block < count; block += engine::spectrum_pairs) {
    detail::check_interrupt();
    const Index together = std::min(engine::spectrum_pairs, (count - block + lanes - 1) / lanes * lanes);
    // The log of the units' ratio, per eigenvalue of X^-1 Y.
    for (Index l = 0; l < together; ++l) {
      const int exponent = columns.exponents[static_cast<std::size_t>(std::min(block + l, all - 1))];
      offsets[l] = 2 * std::numbers::ln2 * (exponent - row.exponent);
    }
    engine::spectrum_groups({.value = value,
                             .dim = columns.dim,
                             .pairs = together,
                             .left = row.packed,
                             .factors = columns.interleaved.data() + block * size,
                             .log_offsets = offsets},
                            scratch, values);
    for (Index j = std::max(first, block); j < std::min(block + together, count); ++j) place(j, values[j - block]);
  }
}

bool are_equal(const MatrixView& x, const MatrixView& y) {
  return std::equal(x.data(), x.data() + x.size(), y.data());
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
        rows_(factors_of(x, inverts() ? Packing::inverses : Packing::factors, threads_)) {
    if (!symmetric_) columns_ = factors_of(y_, Packing::none, threads_);
  }

  Matrix run() const {
    Matrix result(x_.size(), y_.size());
    if (team_ != nullptr) result.setZero();
    const auto d = static_cast<double>(x_.dim());
    const double pairs = static_cast<double>(x_.size()) * static_cast<double>(y_.size()) / (symmetric_ ? 2 : 1);
    const int threads = engine::thread_count(threads_, pairs * (4 * d * d * d + 100 * d * d));
    // Few rows are cut into parts, so that all threads have work.
    const Index width = symmetric_ ? y_.size() : 16 * engine::spectrum_pairs, parts = (y_.size() + width - 1) / width;
    engine::ThreadErrors errors;
#pragma omp parallel num_threads(threads)
    {
      AlignedArray<double> scratch;
      errors.guard([&] { scratch = AlignedArray<double>(engine::spectrum_scratch(x_.dim())); });
#pragma omp for schedule(dynamic)
      for (Index part = 0; part < x_.size() * parts; ++part)
        errors.guard([&] {
          const Index first = part % parts * width;
          if (engine::is_mine(part, team_)) fill(part / parts, first, first + width, scratch.data(), result);
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

  /// The distance, or its square, that belongs to a value of the spectrum.
  double distance(Index i, Index j, double value) const {
    if (are_equal(x_[i], y_[j])) return 0;
    if (inverts()) return value;
    const int exponents =
        columns().exponents[static_cast<std::size_t>(j)] + rows_.exponents[static_cast<std::size_t>(i)];
    return std::max(0.0, x_[i].trace() + y_[j].trace() - 2 * std::scalbn(value, exponents));
  }

  void fill(Index i, Index first, Index last, double* scratch, Matrix& result) const {
    if (symmetric_) result(i, i) = 0;
    const LeftFactor row{rows_.left.data() + i * engine::triangle(x_.dim()),
                         rows_.exponents[static_cast<std::size_t>(i)]};
    fill_row(value_, row, columns(), symmetric_ ? i + 1 : first, last, scratch, [&](Index j, double value) {
      result(i, j) = distance(i, j, value);
      if (symmetric_) result(j, i) = result(i, j);
    });
  }

  engine::SpectrumValue value_;
  const SpdBatch& x_;
  const SpdBatch& y_;
  bool symmetric_;
  int threads_;
  const Team* team_;
  Factors rows_, columns_;
};

class AirmQuery : public DistanceQuery {
 public:
  explicit AirmQuery(const SpdBatch& known)
      : known_(known),
        factors_(factors_of(known, Packing::none, 1)),
        factor_(known.dim(), known.dim()),
        inverse_(factor_),
        packed_(static_cast<std::size_t>(engine::triangle(known.dim()))),
        scratch_(engine::spectrum_scratch(known.dim())) {}

  bool operator()(const double* point, double* squared) override {
    const MatrixView matrix(point, known_.dim(), known_.dim());
    const int exponent = engine::scaled_factor(matrix, factor_);
    pack_inverse(factor_, inverse_, packed_.data());
    fill_row(engine::SpectrumValue::squared_logs, {packed_.data(), exponent}, factors_, 0, known_.size(),
             scratch_.data(), [&](Index j, double found) { squared[j] = are_equal(matrix, known_[j]) ? 0 : found; });
    return true;
  }

 private:
  SpdBatch known_;
  Factors factors_;
  Matrix factor_;
  Matrix inverse_;
  std::vector<double> packed_;
  AlignedArray<double> scratch_;
};

Matrix spectra(engine::SpectrumValue value, const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  if (engine::has_large_spectra(x.dim())) return engine::large_spectra(value, x, y, options);
  // Few matrices, such as class means, would leave lanes empty. It is theirs to be the rows, however many the others
  // are: a distance does not depend on how many are computed with it.
  if (y != nullptr && y->size() < lanes) return SpectrumSweep(value, *y, &x, options).run().transpose();
  return SpectrumSweep(value, x, y, options).run();
}

}  // namespace

std::unique_ptr<DistanceQuery> airm_query(const SpdBatch& known) {
  if (engine::has_large_spectra(known.dim())) return engine::large_airm_query(known);
  return std::make_unique<AirmQuery>(known);
}

Matrix pairwise_squared_airm(const SpdBatch& x, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return spectra(engine::SpectrumValue::squared_logs, x, nullptr, options);
}

Matrix pairwise_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return spectra(engine::SpectrumValue::squared_logs, x, &y, options);
}

Matrix pairwise_thompson(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Thompson distances");
  return spectra(engine::SpectrumValue::largest_log, x, y, options);
}

Matrix pairwise_squared_wasserstein(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  engine::require_cpu(options, "Wasserstein distances");
  return spectra(engine::SpectrumValue::singular_values, x, y, options);
}

std::optional<Matrix> airm_of_large(const StackView& x, const StackView* y, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return engine::large_spectra(engine::SpectrumValue::squared_logs, x, y, options);
}

std::optional<Matrix> thompson_of_large(const StackView& x, const StackView* y, const PairOptions& options) {
  engine::require_cpu(options, "Thompson distances");
  return engine::large_spectra(engine::SpectrumValue::largest_log, x, y, options);
}

std::optional<Matrix> wasserstein_of_large(const StackView& x, const StackView* y, const PairOptions& options) {
  engine::require_cpu(options, "Wasserstein distances");
  return engine::large_spectra(engine::SpectrumValue::singular_values, x, y, options);
}

}  // namespace dsk
