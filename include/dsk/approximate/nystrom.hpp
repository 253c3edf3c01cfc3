#pragma once

#include <dsk/kernel/comparison.hpp>
#include <dsk/spd/dataset.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace dsk {

/// How the matrices that stand for all others are chosen.
enum class Landmarks {
  adaptive,  ///< one after the other at random, in proportion to how badly those before it represent a matrix
  greedy,    ///< one after the other, each time the matrix that those before it represent worst
  uniform    ///< at random
};

/// Reads "adaptive", "greedy" or "uniform"; throws InvalidInput.
Landmarks parse_landmarks(std::string_view text);
std::string_view name(Landmarks choice);

inline constexpr Index most_landmarks = 100'000;

struct NystromOptions {
  Index landmarks = 1000;            ///< at most; fewer where all others are represented by those already chosen
  std::optional<double> error = {};  ///< stop as soon as the residual share is no larger, between 0 and 1
  Landmarks choice = Landmarks::adaptive;
  /// Of the kernel exp(-theta d^2). By default the learned kernel's, otherwise 1 / the median squared distance of a
  /// sample, or the next larger theta that makes a kernel.
  std::optional<double> theta = {};
  /// Landmarks are chosen among so many matrices drawn at random, in pool x landmarks doubles of memory. 0: ten times
  /// the landmarks, at least 10,000.
  Index pool = 0;
  std::uint64_t seed = 0;  ///< of the pool and of the landmarks
  PairOptions pairs = {};
};

/// Features phi(X) = L^-1 (k(X, landmark_1), ..., k(X, landmark_m)), L being the Cholesky factor of the landmarks'
/// kernel matrix: phi(X)'phi(Y) is the kernel of Nystrom's approximation, exact if X or Y is a landmark.
class NystromMap {
 public:
  /// `factor` is (m, m), lower. Throws InvalidInput unless the parts fit together, theta makes a kernel, and the
  /// factor is finite with positive diagonal.
  NystromMap(Comparison comparison, double theta, Dataset landmarks, Matrix factor, int threads = 0);

  const Comparison& comparison() const { return comparison_; }
  double theta() const { return theta_; }
  /// In the order in which they were chosen, with what else was known of them.
  const Dataset& landmarks() const { return landmarks_; }
  const Matrix& factor() const { return factor_; }
  Index size() const { return landmarks_.size(); }
  Index dim() const { return landmarks_.dim(); }

  /// One row of `size()` features for each matrix. Throws InvalidInput for matrices of another size.
  Matrix features(const SpdBatch& x, const PairOptions& options = {}) const;

  /// The same in blocks of rows, whose memory does not grow with the number of matrices: calls visit(first row,
  /// features) for one block after the other.
  using Visitor = std::function<void(Index first, const Matrix& features)>;
  void visit_features(const SpdBatch& x, const Visitor& visit, const PairOptions& options = {}) const;

 private:
  Comparison comparison_;
  double theta_;
  Dataset landmarks_;
  Matrix factor_;
  ComparedBatch compared_;
};

/// How a map's landmarks were chosen.
struct NystromFit {
  std::vector<Index> chosen;  ///< positions of the landmarks, in their order
  Index pool = 0;             ///< that they were chosen among
  /// After each landmark the part of the trace of the training set's kernel matrix that the map does not have, which is
  /// the mean of 1 - |phi(X)|^2 since k(X, X) = 1: from the pool, as if the matrices outside it were like the others in
  /// it that are no landmarks. Exact if the pool is the training set.
  std::vector<double> residual_shares;
};

struct NystromResult {
  NystromMap map;
  NystromFit fit;
};

/// Chooses landmarks by the incomplete Cholesky factor of a pool's kernel matrix; each takes one column of kernel
/// values. A matrix with a residual of 1e-10 or less, such as the copy of a landmark, is never taken. The same for any
/// number of threads. Throws InvalidInput for options out of range and for comparisons that make no kernel.
NystromResult fit_nystrom(const Comparison& comparison, const Dataset& train, const NystromOptions& options = {});
NystromResult fit_nystrom(const LearnedKernel& kernel, const Dataset& train, const NystromOptions& options = {});

/// 1 - |phi|^2 for one row of features, never negative: the squared distance of a matrix from what landmarks can say.
double residual(const Eigen::Ref<const Eigen::RowVectorXd>& features);

}  // namespace dsk
