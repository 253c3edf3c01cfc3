#pragma once

#include <dsk/engine.hpp>
#include <dsk/learn.hpp>

#include <memory>
#include <span>
#include <vector>

#include "kernel/kernel.hpp"
#include "machine/messages.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

/// The matrices of each class that occurs, ascending. Classes are in the order of their first matrices: names do not
/// matter, to the bit.
std::vector<std::vector<Index>> members_of(const Labels& labels);

/// The classes that occur among a training set's labels, numbered from 0 in the order of `members_of`.
struct Classes {
  /// Throws InvalidInput if there are fewer than two.
  explicit Classes(const Dataset& train);

  Index samples() const { return static_cast<Index>(of.size()); }
  Index count() const { return static_cast<Index>(members.size()); }
  Index size(int c) const { return static_cast<Index>(members[static_cast<std::size_t>(c)].size()); }
  int operator[](Index i) const { return of[static_cast<std::size_t>(i)]; }

  std::vector<int> of;                      ///< class of each matrix
  std::vector<std::vector<Index>> members;  ///< matrices of each class, ascending
  std::vector<double> weights;              ///< of the matrices; empty: all 1
};

/// A criterion J(K) and what its gradient is made of: with W = dJ/dK and c = W o K, the sums A_i of weighted inverses
/// and r_i of weights give dJ/dX_i = -theta (A_i - r_i X_i^-1).
struct KernelGradient {
  double value = 0;
  WeightedInverses inverses;
  double by_log_c = 0;
};

/// A criterion on a sweep over the training set's matrices: transformed or not, it does not know.
class Objective {
 public:
  virtual ~Objective() = default;
  /// J for every theta (rows) and C (columns).
  virtual Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const = 0;
  /// The same for a search for the smallest: values above `limit`, or above another one of these, may be infinite.
  virtual Matrix values_up_to(double /*limit*/, const PairSums& pairs, std::span<const double> thetas,
                              std::span<const double> cs) const {
    return values(pairs, thetas, cs);
  }
  virtual KernelGradient gradient(const PairSums& pairs, double theta, double c) const = 0;
};

/// The classes must outlive the objective.
using ObjectiveMaker = std::unique_ptr<Objective> (*)(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> alignment(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> separability(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> radius_margin(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> trace_margin(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> centred(const Classes& classes, const PairOptions& options);
std::unique_ptr<Objective> neighbour(const Classes& classes, const PairOptions& options);

/// A criterion of matrices with weights, from the kernel matrix and its logarithm.
struct WeightedKernel {
  const Matrix& kernel;
  const Matrix& logarithm;
  const Classes& classes;
};
/// J, and dJ/dK o K, which is asked for unless it is null; its diagonal is ignored.
using WeightedCriterion = double (*)(const WeightedKernel& data, Matrix* weights);
double weighted_alignment(const WeightedKernel& data, Matrix* weights);
double weighted_separability(const WeightedKernel& data, Matrix* weights);
double weighted_centred(const WeightedKernel& data, Matrix* weights);
double weighted_neighbour(const WeightedKernel& data, Matrix* weights);

/// Such a criterion on a sweep. Keeps the kernel matrix. The classes must outlive it.
std::unique_ptr<Objective> make_weighted_objective(WeightedCriterion criterion, const Classes& classes,
                                                   const PairOptions& options);

/// All that makes a criterion: parsing, help texts and the names of methods come from its row in the table.
struct CriterionRow {
  Criterion value;
  std::string_view name;
  std::string_view alias;
  std::string_view letters;  ///< in the names of methods
  std::string_view help;
  bool maximised;
  bool has_soft_margin;
  ObjectiveMaker make;
  WeightedCriterion weighted;  ///< null: what `make` returns takes matrices of different weights
};
const CriterionRow& row_of(Criterion criterion);

/// criterion(kernel(transform(X))): a criterion as a function of a transform's parameters, of theta and of C.
class Composition {
 public:
  /// The search must outlive it. Throws InvalidInput for fewer than two classes.
  Composition(const CriterionRow& criterion, const Dataset& train, TransformSearch& search, const PairOptions& options);

  /// Of what the sweep holds, for every theta (rows) and C (columns).
  Matrix values(std::span<const double> thetas, std::span<const double> cs) const;
  /// As Objective::values_up_to.
  Matrix values_up_to(double limit, std::span<const double> thetas, std::span<const double> cs) const;
  /// At the parameters that `apply` has put into the sweep. What is linear in `inverses` must be added up over ranks.
  KernelGradient gradient(double theta, double c) const;
  PairSums& pairs() { return pairs_; }
  const CriterionRow& criterion() const { return criterion_; }

 private:
  const CriterionRow& criterion_;
  std::unique_ptr<Classes> classes_;
  std::unique_ptr<Objective> objective_;
  PairSums pairs_;
};

/// J, and the weights that make dJ/dK o K of the forms.
struct SumValue {
  double value = 0;
  FormWeights weights;
};

/// A criterion that is a function of sums over pairs, (forms, n); the diagonal of K is 1 and not among the sums.
struct SumCriterion {
  std::vector<PairForm> forms;
  SumValue (*evaluate)(const Matrix& sums, const Classes& classes);
  bool weighs_rows = false;
};

/// Such a criterion on a sweep, in memory that grows with n d^2 only. The classes must outlive it.
std::unique_ptr<Objective> make_sum_objective(SumCriterion criterion, const Classes& classes);

/// Two classes against each other: K~ = K + diag(1 / (w C)) of their members, those of the first class first. A member
/// of weight w counts as w equal ones, each with a slack of its own.
struct ClassPair {
  const Matrix& soft_kernel;
  std::span<const int> signs;
  const Eigen::VectorXd& weights;
  double c = 1;
};

/// The share of a class pair in a margin criterion: dJ/dK = sum_r factor[r] vector[r] vector[r]' off the diagonal.
struct MarginTerm {
  double value = 0;
  double factor[2] = {0, 0};
  Eigen::VectorXd vector[2];
  double by_log_c = 0;
  MarginDual margin;
  BallDual ball;
};

/// Value and weights of one class pair; `similar`, if any, is the same pair's term for a similar kernel.
using MarginCriterion = MarginTerm (*)(const ClassPair& pair, const MarginTerm* similar);

/// A margin criterion summed over all pairs of classes, each solved by one rank of a team. Keeps the kernel matrix, and
/// the solutions of the last call to start the next one from; results do not depend on them.
class MarginObjective : public Objective {
 public:
  MarginObjective(MarginCriterion criterion, const Classes& classes, const PairOptions& options);
  Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const override;
  /// Class pairs are added up until the sum is above the limit.
  Matrix values_up_to(double limit, const PairSums& pairs, std::span<const double> thetas,
                      std::span<const double> cs) const override;
  KernelGradient gradient(const PairSums& pairs, double theta, double c) const override;

 private:
  struct PairMemory;

  /// Leaves the terms of all class pairs in `last_` and returns their sum; infinity if it is above the limit, and then
  /// `last_` is as before.
  double solve(const Matrix& kernel, double c, double limit) const;
  MarginTerm solve_pair(const Matrix& kernel, double c, std::size_t pair, PairMemory& memory) const;
  /// c = dJ/dK o K, zero on the diagonal, in place of the kernel.
  void weigh(const std::vector<MarginTerm>& terms, Matrix& kernel) const;
  void weigh_class(const std::vector<MarginTerm>& terms, Index first, Matrix& kernel) const;
  /// Position of the pair of classes first < second among all terms.
  std::size_t position(Index first, Index second) const;

  MarginCriterion criterion_;
  const Classes& classes_;
  PairOptions options_;
  std::vector<std::pair<int, int>> class_pairs_;
  mutable std::vector<MarginTerm> last_, next_;
};

}  // namespace dsk::detail
