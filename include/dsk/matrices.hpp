#pragma once

#include <dsk/errors.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsk {

/// Counts, sizes and positions are signed, as in Eigen.
using Index = Eigen::Index;

/// A dense result such as a distance or kernel matrix, row-major.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Read-only view of one matrix of a batch.
using MatrixView = Eigen::Map<const Matrix>;

/// `count` matrices of size `dim` x `dim`, row-major, stored contiguously. The values are not checked: this is what
/// files contain and what `repair` takes. SpdBatch is the checked counterpart.
struct MatrixStack {
  Index count = 0;
  Index dim = 0;
  std::vector<double> values;

  MatrixView operator[](Index i) const { return {values.data() + i * dim * dim, dim, dim}; }
};

/// `count` row-major matrices of size `rows` x `columns`, one behind the other, where their owner keeps them.
struct StackView {
  std::span<const double> values;
  Index count = 0;
  Index rows = 0;
  Index columns = 0;
};

class SpdBatch;
namespace detail {
SpdBatch trust(MatrixStack&& stack);
}

/// What the matrices of a batch are checked for, beside NaN, Inf and symmetry.
enum class Check {
  positive_definite,
  none  ///< for what is defined for all symmetric matrices, such as Euclidean distances; saves O(d^3) per matrix
};

/// `size()` symmetric positive definite matrices of size `dim()` x `dim()`. They are checked on construction, immutable
/// afterwards, and cheap to copy (copies share the storage).
class SpdBatch {
 public:
  /// Copies `count` row-major matrices. A matrix that is symmetric up to 1e-8 of its largest entry is made exactly
  /// symmetric. Throws InvalidInput if a matrix contains NaN or Inf, is not symmetric or is not numerically positive
  /// definite (the message names the first such matrix and a remedy), if the batch is empty, or if the number of values
  /// is not count * dim * dim. `threads` = 0 uses all cores. With Check::none, whoever makes the batch answers for it
  /// that no function that needs positive definite matrices gets others.
  SpdBatch(std::span<const double> values, Index count, Index dim, int threads = 0,
           Check check = Check::positive_definite);
  /// The same for single precision, where asymmetry up to 1e-5 of the largest entry is accepted.
  SpdBatch(std::span<const float> values, Index count, Index dim, int threads = 0,
           Check check = Check::positive_definite);

  /// The same without copying the values.
  explicit SpdBatch(MatrixStack&& stack, int threads = 0);

  /// The same for matrices of Eigen, of fixed or dynamic size. Throws InvalidInput, naming the first such matrix, also
  /// if one is not square or differs in size from those before it.
  template <class EigenMatrix>
  requires std::derived_from<EigenMatrix, Eigen::MatrixBase<EigenMatrix>>
  explicit SpdBatch(const std::vector<EigenMatrix>& matrices, int threads = 0) : SpdBatch(stacked(matrices), threads) {}

  Index size() const { return stack_->count; }
  Index dim() const { return stack_->dim; }
  MatrixView operator[](Index i) const { return (*stack_)[i]; }

  /// Goes through the matrices: `for (const MatrixView matrix : batch)`. Valid as long as a copy of the batch is.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  /// Copies of the matrices.
  std::vector<Eigen::MatrixXd> to_vector() const;
  std::span<const double> values() const { return stack_->values; }

  /// The matrices at `indices`, in that order. Throws InvalidInput if an index is out of range or there is none.
  SpdBatch select(std::span<const Index> indices) const;

 private:
  friend SpdBatch detail::trust(MatrixStack&& stack);
  SpdBatch() = default;

  template <class EigenMatrix>
  static MatrixStack stacked(const std::vector<EigenMatrix>& matrices) {
    MatrixStack stack{0, matrices.empty() ? 1 : matrices.front().rows(), {}};
    for (const EigenMatrix& matrix : matrices) append(matrix, stack);
    return stack;
  }
  /// Adds a matrix to the stack.
  static void append(const Eigen::Ref<const Matrix>& matrix, MatrixStack& stack);

  std::shared_ptr<const MatrixStack> stack_;
};

class SpdBatch::Iterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // as it yields values, not references
  using value_type = MatrixView;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = MatrixView;

  Iterator() = default;
  Iterator(const MatrixStack& stack, Index i) : stack_(&stack), i_(i) {}

  MatrixView operator*() const { return (*stack_)[i_]; }
  Iterator& operator++() {
    ++i_;
    return *this;
  }
  Iterator operator++(int) { return std::exchange(*this, Iterator(*stack_, i_ + 1)); }
  bool operator==(const Iterator&) const = default;

 private:
  const MatrixStack* stack_ = nullptr;
  Index i_ = 0;
};

inline SpdBatch::Iterator SpdBatch::begin() const {
  return {*stack_, 0};
}
inline SpdBatch::Iterator SpdBatch::end() const {
  return {*stack_, size()};
}

/// One class name per matrix, stored as codes: indices into the sorted list of distinct names.
class Labels {
 public:
  /// Integer labels are sorted by value, so class "10" follows class "9".
  explicit Labels(std::span<const long long> labels);
  explicit Labels(std::span<const int> labels);
  explicit Labels(std::span<const std::string> labels);
  /// The labels `names[codes[i]]`. Throws InvalidInput unless the names are distinct and sorted as above, the names of
  /// integer labels are integers, and every code is a valid index into the names.
  Labels(std::vector<std::string> names, std::vector<int> codes, bool integral);

  Index size() const { return static_cast<Index>(codes_.size()); }
  /// The code of matrix i: the index of its class in `names()`.
  int operator[](Index i) const { return codes_[static_cast<std::size_t>(i)]; }
  /// The class name of matrix i.
  const std::string& name(Index i) const { return names_[static_cast<std::size_t>((*this)[i])]; }
  const std::vector<int>& codes() const { return codes_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Whether the labels are integers. Files store them as integers then, as text otherwise.
  bool integral() const { return integral_; }
  /// The labels at `indices`, in that order. All names are kept, so that a code still means the same class.
  Labels select(std::span<const Index> indices) const;

 private:
  Labels() = default;
  std::vector<int> codes_;
  std::vector<std::string> names_;
  bool integral_ = false;
};

/// Matrices with optional labels, groups and weights. Throws InvalidInput unless there is one of each per matrix, and
/// for weights that are not finite and above 0.
class Dataset {
 public:
  explicit Dataset(SpdBatch matrices, std::optional<Labels> labels = {}, std::optional<Labels> groups = {},
                   std::vector<double> weights = {});

  const SpdBatch& matrices() const { return matrices_; }
  bool has_labels() const { return labels_.has_value(); }
  bool has_groups() const { return groups_.has_value(); }
  /// Both throw InvalidInput if the data set has none.
  const Labels& labels() const;
  const Labels& groups() const;
  /// How much each matrix counts in training; empty if all count the same. A matrix of weight 2 counts as two equal
  /// ones.
  const std::vector<double>& weights() const { return weights_; }
  /// Names of the rows of the matrices, such as the channels of EEG; empty if they have none.
  const std::vector<std::string>& channels() const { return channels_; }
  Index size() const { return matrices_.size(); }
  Index dim() const { return matrices_.dim(); }
  Dataset select(std::span<const Index> indices) const;
  /// The same matrices and labels; folds and splits then need not keep groups together.
  Dataset without_groups() const;
  /// Other matrices, as many, with the same labels, groups and weights, and if they are of the same size the same
  /// channels.
  Dataset with_matrices(SpdBatch matrices) const;
  /// The same with names of the rows of the matrices. Throws InvalidInput unless there is one name for each, or none.
  Dataset with_channels(std::vector<std::string> names) const;

 private:
  SpdBatch matrices_;
  std::optional<Labels> labels_;
  std::optional<Labels> groups_;
  std::vector<double> weights_;
  std::vector<std::string> channels_ = {};
};

/// Largest asymmetry, relative to the largest entry, of a matrix that is accepted as symmetric. The second is for data
/// stored as float32.
inline constexpr double symmetry_tolerance = 1e-8;
inline constexpr double symmetry_tolerance_float32 = 1e-5;

/// How to make matrices positive definite. All three kinds scale with the data: repairing c X gives c times the
/// repaired X.
struct Repair {
  enum class Kind {
    none,
    shrink,  ///< (1 - amount) X + amount tr(X)/d I
    ridge,   ///< X + amount tr(X)/d I
    clip     ///< raise eigenvalues below amount * (largest eigenvalue) to it
  };
  Kind kind = Kind::none;
  double amount = 0;          ///< shrink: 0..1; ridge: > 0; clip: 0..1
  bool every_matrix = false;  ///< change all matrices, not only those that are not positive definite

  /// Parses "none", "shrink", "ridge" or "clip", optionally followed by ":amount", as in "ridge:1e-6". The default
  /// amounts are 0.01 for shrink, 1e-6 for ridge and 1e-10 for clip. Throws InvalidInput.
  static Repair parse(std::string_view text);

  /// What a repair did to a batch.
  struct Summary {
    Index matrices = 0;
    Index changed = 0;
    double largest_change = 0;  ///< largest |repaired - original| / |original|, in Frobenius norms
  };
};

/// Repairs the matrices that are not positive definite, or every matrix where `how` says so, and checks the result.
/// Throws InvalidInput if a matrix cannot be repaired: NaN or Inf, asymmetry, all entries zero, or an amount that is
/// too small. `threads` = 0 uses all cores. Fills in `summary` if there is one.
SpdBatch repair(MatrixStack stack, const Repair& how, int threads = 0, Repair::Summary* summary = nullptr);

struct RandomSpd {
  Index count = 1;
  Index dim = 2;
  double condition = 10;  ///< condition number of every matrix; at least 1
  double scale = 1;       ///< largest eigenvalue of every matrix
  std::uint64_t seed = 0;
};

/// Random matrices U diag(lam) U' with uniformly distributed U and log-spaced lam from `scale` down to
/// `scale / condition`.
SpdBatch random_spd(const RandomSpd& options);

/// The simulated data of Section VI.C of the paper: the matrices of class c are drawn from the Wishart distribution
/// W_d((1 + c tau) I, degrees) and divided by `degrees`.
struct WishartClasses {
  Index classes = 2;
  Index per_class = 1000;
  Index dim = 5;
  Index degrees = 200;  ///< degrees of freedom; at least dim
  double tau = 0.1;
  std::uint64_t seed = 0;
};

/// The same options give the same matrices on every machine.
Dataset wishart_classes(const WishartClasses& options);

}  // namespace dsk
