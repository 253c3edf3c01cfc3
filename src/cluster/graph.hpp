#pragma once

#include <dsk/cluster.hpp>

#include <Eigen/SparseCore>

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

namespace dsk::detail {

/// A symmetric graph with non-negative weights, complete or of near matrices only.
struct Graph {
  std::variant<Matrix, Eigen::SparseMatrix<double, Eigen::RowMajor>> weights;
  std::optional<double> theta = {};  ///< none: widths of their own

  Index size() const;
  Eigen::VectorXd degrees() const;
};

/// exp(-theta d^2) between a matrix and its `neighbours` nearest, either way round, or between all for 0. Without theta
/// as ClusterOptions says. Throws InvalidInput for a metric that is not symmetric.
Graph similarity_graph(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options);

/// y = A x for a symmetric matrix A and n rows x.
using SymmetricOperator = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& x)>;

struct TopEigenvectors {
  std::vector<double> values;  ///< descending
  Eigen::MatrixXd vectors;     ///< columns
  bool converged = true;
};

/// The largest eigenvalues of A, whose eigenvalues are between -1 and 1, with residuals below the tolerance: by a block
/// Krylov method, which finds equal eigenvalues too.
TopEigenvectors top_eigenvectors(Index size, const SymmetricOperator& multiply, Index count, double tolerance,
                                 std::uint64_t seed);

/// Of D^-1/2 W D^-1/2, the weights divided by the degrees.
TopEigenvectors normalised_spectrum(const Graph& graph, Index count, std::uint64_t seed, int threads);

}  // namespace dsk::detail
