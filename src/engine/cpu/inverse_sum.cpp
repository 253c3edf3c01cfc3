#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/cpu/inverse_sum_tile.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {

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
