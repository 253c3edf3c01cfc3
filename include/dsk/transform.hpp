#pragma once

#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dsk {

/// How eigenvalues, sorted descending, are adjusted: power and coefficient are the paper's two ways, affine contains
/// both and does not depend on the data's units.
enum class Adjustment { power, coefficient, affine };

/// Reads "power", "coefficient", "affine" or p, c, a. Throws InvalidInput, listing all of them.
Adjustment parse_adjustment(std::string_view text);
std::string_view name(Adjustment adjustment);
/// In the names of methods: p, c or a.
std::string_view letters(Adjustment adjustment);
/// All of them, and the same as a text for help: "power (p), ...".
std::span<const Adjustment> all_adjustments();
std::string adjustment_choices();

/// With l = log(lam_z / scale), the adjusted eigenvalue of X = U diag(lam) U' is the exponential of
///   alpha_z l                            (power)
///   l + log(alpha_z)                     (coefficient)
///   alpha_z (l - m_z) + m_z + beta_z     (affine, m = centre).
struct EigenvalueAdjustment {
  Adjustment kind = Adjustment::power;
  Eigen::VectorXd alpha;   ///< all 1: not adjusted
  Eigen::VectorXd beta;    ///< of affine; zeros otherwise
  Eigen::VectorXd centre;  ///< of affine: the training set's mean of l; zeros otherwise
  double scale = 1;

  /// Leaves matrices of this size as they are.
  static EigenvalueAdjustment none(Index dim, Adjustment kind = Adjustment::power);

  /// Throws InvalidInput, naming the bad entry, unless sizes agree and all is finite, scale and a coefficient's alpha
  /// positive, and beta and centre zeros where they have no meaning.
  void check() const;
  /// The same for adjusting matrices of this size.
  void check_for(Index matrix_dim) const;
  Index dim() const { return alpha.size(); }
  Index result_dim() const { return dim(); }
  bool is_none() const;
  /// log lam~ = slope log(lam / scale) + intercept, for each position.
  Eigen::VectorXd slope() const;
  Eigen::VectorXd intercept() const;
};

/// The matrices with adjusted eigenvalues. An eigenvalue below 4 d^2 eps of its matrix's largest is raised to that:
/// beyond it double cannot tell a matrix from a singular one, and new data must not fail for a little more spread than
/// the training set had. Throws NumericalFailure if a matrix leaves the range of double.
SpdBatch adjust(const SpdBatch& batch, const EigenvalueAdjustment& adjustment, int threads = 0);

/// Z = W' X W with W of d rows and m <= d columns: the directions in which matrices are compared or, with m = d, other
/// coordinates, such as those in which a mean is the identity matrix.
struct Projection {
  Matrix w;

  /// Throws InvalidInput unless W is finite, has at least one column and no more columns than rows, and its columns are
  /// linearly independent.
  void check() const;
  Index dim() const { return w.rows(); }
  Index result_dim() const { return w.cols(); }
  bool is_none() const;
};

/// W' X W of every matrix. Throws InvalidInput for matrices of another size, NumericalFailure if one is not numerically
/// positive definite.
SpdBatch project(const SpdBatch& x, const Projection& projection, int threads = 0);

/// C W (W' C W)^-1, one column for each of W, where C is the arithmetic mean of the matrices, with their weights if
/// there are any: how each component appears in the channels (Haufe et al. 2014). Throws InvalidInput for sizes that do
/// not fit.
Matrix spatial_patterns(const Projection& projection, const SpdBatch& x, std::span<const double> weights = {});

/// How matrices are moved so that their mean is the identity matrix.
enum class Recentring {
  none,
  all,    ///< by the mean of the training set
  groups  ///< each group (subject, session) by its own mean, also when predicting
};

/// Reads "none", "all" or "groups". Throws InvalidInput, listing all of them.
Recentring parse_recentring(std::string_view text);
std::string_view name(Recentring recentring);
std::string recentring_choices();

/// M_g^-1/2 X M_g^-1/2 of every matrix, M_g being the affine invariant mean of its group. Without groups (null) all
/// matrices are one group. `stop`, unless null, is set to the worst of the means. Throws InvalidInput unless there is
/// one group per matrix.
SpdBatch recentre_groups(const SpdBatch& x, const Labels* groups, int threads = 0, Mean::Stop* stop = nullptr);

/// What is done to each matrix before it is compared: one step, or several in a row.
class Transform {
 public:
  using Step = std::variant<EigenvalueAdjustment, Projection>;

  /// Leaves matrices as they are.
  Transform() = default;
  /// Throws InvalidInput for a step that fails its check.
  explicit Transform(Step step) {
    std::visit([](const auto& one) { one.check(); }, step);
    steps_.push_back(std::move(step));
  }

  /// This transform, then the next one. Throws InvalidInput if the sizes of their matrices differ.
  Transform then(const Transform& next) const;

  const std::vector<Step>& steps() const { return steps_; }
  bool is_identity() const;
  /// Throws InvalidInput for matrices of another size, NumericalFailure if one leaves the range of double.
  SpdBatch apply(const SpdBatch& x, int threads = 0) const;

  /// The size of what the transform makes of matrices of size `dim`.
  Index result_dim(Index dim) const;

  /// The parameters of all steps, one behind the other: of an adjustment alpha, and beta behind it if it is affine; of
  /// a projection the rows of W.
  Eigen::VectorXd parameters() const;
  /// dJ/d(parameters) of a function J of the transformed matrices Z_i with symmetric derivatives dJ/dZ_i.
  Eigen::VectorXd pull_back(const SpdBatch& x, const MatrixStack& by_result, int threads = 0) const;

 private:
  std::vector<Step> steps_;
};

}  // namespace dsk
