#pragma once

#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// How well a kernel separates the classes. The first four are the paper's.
enum class Criterion {
  alignment,      ///< <T, K> / (n |K|), T = +1 for pairs of one class and -1 for others; maximised
  separability,   ///< tr S_B / tr S_W, between-class over within-class scatter; maximised
  radius_margin,  ///< R^2 |w|^2, summed over pairs of classes; minimised
  trace_margin,   ///< tr S_T |w|^2, summed over pairs of classes; minimised
  centred,        ///< alignment of the doubly centred kernel with the doubly centred same-class indicator; maximised
  neighbour       ///< mean log probability that a neighbour drawn with p_ij ~ K_ij has the same class; maximised
};

/// Reads a name (radius-margin, ...) or letters (ka, cs, rm, tm, ca, nn). Throws InvalidInput, listing all of them.
Criterion parse_criterion(std::string_view text);
std::string_view name(Criterion criterion);
/// In the names of methods: KA, CS, RM, TM, CA or NN.
std::string_view letters(Criterion criterion);
/// All of them, and the same as a text for help: "alignment (ka), ...".
std::span<const Criterion> all_criteria();
std::string criterion_choices();
/// Those that are sums over pairs, which can learn a subspace and from random blocks: "alignment (ka), ...".
std::string pair_criterion_choices();
bool is_maximised(Criterion criterion);
/// Whether the criterion has a parameter C of its own: the radius and the trace margin, with their L2-norm soft margin.
bool has_soft_margin(Criterion criterion);

/// A criterion on a training set, as a function of the kernel.
class CriterionFunction {
 public:
  /// A criterion's value and its derivatives at a kernel.
  struct Gradient {
    double value = 0;
    Eigen::VectorXd by_slope;      ///< dJ/da_z, of log lam~_z = a_z (log(lam_z / scale) - m_z) + m_z + b_z
    Eigen::VectorXd by_intercept;  ///< dJ/db_z
    double by_log_c = 0;           ///< dJ/dlog C, 0 for a criterion without C
    double by_zeta = 0;            ///< dJ/dzeta, 0 for metrics without zeta
  };

  /// Decomposes the matrices. Throws InvalidInput for fewer than two classes, and for the neighbour criterion if no
  /// class has two members, or if kernels by the metric cannot be learned.
  CriterionFunction(Criterion criterion, const Dataset& train, const PairOptions& options = {},
                    Metric metric = Metric::stein);
  CriterionFunction(CriterionFunction&&) noexcept;
  CriterionFunction& operator=(CriterionFunction&&) noexcept;
  ~CriterionFunction();

  /// Value and gradient together, at about four times the cost of a kernel matrix, in memory that grows with n d^2; the
  /// margin criteria keep the kernel matrix too. Throws InvalidInput where the kernel leaves the range of double, and
  /// for one by another metric.
  Gradient operator()(const LearnedKernel& kernel, double c = 1) const;
  /// Values of the plain kernel for every theta (rows) and C (columns; without meaning for the other criteria).
  Matrix plain_values(std::span<const double> thetas, std::span<const double> cs) const;
  /// Logarithms of the eigenvalues, descending, (n, d).
  const Matrix& log_eigenvalues() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What the data are divided by before their eigenvalues are adjusted. Matters for `power` only.
struct Scale {
  enum class Kind { none, unit, number };
  Kind kind = Kind::none;
  double factor = 1;  ///< of Kind::number

  /// Reads "none", "unit" (the geometric mean of all eigenvalues of the training set) or a number above 0.
  static Scale parse(std::string_view text);
};

/// How learning went. The objective is the criterion less (where it is minimised: plus) the penalty.
struct Fit {
  /// Why the optimiser stopped.
  enum class Stop {
    converged,        ///< the objective changed by less than the tolerance
    iteration_limit,  ///< as many iterations as allowed
    line_search,      ///< no step along the direction improved the objective, also after starting again
    cancelled         ///< the callback asked for it
  };

  /// The state after an iteration, given to the callback.
  struct Iteration {
    int number = 0;
    double objective = 0;
    double gradient_norm = 0;
  };

  /// What was learned from over random blocks.
  struct Blocks {
    Index size = 0;             ///< matrices of a block
    Index learned_on = 0;       ///< blocks of the last and largest sample learned from
    Index evaluated_on = 0;     ///< other blocks, that the criterion of the learned kernel was estimated on
    Index failed = 0;           ///< blocks left out, whose matrices make it leave the range of double
    double standard_error = 0;  ///< of that estimate
  };

  Stop stop = Stop::converged;
  int iterations = 0;
  int evaluations = 0;
  std::vector<double> history;  ///< objective of the first kernel, then after each iteration, at last the learned one's
  double criterion = 0;         ///< of the learned kernel, without the penalty
  double c = 0;                 ///< of the margin criteria, 0 otherwise
  /// Where random blocks were learned from. History then is of samples of blocks, and `criterion` is the estimate for
  /// all pairs.
  std::optional<Blocks> blocks = {};
  std::optional<Mean::Stop> mean_stop = {};  ///< of the mean by which matrices were recentred or whitened, if they were
};
std::string_view name(Fit::Stop reason);

struct FitOptions {
  Metric metric = Metric::stein;  ///< one of the learnable ones
  Criterion criterion = Criterion::alignment;
  Adjustment adjustment = Adjustment::power;
  std::optional<double> theta = {};  ///< without: the best by the criterion before adjusting
  std::optional<double> c = {};      ///< where the margin criteria's C starts; without: as theta
  /// Of the power-Euclidean metric; without: learned with the adjustment, from 1/2, and drawn to that by the penalty.
  std::optional<double> zeta = {};
  bool allow_indefinite = false;  ///< take a given theta for which the kernel need not be positive definite
  /// Without a given theta: look for it also among those for which the kernel need not be positive definite, and take
  /// one of them where that makes the criterion more than 1 % better.
  bool search_all_thetas = false;
  double penalty = 0;  ///< times |alpha - alpha0|^2 (and |beta|^2); infinite: learn theta only
  /// Where alpha starts and what the penalty draws it to: one value for each eigenvalue, largest first, or one for all;
  /// without: 1, the plain kernel. Theta is found for the plain kernel.
  std::vector<double> alpha0 = {};
  /// Learn a subspace of this many components first, by centred alignment, and adjust eigenvalues there; 0: none.
  Index components = 0;
  int subspace_iterations = 40;  ///< 0: its closed-form start alone
  bool recentre = false;         ///< move the affine invariant mean of the training set to the identity matrix first
  Scale scale = {};
  int max_iterations = 100;
  double tolerance = 1e-5;                                       ///< relative change of the objective at which to stop
  std::function<bool(const Fit::Iteration&)> on_iteration = {};  ///< false: stop, keeping the best so far
  /// Estimate the criterion over random blocks of this many matrices, for training sets whose pairs are too many; 0, or
  /// as many as the training set has: over all pairs. Not for the margin criteria.
  Index batch = 0;
  std::uint64_t batch_seed = 0;  ///< of the random blocks
  PairOptions pairs = {};
};

struct LearnResult {
  LearnedKernel kernel;
  Fit fit;
};

/// The kernel whose adjusted eigenvalues make the criterion best on the training set: theta first, then the
/// adjustment. The result is the same, to the bit, for any names of the classes and any number of threads.
/// Throws InvalidInput for a bad option, for fewer than two classes, and where the criterion is undefined.
LearnResult fit_kernel(const Dataset& train, const FitOptions& options = {});

/// How a subspace is learned.
struct SubspaceOptions {
  Metric metric = Metric::stein;             ///< that projected matrices are compared by: one of the learnable ones
  double zeta = 0.5;                         ///< of the power-Euclidean metric
  Criterion criterion = Criterion::centred;  ///< any but the margin criteria
  std::optional<double> theta = {};          ///< of the kernel; without: optimised along with W
  /// Times |W - W0|^2, W0 being where the search starts, with orthonormal columns, in coordinates in which the mean of
  /// the training set is the identity matrix; relative to the criterion's value at W0 where that is not an alignment.
  double penalty = 0.01;
  int max_iterations = 40;                                       ///< 0: the closed-form start W0 alone
  double tolerance = 1e-4;                                       ///< relative change of the objective at which to stop
  std::function<bool(const Fit::Iteration&)> on_iteration = {};  ///< false: stop, keeping the best so far
  Index batch = 0;                                               ///< as in FitOptions
  std::uint64_t batch_seed = 0;
  PairOptions pairs = {};
};

/// A learned subspace: W, and theta of the kernel that it was learned with.
struct Subspace {
  Projection projection;
  double theta = 1;
  Fit fit = {};
};

/// Weights of several kernel matrices of one training set.
struct KernelWeights {
  Eigen::VectorXd weights;    ///< not negative, 1 in sum: of the kernels divided by their variances
  Eigen::VectorXd variances;  ///< of the training set in each feature space: mean_i k(x_i, x_i) - mean_ij k(x_i, x_j)
  double alignment = 0;       ///< of the sum with the classes, after both are centred: 1 would be perfect
};

/// The non-negative weights by which a sum of kernels has the largest centred alignment with the classes (Cortes, Mohri
/// & Rostamizadeh 2012): min v'Mv - 2 v'a over v >= 0, where M_kl = <K_k, K_l> and a_k = <K_k, Y> for kernel matrices
/// that are centred and divided by their variances, Y being the centred same-class indicator. A matrix with a sample
/// weight counts as so many equal ones. Kernels without variance get no weight; if none is aligned at all, the others
/// get equal weights. The same bits for any number of threads. Throws InvalidInput for no kernels, sizes that do not
/// fit, kernels that are not symmetric up to 1e-8 or not finite, and fewer than two classes.
KernelWeights align_kernels(std::span<const Matrix> kernels, const Labels& labels,
                            std::span<const double> sample_weights = {}, int threads = 0);

struct SavedKernel {
  /// How a kernel was learned: kept with it for readers, not needed for using it. No number may be NaN.
  struct Origin {
    std::string criterion = {};  ///< its name; empty: the kernel was not learned
    double value = 0;            ///< of the criterion, for this kernel
    double c = 0;                ///< of the margin criteria, 0 otherwise
    double penalty = 0;          ///< may be infinite
    Index iterations = 0;
    std::string stop = {};                  ///< why learning stopped
    std::vector<double> history = {};       ///< objective before and after each iteration
    Index samples = 0;                      ///< in the training set
    std::vector<std::string> classes = {};  ///< their names, in UTF-8

    bool operator==(const Origin&) const = default;
  };

  LearnedKernel kernel;
  Origin origin = {};
};

}  // namespace dsk
