#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "cluster/clusterer.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/interrupt.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

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
  widths.reserve(near.size());
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
        fmt::format("metric {} is not symmetric, so it gives no graph; use kullback_sym", name(comparison.metric)));
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

namespace {

constexpr Index dense_up_to = 400;
constexpr Index extra_columns = 4;  ///< beyond those wanted, which makes the last of these converge
constexpr Index most_blocks = 12;
constexpr int most_restarts = 100;

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

TopEigenvectors largest_of(const Eigen::MatrixXd& symmetric, Index count) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  TopEigenvectors top{{}, solver.eigenvectors().rowwise().reverse().leftCols(count)};
  for (Index k = 0; k < count; ++k) top.values.push_back(solver.eigenvalues()[symmetric.rows() - 1 - k]);
  return top;
}

/// Signs that do not depend on the solver: the entry of largest size is positive.
void fix_signs(Eigen::MatrixXd& vectors) {
  for (Index k = 0; k < vectors.cols(); ++k) {
    Index largest = 0;
    vectors.col(k).cwiseAbs().maxCoeff(&largest);
    if (vectors(largest, k) < 0) vectors.col(k) *= -1;
  }
}

/// An orthonormal basis of x, A x, A^2 x, ... and A times it.
struct Krylov {
  Eigen::MatrixXd basis, images;
};

Krylov krylov(const SymmetricOperator& multiply, const Eigen::MatrixXd& x, Index blocks) {
  const Index width = x.cols();
  Krylov space{Eigen::MatrixXd(x.rows(), width * blocks), Eigen::MatrixXd(x.rows(), width * blocks)};
  Eigen::MatrixXd block = x;
  for (Index b = 0; b < blocks; ++b) {
    check_interrupt();
    space.basis.middleCols(b * width, width) = block;
    const Eigen::MatrixXd image = multiply(block);
    space.images.middleCols(b * width, width) = image;
    if (b + 1 == blocks) break;
    block = image;
    // Twice, as the first time leaves little more than rounding where the basis is complete.
    for (int pass = 0; pass < 2; ++pass) {
      const auto known = space.basis.leftCols((b + 1) * width);
      block -= known * (known.transpose() * block).eval();
      block = orthonormal(block);
    }
  }
  return space;
}

}  // namespace

TopEigenvectors top_eigenvectors(Index size, const SymmetricOperator& multiply, Index count, double tolerance,
                                 std::uint64_t seed) {
  const Index width = count + extra_columns;
  TopEigenvectors top;
  if (size <= std::max(dense_up_to, 3 * width)) {
    top = largest_of(multiply(Eigen::MatrixXd::Identity(size, size)), std::min(count, size));
  } else {
    std::mt19937_64 random(seed);
    Eigen::MatrixXd x(size, width);
    for (double& value : x.reshaped()) value = uniform(random) - 0.5;
    x = orthonormal(x);
    const Index blocks = std::clamp<Index>(size / width / 2, 2, most_blocks);
    top.converged = false;
    for (int restart = 0; restart < most_restarts && !top.converged; ++restart) {
      const Krylov space = krylov(multiply, x, blocks);
      Eigen::MatrixXd projected = space.basis.transpose() * space.images;
      projected = (projected + projected.transpose().eval()) / 2;
      const TopEigenvectors ritz = largest_of(projected, width);
      x = space.basis * ritz.vectors;
      Eigen::MatrixXd residual = space.images * ritz.vectors.leftCols(count);
      for (Index k = 0; k < count; ++k) residual.col(k) -= ritz.values[static_cast<std::size_t>(k)] * x.col(k);
      top.converged = residual.colwise().norm().maxCoeff() <= tolerance;
      top.values.assign(ritz.values.begin(), ritz.values.begin() + count);
    }
    top.vectors = x.leftCols(count);
  }
  fix_signs(top.vectors);
  return top;
}

}  // namespace dsk::detail
