#include "cluster/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

struct Near {
  Index neighbour = 0;
  double squared = 0;
};

/// The nearest other matrices of each, the nearest first, in memory for a block of rows.
std::vector<std::vector<Near>> nearest_neighbours(const SpdBatch& x, const Comparison& comparison, Index count,
                                                  const PairOptions& options) {
  std::vector<std::vector<Near>> near(static_cast<std::size_t>(x.size()));
  const ComparedBatch all(comparison, x, options.threads);
  visit_row_blocks(comparison, x, all, options, [&](Index first, SquaredDistances block) {
    const Matrix squared = finished(std::move(block), true, options.threads);
    for_ranges(squared.rows(), options.threads, 3.0 * static_cast<double>(x.size()), [&](Index from, Index to) {
      std::vector<Index> order(static_cast<std::size_t>(x.size() - 1));
      for (Index r = from; r < to; ++r) {
        std::iota(order.begin(), order.begin() + (first + r), 0);
        std::iota(order.begin() + (first + r), order.end(), first + r + 1);
        const auto last = order.begin() + count;
        const auto nearer = [&](Index a, Index b) {
          return squared(r, a) != squared(r, b) ? squared(r, a) < squared(r, b) : a < b;
        };
        std::nth_element(order.begin(), last - 1, order.end(), nearer);
        std::sort(order.begin(), last, nearer);
        for (auto at = order.begin(); at != last; ++at)
          near[static_cast<std::size_t>(first + r)].push_back({*at, squared(r, *at)});
      }
    });
  });
  return near;
}

/// 1 / the median squared distance of a sample.
double median_theta(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options) {
  constexpr Index sampled = 500;
  const std::vector<Index> some = random_sample(x.size(), sampled, options.seed);
  const double median =
      median_above_diagonal(pairwise_squared_distances(comparison, x.select(some), options.pairs), true);
  return median > 0 && std::isfinite(1 / median) ? 1 / median : 1;
}

Graph complete_graph(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options) {
  constexpr Index most = 20'000;
  if (x.size() > most)
    throw InvalidInput(
        fmt::format("a complete graph of {} matrices has too many pairs; use neighbours = 10 or so", x.size()));
  const double theta = options.theta.value_or(median_theta(x, comparison, options));
  Matrix weights = pairwise_squared_distances(comparison, x, options.pairs);
  exponential_in_place(weights, -theta, options.pairs.threads);
  return {std::move(weights), theta};
}

Graph neighbour_graph(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options) {
  const Index count = std::min(options.neighbours, x.size() - 1);
  const auto near = nearest_neighbours(x, comparison, count, options.pairs);
  std::vector<double> widths;
  for (const auto& of_one : near) widths.push_back(std::sqrt(of_one.back().squared));
  const auto weight = [&](std::size_t i, const Near& to) {
    if (options.theta) return std::exp(-*options.theta * to.squared);
    const double width = widths[i] * widths[static_cast<std::size_t>(to.neighbour)];
    // Among equal matrices the width is 0, and so is the distance of equal ones.
    return width > 0 ? std::exp(-to.squared / width) : to.squared > 0 ? 0.0 : 1.0;
  };
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const auto at = static_cast<Index>(i);
    for (const Near& to : near[i]) {
      entries.emplace_back(at, to.neighbour, weight(i, to));
      entries.emplace_back(to.neighbour, at, weight(i, to));
    }
    entries.emplace_back(at, at, 1.0);
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> weights(x.size(), x.size());
  weights.setFromTriplets(entries.begin(), entries.end(), [](double a, double b) { return std::max(a, b); });
  return {std::move(weights), options.theta};
}

}  // namespace

Index Graph::size() const {
  return std::visit([](const auto& matrix) { return static_cast<Index>(matrix.rows()); }, weights);
}

Eigen::VectorXd Graph::degrees() const {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(size());
  return std::visit([&](const auto& matrix) -> Eigen::VectorXd { return matrix * ones; }, weights);
}

Graph similarity_graph(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options) {
  if (!is_symmetric(comparison.metric))
    throw InvalidInput(
        fmt::format("metric {} is not symmetric and makes no graph; use kullback_sym", name(comparison.metric)));
  if (options.neighbours == 0 || x.size() == 1) return complete_graph(x, comparison, options);
  return neighbour_graph(x, comparison, options);
}

TopEigenvectors normalised_spectrum(const Graph& graph, Index count, std::uint64_t seed, int threads) {
  const Eigen::VectorXd scale = graph.degrees().cwiseSqrt().cwiseInverse();
  const auto multiply = [&](const Eigen::MatrixXd& x) {
    const Matrix scaled = scale.asDiagonal() * x;
    Matrix product(x.rows(), x.cols());
    const double entries = std::visit([](const auto& w) { return static_cast<double>(w.size()); }, graph.weights);
    const auto* const sparse = std::get_if<Eigen::SparseMatrix<double, Eigen::RowMajor>>(&graph.weights);
    const double each = (sparse == nullptr ? entries : static_cast<double>(sparse->nonZeros())) /
                        static_cast<double>(x.rows()) * static_cast<double>(x.cols()) / 2;
    for_ranges(x.rows(), threads, each, [&](Index first, Index last) {
      if (sparse == nullptr) {
        product.middleRows(first, last - first).noalias() =
            std::get<Matrix>(graph.weights).middleRows(first, last - first) * scaled;
        return;
      }
      for (Index i = first; i < last; ++i) {
        product.row(i).setZero();
        for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(*sparse, i); entry; ++entry)
          product.row(i) += entry.value() * scaled.row(entry.col());
      }
    });
    return Eigen::MatrixXd(scale.asDiagonal() * product);
  };
  constexpr double tolerance = 1e-6;
  return top_eigenvectors(graph.size(), multiply, count, tolerance, seed);
}

}  // namespace dsk::detail
