#pragma once

#include <dsk/errors.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Counts, sizes and positions are signed, as in Eigen.
using Index = Eigen::Index;

/// A dense result such as a distance or kernel matrix, row-major.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A read-only look at one matrix of a batch.
using MatrixView = Eigen::Map<const Matrix>;

/// `count` matrices of size `dim` x `dim`, row-major, one behind the other. Promises nothing about its values:
/// this is what files hold and what repairs start from. SpdBatch is the checked one.
struct MatrixStack {
  Index count = 0;
  Index dim = 0;
  std::vector<double> values;

  MatrixView operator[](Index i) const { return {values.data() + i * dim * dim, dim, dim}; }
};

class SpdBatch;
namespace detail {
SpdBatch trust(MatrixStack&& stack);
}

/// `size()` symmetric positive definite matrices of size `dim()` x `dim()`: one allocation, checked once, never
/// changed afterwards, cheap to copy (copies share the storage).
class SpdBatch {
 public:
  /// Takes `count` row-major matrices. Each is made symmetric to the bit if it is symmetric up to 1e-8 of its largest
  /// entry. Throws InvalidInput, naming the first bad matrix and what would mend it, for NaN or Inf, asymmetry, or a
  /// matrix that is not numerically positive definite; and for a size that does not fit or an empty batch.
  SpdBatch(std::span<const double> values, Index count, Index dim);
  /// As above; single precision values count as symmetric up to 1e-5.
  SpdBatch(std::span<const float> values, Index count, Index dim);

  /// As the first, without a second copy of the values.
  explicit SpdBatch(MatrixStack&& stack);

  Index size() const { return stack_->count; }
  Index dim() const { return stack_->dim; }
  MatrixView operator[](Index i) const { return (*stack_)[i]; }
  std::span<const double> values() const { return stack_->values; }

  /// The matrices at `indices`, in that order; throws InvalidInput for an index outside the batch.
  SpdBatch select(std::span<const Index> indices) const;

 private:
  friend SpdBatch detail::trust(MatrixStack&& stack);
  SpdBatch() = default;
  std::shared_ptr<const MatrixStack> stack_;
};

/// One class name per matrix, stored as positions in the sorted list of distinct names.
class Labels {
 public:
  /// Integer labels sort by value, so that class "10" comes after class "9".
  explicit Labels(std::span<const long long> labels);
  explicit Labels(std::span<const std::string> labels);
  /// The classes `names[codes[i]]`. Throws InvalidInput unless the names are sorted, as above, and distinct, the names
  /// of integral labels are integers, and the codes are positions in the names.
  Labels(std::vector<std::string> names, std::vector<int> codes, bool integral);

  Index size() const { return static_cast<Index>(codes_.size()); }
  /// Position of matrix i's class in `names()`.
  int operator[](Index i) const { return codes_[static_cast<std::size_t>(i)]; }
  const std::vector<int>& codes() const { return codes_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Whether the labels came as integers; decides how they are written back.
  bool integral() const { return integral_; }
  /// The labels at `indices`, in that order. Keeps all names, so that codes mean the same class.
  Labels select(std::span<const Index> indices) const;

 private:
  Labels() = default;
  std::vector<int> codes_;
  std::vector<std::string> names_;
  bool integral_ = false;
};

/// Matrices with what is known of them. Throws InvalidInput if labels or groups do not number as many as matrices.
class Dataset {
 public:
  explicit Dataset(SpdBatch matrices, std::optional<Labels> labels = {}, std::optional<Labels> groups = {});

  const SpdBatch& matrices() const { return matrices_; }
  bool has_labels() const { return labels_.has_value(); }
  bool has_groups() const { return groups_.has_value(); }
  /// Throws InvalidInput if the data set has none.
  const Labels& labels() const;
  const Labels& groups() const;
  Index size() const { return matrices_.size(); }
  Index dim() const { return matrices_.dim(); }
  Dataset select(std::span<const Index> indices) const;
  /// The same matrices and labels; folds and splits then need not keep groups together.
  Dataset without_groups() const { return Dataset(matrices_, labels_); }

 private:
  SpdBatch matrices_;
  std::optional<Labels> labels_;
  std::optional<Labels> groups_;
};

/// Relative asymmetry up to which a matrix counts as symmetric and is symmetrised; float32 data cannot keep the first.
inline constexpr double symmetry_tolerance = 1e-8;
inline constexpr double symmetry_tolerance_float32 = 1e-5;

enum class Defect { none, not_finite, asymmetric, indefinite, rank_deficient };

std::string_view name(Defect defect);

/// What is wrong with one matrix, if anything. The numbers beyond `defect` are NaN or 0 where the matrix is not finite.
/// Definiteness and rank are judged after scaling to unit diagonal, so that rows may come in units far apart.
struct Diagnosis {
  Index index = 0;
  Index dim = 0;
  Defect defect = Defect::none;
  double asymmetry = 0;                        ///< largest |x_ij - x_ji| over the largest |x_ij|
  double symmetry_limit = symmetry_tolerance;  ///< the asymmetry that is allowed
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  double condition = 0;  ///< largest over smallest eigenvalue; infinite if the smallest is not positive
  Index numerical_rank = 0;

  /// One line: what is wrong with matrix `index`, and which repair to ask for.
  std::string message() const;
};

/// Examines every matrix; one entry each, in order.
std::vector<Diagnosis> diagnose(const MatrixStack& stack);

enum class RepairKind {
  none,
  shrink,  ///< (1 - amount) X + amount tr(X)/d I
  ridge,   ///< X + amount tr(X)/d I
  clip     ///< eigenvalues below amount * (largest) raised to it
};

/// How to make broken matrices positive definite. All three are free of units: data times c is repaired to the same
/// times c.
struct Repair {
  RepairKind kind = RepairKind::none;
  double amount = 0;  ///< shrink: 0..1; ridge: > 0; clip: 0..1

  /// Reads "none", "shrink", "ridge:1e-6", "clip:1e-10"; without a number: shrink 0.01, ridge 1e-6, clip 1e-10.
  static Repair parse(std::string_view text);
};

/// Applies the repair to every matrix and checks the result. What no repair mends (NaN, asymmetry, a matrix of zeros)
/// throws.
SpdBatch repair(MatrixStack stack, const Repair& how);

/// X_i = U_i diag(lam_i) U_i', eigenvalues descending and positive.
struct EigenBatch {
  Matrix values;        ///< (n, d), row i the eigenvalues of matrix i
  MatrixStack vectors;  ///< columns of matrix i are its eigenvectors
};

/// Decomposes every matrix; `threads` = 0 uses all cores. The result does not depend on the number of threads.
EigenBatch eigen_decompose(const SpdBatch& batch, int threads = 0);

/// U_i diag(values_i) U_i' for every matrix, symmetric to the bit.
MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads = 0);

struct RandomSpd {
  Index count = 1;
  Index dim = 2;
  double condition = 10;  ///< of every matrix; at least 1
  double scale = 1;       ///< largest eigenvalue of every matrix
  std::uint64_t seed = 0;
};

/// Random rotations of eigenvalues spaced evenly in the logarithm from `scale` down to `scale / condition`.
SpdBatch random_spd(const RandomSpd& options);

/// The paper's Section VI.C: class c holds scatter matrices drawn from W_d((1 + c tau) I, degrees), divided by
/// `degrees`.
struct WishartClasses {
  Index classes = 2;
  Index per_class = 1000;
  Index dim = 5;
  Index degrees = 200;  ///< of freedom; at least dim
  double tau = 0.1;
  std::uint64_t seed = 0;
};

/// The same matrices for the same options on every machine and for any number of threads.
Dataset wishart_classes(const WishartClasses& options);

/// Positions of `count` of `size` things drawn at random without repetition, ascending; all of them if there are no
/// more. The same for the same seed on every machine. Throws InvalidInput for a count below 1.
std::vector<Index> random_sample(Index size, Index count, std::uint64_t seed);

/// The same of labelled things, with as equal numbers of all classes as their sizes allow.
std::vector<Index> balanced_sample(const Labels& labels, Index count, std::uint64_t seed);

}  // namespace dsk
