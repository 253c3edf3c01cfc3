#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <complex>
#include <span>
#include <string>
#include <string_view>

namespace dsk {

/// Distances and divergences between SPD matrices: Table I of Zhang, Wang, Zhou & Li, and those of pyRiemann.
enum class Metric {
  airm,
  cholesky,
  euclidean,
  harmonic,        ///< Euclidean distance of the inverses
  kullback,        ///< divergence of Gaussians, d(X, Y) = (tr(Y^-1 X) - d + log det Y - log det X) / 2; not symmetric
  kullback_right,  ///< d(Y, X)
  kullback_sym,    ///< d(X, Y) + d(Y, X)
  logcholesky,     ///< Euclidean distance of Cholesky factors with the logarithm of their diagonals
  logeuclidean,
  powereuclidean,
  stein,
  thompson,    ///< the largest |log| of the eigenvalues of X^-1 Y
  wasserstein  ///< (tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2)^1/2, also named after Bures
};

/// Reads a metric's name or alias, such as "airm" or "riemann"; pyRiemann's names are among them. Throws InvalidInput,
/// listing all of them.
Metric parse_metric(std::string_view text);
std::string_view name(Metric metric);
/// Of its kernel, or of itself if it has none, in the names of methods: SK, LEK, AIRM, ...
std::string_view letters(Metric metric);
/// All of them, and the same as a text for help: "airm (riemann), ...".
std::span<const Metric> all_metrics();
std::string metric_choices();

/// For which theta exp(-theta d^2) is positive definite for every sample of d x d matrices.
enum class ThetaRule {
  none,          ///< for no theta
  any,           ///< for any theta above 0
  half_integers  ///< for theta in {1/2, 1, ..., (d-1)/2} or above (d-1)/2
};
ThetaRule theta_rule(Metric metric);

/// Whether the distance of X from Y is that of Y from X: not for kullback and kullback_right.
bool is_symmetric(Metric metric);
/// Whether kernels by the metric can be learned: stein, and the metrics that are Euclidean after a map whose derivative
/// is known. The same as a text for help.
bool is_learnable(Metric metric);
std::string learnable_metric_choices();
/// Whether `mean` knows the mean by this metric: not for thompson.
bool has_mean(Metric metric);
/// What batches must have been checked for: Check::none for the Euclidean metric, which is one of all symmetric
/// matrices.
Check required_check(Metric metric);
/// Whether Precision::float32 makes a difference.
bool has_single_precision(Metric metric);

struct DistanceOptions {
  Metric metric = Metric::stein;
  bool squared = false;
  double zeta = 0.5;  ///< exponent of the power-Euclidean metric, not 0
  PairOptions pairs = {};
};

/// Distances of all pairs of x with x (zero diagonal, and symmetric to the bit if the metric is) or of x with y: row i,
/// column j is the distance of x[i] from y[j]. Throws InvalidInput, naming the pair, if a distance or its square is
/// above the largest double.
Matrix pairwise_distances(const SpdBatch& x, const DistanceOptions& options = {});
Matrix pairwise_distances(const SpdBatch& x, const SpdBatch& y, const DistanceOptions& options = {});

/// The distances of batches that are made of these matrices, to the bit, and the same errors. Metrics for which it is
/// possible do without the copy of a batch, and those that are made of Cholesky factors take them from the check.
Matrix pairwise_distances(const StackView& x, const DistanceOptions& options = {});
Matrix pairwise_distances(const StackView& x, const StackView& y, const DistanceOptions& options = {});

/// The distance of two matrices of any Eigen type. Throws InvalidInput also if one is not symmetric positive definite.
/// Many pairs are faster as batches.
double distance(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
                const DistanceOptions& options = {});
double distance(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b, Metric metric);

/// The Stein divergence S(A, B) = logdet((A + B)/2) - (logdet A + logdet B)/2 of two matrices: the squared distance by
/// Metric::stein.
double stein(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b);

/// How accurate Stein divergences between the matrices of a batch are.
struct SteinAccuracy {
  double condition = 1;  ///< the largest condition number of a matrix scaled to unit diagonal
  double error = 0;      ///< the largest absolute error of S to expect
};

/// Costs one Cholesky factor per matrix; condition numbers are estimated to within a few per cent.
SteinAccuracy stein_accuracy(const SpdBatch& x, Precision precision = Precision::float64, int threads = 0);

/// Condition number above which single precision leaves less than about two digits of S between similar matrices.
inline constexpr double float32_condition_limit = 1e5;

/// Complex Hermitian matrices as real symmetric ones of twice the size: each entry a + ib becomes the block
/// [[a, -b], [b, a]]. Products, inverses, functions, Cholesky factors and means of the real matrices are those of the
/// complex ones; eigenvalues come in pairs. `values` holds `count` matrices of `dim` x `dim`, row by row. Throws
/// InvalidInput, naming the matrix, if one is not Hermitian up to `tolerance` of its largest entry.
MatrixStack embed_hermitian(std::span<const std::complex<double>> values, Index count, Index dim,
                            double tolerance = symmetry_tolerance);

/// Distances, or squared ones, of embedded matrices are this many times those of the complex ones: squares of most
/// metrics are doubled, and so are the Kullback-Leibler divergences.
double embedding_factor(Metric metric, bool squared);

}  // namespace dsk
