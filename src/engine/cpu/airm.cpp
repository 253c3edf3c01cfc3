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
  Index dim = 0;
  std::vector<int> exponents;
  AlignedArray<double> interleaved;  ///< groups of packed factors; the last matrix fills up the last group
  std::vector<double> inverses;      ///< packed inverse factors, one behind the other
};

/// Computes a factor and returns its exponent.
int scaled_factor(const MatrixView& x, Matrix& factor) {
  detail::cholesky_factor(x, factor);
  const int exponent = std::ilogb(factor.diagonal().maxCoeff());
  factor = factor.unaryExpr([exponent](double value) { return std::scalbn(value, -exponent); });
  return exponent;
}

/// Writes the packed inverse of a factor; `inverse` is work space.
void pack_inverse(const Matrix& factor, Matrix& inverse, double* packed) {
  inverse.setIdentity(factor.rows(), factor.cols());
  factor.triangularView<Eigen::Lower>().solveInPlace(inverse);
  for (Index r = 0; r < factor.rows(); ++r) packed = std::copy_n(&inverse(r, 0), r + 1, packed);
}

Factors factors_of(const SpdBatch& batch, int threads) {
  const Index dim = batch.dim(), size = engine::triangle(dim);
  const Index slots = (batch.size() + lanes - 1) / lanes * lanes;
  Factors result{dim, std::vector<int>(static_cast<std::size_t>(batch.size())), AlignedArray<double>(slots * size),
                 std::vector<double>(static_cast<std::size_t>(batch.size() * size))};
  detail::for_ranges(slots, threads, detail::cubic_cost(dim, 2), [&](Index first, Index last) {
    Matrix factor, inverse;
    for (Index slot = first; slot < last; ++slot) {
      const Index i = std::min(slot, batch.size() - 1);
      const int exponent = scaled_factor(batch[i], factor);
      double* group = result.interleaved.data() + slot / lanes * size * lanes + slot % lanes;
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c <= r; ++c) group[(r * (r + 1) / 2 + c) * lanes] = factor(r, c);
      if (slot != i) continue;
      result.exponents[static_cast<std::size_t>(i)] = exponent;
      pack_inverse(factor, inverse, result.inverses.data() + i * size);
    }
  });
  return result;
}

/// The packed inverse factor of one matrix.
struct InverseFactor {
  const double* packed = nullptr;
  int exponent = 0;
};

/// Calls place(j, squared distance) for the columns from `first` on.
template <class Place>
void fill_airm_row(const InverseFactor& row, const Factors& columns, Index first, double* scratch, const Place& place) {
  const Index size = engine::triangle(columns.dim), count = static_cast<Index>(columns.exponents.size());
  alignas(64) double offsets[engine::airm_pairs], squared[engine::airm_pairs];
  for (Index block = first / lanes * lanes; block < count; block += engine::airm_pairs) {
    detail::check_interrupt();
    const Index together = block + lanes < count ? engine::airm_pairs : lanes;
    // The log of the units' ratio, per eigenvalue of X^-1 Y.
    for (Index l = 0; l < together; ++l) {
      const int exponent = columns.exponents[static_cast<std::size_t>(std::min(block + l, count - 1))];
      offsets[l] = 2 * std::numbers::ln2 * (exponent - row.exponent);
    }
    engine::airm_groups({.dim = columns.dim,
                         .pairs = together,
                         .inverse_factor = row.packed,
                         .factors = columns.interleaved.data() + block * size,
                         .log_offsets = offsets},
                        scratch, squared);
    for (Index j = std::max(first, block); j < std::min(block + together, count); ++j) place(j, squared[j - block]);
  }
}

bool are_equal(const MatrixView& x, const MatrixView& y) {
  return std::equal(x.data(), x.data() + x.size(), y.data());
}

class AirmSweep {
 public:
  AirmSweep(const SpdBatch& x, const SpdBatch* y, const PairOptions& options)
      : x_(x),
        y_(y ? *y : x),
        symmetric_(y == nullptr),
        threads_(options.threads),
        team_(options.team),
        rows_(factors_of(x, threads_)) {
    if (!symmetric_) columns_ = factors_of(y_, threads_);
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
      errors.guard([&] { scratch = AlignedArray<double>(engine::airm_scratch(x_.dim())); });
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
  const Factors& columns() const {
    return symmetric_ ? rows_ : columns_;
  }

  void fill_row(Index i, double* scratch, Matrix& result) const {
    if (symmetric_) result(i, i) = 0;
    const InverseFactor row{rows_.inverses.data() + i * engine::triangle(x_.dim()),
                            rows_.exponents[static_cast<std::size_t>(i)]};
    fill_airm_row(row, columns(), symmetric_ ? i + 1 : 0, scratch, [&](Index j, double squared) {
      result(i, j) = are_equal(x_[i], y_[j]) ? 0 : squared;
      if (symmetric_) result(j, i) = result(i, j);
    });
  }

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
        factors_(factors_of(known, 1)),
        factor_(known.dim(), known.dim()),
        inverse_(factor_),
        packed_(static_cast<std::size_t>(engine::triangle(known.dim()))),
        scratch_(engine::airm_scratch(known.dim())) {}

  bool operator()(const double* point, double* squared) override {
    const MatrixView matrix(point, known_.dim(), known_.dim());
    const int exponent = scaled_factor(matrix, factor_);
    pack_inverse(factor_, inverse_, packed_.data());
    fill_airm_row({packed_.data(), exponent}, factors_, 0, scratch_.data(),
                  [&](Index j, double found) { squared[j] = are_equal(matrix, known_[j]) ? 0 : found; });
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

}  // namespace

std::unique_ptr<DistanceQuery> airm_query(const SpdBatch& known) {
  return std::make_unique<AirmQuery>(known);
}

Matrix pairwise_squared_airm(const SpdBatch& x, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return AirmSweep(x, nullptr, options).run();
}

Matrix pairwise_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options) {
  engine::require_cpu(options, "affine invariant distances");
  return AirmSweep(x, &y, options).run();
}

}  // namespace dsk
