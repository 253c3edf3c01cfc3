#include "engine/cpu/pair_sums.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/team/share.hpp"

namespace dsk::engine {
namespace {

/// The inverse of a scaled matrix, a packed triangle interleaved in a group, back in the units of the data:
/// (D M D)^-1 = D^-1 M^-1 D^-1.
template <class T>
void write_inverse(const T* packed, const CoordinateScale& scale, Index dim, double* out) {
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c <= r; ++c, packed += group_size<T>)
      out[r * dim + c] = out[c * dim + r] = static_cast<double>(*packed) * scale.factor(r) * scale.factor(c);
}

/// The packed batch and the growing sums of one call.
template <class T>
class InverseSweep {
 public:
  InverseSweep(const SpdBatch& x, Index forms)
      : scale_(x, nullptr), x_(x, scale_), forms_(forms), sums_(forms, x_.groups(), x_.elements()) {}

  const PackedBatch<T>& packed() const { return x_; }
  SumsOfInverses<T>& sums() { return sums_; }
  Index block() const { return tile_size<T>(x_.size(), 4 * factor_cost(x_.dim())); }

  /// Calls work(row block, column block, scratch), which returns the first failure, for all pairs of blocks.
  template <class Work>
  void run(double pairs, const PairOptions& options, const Work& work) {
    const Rounds rounds = share_of(tournament((x_.size() + block() - 1) / block()), options.team);
    const int threads = thread_count(options.threads, pairs * 4 * factor_cost(x_.dim()));
    ThreadErrors errors;
    PairPosition failure;
#pragma omp parallel num_threads(threads)
    {
      AlignedArray<T> scratch;
      errors.guard([&] { scratch = AlignedArray<T>(inverse_scratch<T>(x_.dim(), forms_)); });
      for (const auto& round : rounds) {
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < round.size(); ++k)
          errors.guard([&] {
            const PairPosition found = work(round[k].first, round[k].second, scratch.data());
#pragma omp critical(dsk_inverse_failure)
            if (found.found() && (!failure.found() || found.before(failure))) failure = found;
          });
      }
    }
    errors.rethrow();
    failure = first_of_all(failure, options.team);
    if (failure.found()) throw PairFailure(failure.row, failure.column);
  }

  /// The sums as full matrices.
  MatrixStack result(Index form) const {
    const Index dim = x_.dim();
    MatrixStack stack{x_.size(), dim, std::vector<double>(static_cast<std::size_t>(x_.size() * dim * dim))};
    for (Index i = 0; i < x_.size(); ++i)
      write_inverse(sums_.at(form, i / group_size<T>) + i % group_size<T>, scale_, dim,
                    stack.values.data() + i * dim * dim);
    return stack;
  }

  InverseTile<T> tile(Index row_block, Index column_block) {
    InverseTile<T> tile;
    tile.x = &x_;
    tile.row = row_block * block();
    tile.rows = std::min(block(), x_.size() - tile.row);
    tile.group = column_block * block() / group_size<T>;
    tile.groups = std::min(block() / group_size<T>, x_.groups() - tile.group);
    tile.forms = forms_;
    tile.sums = &sums_;
    return tile;
  }

 private:
  CoordinateScale scale_;
  PackedBatch<T> x_;
  Index forms_;
  SumsOfInverses<T> sums_;
};

double all_pairs(const SpdBatch& x) {
  return static_cast<double>(x.size()) * static_cast<double>(x.size() - 1) / 2;
}

template <class T>
std::vector<MatrixStack> functional_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how) {
  InverseSweep<T> sweep(x, how.forms);
  AlignedArray<T> half_logdets = self_logdets(sweep.packed());
  for (Index i = 0; i < half_logdets.size(); ++i) half_logdets[i] /= 2;
  sweep.run(all_pairs(x), how.options, [&](Index row_block, Index column_block, T* scratch) {
    InverseTile<T> tile = sweep.tile(row_block, column_block);
    tile.function = &weights;
    tile.half_logdets = half_logdets.data();
    tile.theta = how.theta;
    return inverse_tile(tile, scratch);
  });
  std::vector<MatrixStack> result;
  for (Index m = 0; m < how.forms; ++m) result.push_back(sweep.result(m));
  return result;
}

template <class T>
MatrixStack dense_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options) {
  InverseSweep<T> sweep(x, 1);
  sweep.run(all_pairs(x), options, [&](Index row_block, Index column_block, T* scratch) {
    InverseTile<T> tile = sweep.tile(row_block, column_block);
    tile.dense = &weights;
    return inverse_tile(tile, scratch);
  });
  return sweep.result(0);
}

template <class T>
MatrixStack listed_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options) {
  InverseSweep<T> sweep(x, 1);
  std::map<std::pair<Index, Index>, std::vector<WeightedPair>> by_blocks;
  for (const WeightedPair& pair : pairs) {
    const auto [first, second] = std::minmax(pair.row, pair.column);
    by_blocks[{first / sweep.block(), second / sweep.block()}].push_back({first, second, pair.weight});
  }
  sweep.run(static_cast<double>(pairs.size()), options, [&](Index row_block, Index column_block, T* scratch) {
    const auto found = by_blocks.find({row_block, column_block});
    return found == by_blocks.end() ? PairPosition()
                                    : inverse_pairs<T>(sweep.packed(), found->second, sweep.sums(), scratch);
  });
  return sweep.result(0);
}

}  // namespace

std::vector<MatrixStack> inverse_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how) {
  if (how.forms < 1 || how.forms > kMaxForms)
    throw InvalidInput(fmt::format("inverse sums take 1 to {} forms of weights, not {}", kMaxForms, how.forms));
  return how.options.precision == Precision::float64 ? functional_sums<double>(x, weights, how)
                                                     : functional_sums<float>(x, weights, how);
}

MatrixStack inverse_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options) {
  if (weights.rows() != x.size() || weights.cols() != x.size())
    throw InvalidInput(fmt::format("{} matrices need {} x {} weights, not {} x {}", x.size(), x.size(), x.size(),
                                   weights.rows(), weights.cols()));
  return options.precision == Precision::float64 ? dense_sums<double>(x, weights, options)
                                                 : dense_sums<float>(x, weights, options);
}

MatrixStack inverse_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options) {
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (std::min(pairs[k].row, pairs[k].column) < 0 || std::max(pairs[k].row, pairs[k].column) >= x.size() ||
        pairs[k].row == pairs[k].column)
      throw InvalidInput(fmt::format("pair {} is ({}, {}), but must be two different matrices of {}", k, pairs[k].row,
                                     pairs[k].column, x.size()));
  return options.precision == Precision::float64 ? listed_sums<double>(x, pairs, options)
                                                 : listed_sums<float>(x, pairs, options);
}

MatrixStack inverses(const SpdBatch& x, int threads) {
  const Index n = x.size(), dim = x.dim();
  const CoordinateScale scale(x, nullptr);
  const PackedBatch<double> packed(x, scale);
  MatrixStack result{n, dim, std::vector<double>(static_cast<std::size_t>(n * dim * dim))};
  constexpr Index group = group_size<double>;
  detail::for_ranges(packed.groups(), threads, detail::cubic_cost(dim, 0.5), [&](Index first, Index last) {
    AlignedArray<double> scratch(factor_scratch<double>(dim)), found(packed.elements() * group);
    for (Index g = first; g < last; ++g) {
      if (!invert_group(packed, g, found.data(), scratch.data()))
        throw NumericalFailure(fmt::format("one of the matrices {} to {} is not numerically positive definite",
                                           g * group, std::min(n, (g + 1) * group) - 1));
      for (Index i = g * group; i < std::min(n, (g + 1) * group); ++i)
        write_inverse(found.data() + i % group, scale, dim, result.values.data() + i * dim * dim);
    }
  });
  return result;
}

struct InverseSum::State {
  State(const SpdBatch& batch, std::span<const double> given, int asked)
      : scale(batch, nullptr),
        x(batch, scale),
        with(batch.dim()),
        weights(x.groups() * group_size<double>),
        squares(x.elements()),
        traces(x.elements()),
        threads(asked) {
    std::fill_n(weights.data(), weights.size(), 0.0);
    std::copy(given.begin(), given.end(), weights.data());
    // (D M D)^-1 = D^-1 M^-1 D^-1
    Index e = 0;
    for (Index r = 0; r < batch.dim(); ++r)
      for (Index c = 0; c <= r; ++c, ++e) {
        const double factor = scale.factor(r) * scale.factor(c);
        squares[e] = (r == c ? 1 : 2) * factor * factor;
        traces[e] = r == c ? factor : 0;
      }
  }

  CoordinateScale scale;
  PackedBatch<double> x;
  PackedBatch<double> with;
  AlignedArray<double> weights;
  AlignedArray<double> squares;
  AlignedArray<double> traces;
  int threads;
};

InverseSum::InverseSum(const SpdBatch& x, std::span<const double> weights, int threads)
    : state_(std::make_unique<State>(x, weights, threads)) {}
InverseSum::~InverseSum() = default;

SumOfInverses InverseSum::at(const Matrix& m) {
  State& state = *state_;
  const Index dim = state.x.dim(), elements = state.x.elements();
  state.with.set({m.data(), dim, dim}, state.scale);
  // As many blocks for any number of threads, so that the sums are the same.
  constexpr Index most_blocks = 64;
  const Index blocks = std::min(state.x.groups(), most_blocks);
  std::vector<InverseSumParts> parts(static_cast<std::size_t>(blocks));
  Matrix sums(blocks, elements);
  constexpr double operations_per_nanosecond = 20;
  const double cost = 4 * factor_cost(dim) / operations_per_nanosecond * static_cast<double>(state.x.size()) /
                      static_cast<double>(blocks);
  detail::for_ranges(blocks, state.threads, cost, [&](Index first, Index last) {
    AlignedArray<double> scratch(inverse_sum_scratch(dim));
    for (Index block = first; block < last; ++block) {
      InverseSumTile tile{.x = &state.x,
                          .with = state.with.row(0),
                          .weights = state.weights.data(),
                          .group = block * state.x.groups() / blocks,
                          .squares = state.squares.data(),
                          .traces = state.traces.data()};
      tile.groups = (block + 1) * state.x.groups() / blocks - tile.group;
      parts[static_cast<std::size_t>(block)] = inverse_sum_tile(tile, scratch.data(), &sums(block, 0));
    }
  });
  SumOfInverses result{Matrix(dim, dim), 0, 0};
  for (const InverseSumParts& part : parts) {
    if (!part.positive) throw NumericalFailure("the average of two matrices is not numerically positive definite");
    result.squared_traces += part.squared_traces;
    result.squared_norms += part.squared_norms;
  }
  Index e = 0;
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c <= r; ++c, ++e) {
      double sum = 0;
      for (Index block = 0; block < blocks; ++block) sum += sums(block, e);
      result.inverses(r, c) = result.inverses(c, r) = sum * state.scale.factor(r) * state.scale.factor(c);
    }
  return result;
}

}  // namespace dsk::engine
