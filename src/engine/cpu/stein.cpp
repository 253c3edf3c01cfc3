#include "engine/cpu/large_stein.hpp"
#include "engine/cpu/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/team/share.hpp"

namespace dsk::engine {

namespace {

/// Where finished tiles go; `values` has `stride` columns.
template <class T>
using TileSink = std::function<void(Index row, Index column, Index rows, Index columns, const T* values, Index stride)>;

/// Whether log-determinants of this size are computed one at a time.
template <class T>
bool is_large(Index dim) {
  return std::is_same_v<T, double> && has_large_logdets(dim);
}

/// log det of the mean of two packed matrices, halves of which are stored; NaN if it is not positive definite. `square`
/// is work space for a matrix.
double large_logdet(const double* x, const double* y, Index dim, double* square, int threads) {
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c <= r; ++c) square[r * dim + c] = *x++ + *y++;
  return logdet_in_place(square, dim, threads);
}

/// Everything of one call: the packed batches and the offsets that turn log-determinants into the asked quantity.
template <class T>
class TileSweep {
 public:
  TileSweep(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, int threads)
      : threads_(threads),
        large_(is_large<T>(x.dim())),
        tile_(large_ ? 1 : tile_size<T>(y != nullptr ? std::max(x.size(), y->size()) : x.size(), factor_cost(x.dim()))),
        scale_(x, y),
        x_(x, scale_, !large_),
        quantity_(quantity),
        row_offset_(offsets(x_)) {
    if (y != nullptr) {
      y_.emplace(*y, scale_, !large_);
      column_offset_ = offsets(*y_);
    }
  }

  /// Tiles in any order; of a team, this rank's.
  void run(const PairOptions& options, const TileSink<T>& sink) const {
    run_tiles(options, sink, [&](const auto& work) {
      const Index row_tiles = tiles(x_), column_tiles = tiles(columns());
#pragma omp for schedule(dynamic) collapse(2)
      for (Index i = 0; i < row_tiles; ++i)
        for (Index j = 0; j < column_tiles; ++j)
          if ((y_ || j >= i) && is_mine(y_ ? i * column_tiles + j : j * (j + 1) / 2 + i, options.team)) work(i, j);
    });
  }

  /// Tiles of one batch, of a team this rank's, in rounds, in which no row and no column occurs twice.
  void run_in_rounds(const PairOptions& options, const TileSink<T>& sink) const {
    const Rounds rounds = share_of(tournament(tiles(x_)), options.team);
    run_tiles(options, sink, [&](const auto& work) {
      for (const auto& round : rounds) {
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < round.size(); ++k) work(round[k].first, round[k].second);
      }
    });
  }

 private:
  const PackedBatch<T>& columns() const {
    return y_ ? *y_ : x_;
  }
  Index tiles(const PackedBatch<T>& batch) const {
    return (batch.size() + tile_ - 1) / tile_;
  }

  /// Every thread calls share(work), which shares out all calls of work(row tile, column tile) among the threads.
  template <class Share>
  void run_tiles(const PairOptions& options, const TileSink<T>& sink, const Share& share) const {
    const double pairs = static_cast<double>(x_.size()) * static_cast<double>(columns().size()) / (y_ ? 1 : 2);
    ThreadErrors errors;
    PairPosition failure;
    const int all = thread_count(options.threads, pairs * factor_cost(x_.dim()));
    const Index n = x_.size();
    const bool one_by_one = large_ && is_one_by_one(y_ ? n * y_->size() : n * (n - 1) / 2, x_.dim(), all);
    const int threads = one_by_one ? 1 : all, inside = one_by_one ? all : 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      AlignedArray<T> values, scratch;
      errors.guard([&] {
        values = AlignedArray<T>(tile_ * tile_);
        scratch = AlignedArray<T>(large_ ? x_.dim() * x_.dim() : factor_scratch<T>(x_.dim()));
      });
      share([&](Index i, Index j) {
        errors.guard([&] {
          const PairPosition found = large_ ? fill_large(i, j, values.data(), scratch.data(), inside)
                                            : fill(i, j, values.data(), scratch.data());
#pragma omp critical(dsk_pair_failure)
          if (found.found() && (!failure.found() || found.before(failure))) failure = found;
          if (found.found()) return;
          sink(i * tile_, j * tile_, std::min(tile_, x_.size() - i * tile_),
               std::min(tile_, columns().size() - j * tile_), values.data(), tile_);
        });
      });
    }
    errors.rethrow();
    failure = first_of_all(failure, options.team);
    if (failure.found()) throw PairFailure(failure.row, failure.column);
  }

  AlignedArray<T> offsets(const PackedBatch<T>& batch) const {
    AlignedArray<T> result = large_ ? large_self_logdets(batch) : self_logdets(batch);
    const double constant = -scale_.logdet_offset() / 2;
    for (Index i = 0; i < result.size(); ++i)
      result[i] = quantity_ == PairQuantity::divergence ? result[i] / 2 : static_cast<T>(constant);
    return result;
  }

  /// On all threads: a matrix takes as long as a pair.
  AlignedArray<T> large_self_logdets(const PackedBatch<T>& batch) const {
    AlignedArray<T> result(batch.size());
    if constexpr (std::is_same_v<T, double>) {
      const double cost = detail::cubic_cost(batch.dim(), 0.03);
      const int all = detail::worker_count(threads_, static_cast<double>(batch.size()) * cost);
      const bool one_by_one = is_one_by_one(batch.size(), batch.dim(), all);
      detail::for_ranges(batch.size(), one_by_one ? 1 : all, cost, [&](Index first, Index last) {
        AlignedArray<double> square(batch.dim() * batch.dim());
        for (Index i = first; i < last; ++i) {
          result[i] = large_logdet(batch.row(i), batch.row(i), batch.dim(), square.data(), one_by_one ? all : 1);
          if (std::isnan(result[i])) refuse_matrix(i, "double");
        }
      });
    }
    return result;
  }

  PairPosition fill_large(Index i, Index j, T* values, T* square, int threads) const {
    if constexpr (std::is_same_v<T, double>) {
      const bool divergence = quantity_ == PairQuantity::divergence;
      if (divergence && !y_ && i == j) {
        *values = 0;
        return {};
      }
      const double logdet = large_logdet(x_.row(i), columns().row(j), x_.dim(), square, threads);
      if (std::isnan(logdet)) return {i, j};
      const double value = logdet - (row_offset_[i] + (y_ ? column_offset_ : row_offset_)[j]);
      *values = divergence ? std::max(0.0, value) : value;
    }
    return {};
  }

  PairPosition fill(Index i, Index j, T* values, T* scratch) const {
    SteinTile<T> tile;
    tile.x = &x_;
    tile.y = y_ ? &*y_ : &x_;
    tile.row = i * tile_;
    tile.rows = std::min(tile_, x_.size() - tile.row);
    tile.group = j * tile_ / group_size<T>;
    tile.groups = std::min(tile_ / group_size<T>, tile.y->groups() - tile.group);
    tile.above_diagonal_only = !y_ && i == j;
    tile.row_offset = row_offset_.data();
    tile.column_offset = y_ ? column_offset_.data() : row_offset_.data();
    tile.clamp = quantity_ == PairQuantity::divergence;
    const PairPosition failure = stein_tile(tile, values, tile_, scratch);
    if (tile.above_diagonal_only) complete_square(values, tile.rows);
    return failure;
  }

  void complete_square(T* values, Index rows) const {
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < r; ++c) values[r * tile_ + c] = values[c * tile_ + r];
  }

  int threads_;
  bool large_;
  Index tile_;
  CoordinateScale scale_;
  PackedBatch<T> x_;
  std::optional<PackedBatch<T>> y_;
  PairQuantity quantity_;
  AlignedArray<T> row_offset_;
  AlignedArray<T> column_offset_;
};

template <class T>
Matrix whole_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options) {
  const TileSweep<T> sweep(x, y, quantity, options.threads);
  PairOptions shared = options;
  shared.team = team_for_matrix(options.team, factor_cost(x.dim()));
  Matrix result(x.size(), y != nullptr ? y->size() : x.size());
  if (shared.team != nullptr) result.setZero();
  sweep.run(shared, [&](Index row, Index column, Index rows, Index columns, const T* values, Index stride) {
    std::vector<double> wide;
    place_tile(as_doubles(values, stride, rows, wide), stride, rows, columns, result.data(), result.cols(), row, column,
               y == nullptr && row != column);
  });
  if (shared.team != nullptr) shared.team->sum({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

template <class T>
void visit(const SpdBatch& x, const SpdBatch* y, const PairSweep::Visitor& visitor, const PairOptions& options) {
  const TileSweep<T> sweep(x, y, PairQuantity::divergence, options.threads);
  const TileSink<T> sink = [&](Index row, Index column, Index rows, Index columns, const T* values, Index stride) {
    std::vector<double> wide;
    visitor({row, column, {as_doubles(values, stride, rows, wide), rows, columns, Eigen::OuterStride<>(stride)}});
  };
  y == nullptr ? sweep.run_in_rounds(options, sink) : sweep.run(options, sink);
}

class SteinQuery : public DistanceQuery {
 public:
  explicit SteinQuery(const SpdBatch& known)
      : scale_(known, nullptr),
        known_(known, scale_),
        known_halves_(self_logdets(known_)),
        one_(known.dim()),
        one_halves_(group_size<double>),
        values_(known_.groups() * group_size<double>),
        scratch_(factor_scratch<double>(known.dim())) {
    halve(known_halves_);
  }

  bool operator()(const double* point, double* squared) override {
    const MatrixView matrix(point, known_.dim(), known_.dim());
    if (!scale_.fits(matrix)) return false;
    one_.set(matrix, scale_);
    try {
      self_logdets(one_, one_halves_.data(), scratch_.data());
    } catch (const NumericalFailure&) {
      return false;
    }
    halve(one_halves_);
    SteinTile<double> tile;
    tile.x = &one_;
    tile.y = &known_;
    tile.rows = 1;
    tile.groups = known_.groups();
    tile.row_offset = one_halves_.data();
    tile.column_offset = known_halves_.data();
    if (stein_tile(tile, values_.data(), values_.size(), scratch_.data()).found()) return false;
    std::copy_n(values_.data(), known_.size(), squared);
    return true;
  }

 private:
  static void halve(AlignedArray<double>& logdets) {
    for (Index i = 0; i < logdets.size(); ++i) logdets[i] /= 2;
  }

  CoordinateScale scale_;
  PackedBatch<double> known_;
  AlignedArray<double> known_halves_;
  PackedBatch<double> one_;
  AlignedArray<double> one_halves_;
  AlignedArray<double> values_;
  AlignedArray<double> scratch_;
};

}  // namespace

Matrix pairwise_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options) {
  return options.precision == Precision::float64 ? whole_matrix<double>(x, y, quantity, options)
                                                 : whole_matrix<float>(x, y, quantity, options);
}

void visit_pairs(const SpdBatch& x, const SpdBatch* y, const PairSweep::Visitor& visitor, const PairOptions& options) {
  options.precision == Precision::float64 ? visit<double>(x, y, visitor, options)
                                          : visit<float>(x, y, visitor, options);
}

}  // namespace dsk::engine

std::unique_ptr<dsk::DistanceQuery> dsk::stein_query(const SpdBatch& known) {
  return std::make_unique<engine::SteinQuery>(known);
}
