#pragma once

#include <dsk/kernel/duals.hpp>

#include <vector>

namespace dsk {

/// How a support vector machine pays for points on the wrong side.
enum class SoftMargin {
  linear,  ///< C times the sum of slacks: the usual machine
  squared  ///< C/2 times the sum of squared slacks, as in the paper: K + I/C with a hard margin
};

struct SvmOptions {
  double c = 1;
  SoftMargin margin = SoftMargin::linear;
  std::vector<double> class_weights = {};  ///< factors of C, for the classes in ascending order; empty: all 1
  int threads = 0;
};

/// Support vector machines for all pairs of classes over a kernel matrix; the class that wins most pairs is the answer.
class PairwiseSvm {
 public:
  /// `kernel` is the training set's, `classes` any numbers, at least two different ones. Throws InvalidInput for a C
  /// that is not finite and above 0, kernel values that are not finite, or sizes that differ.
  PairwiseSvm(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options = {});
  /// One trained before. Throws InvalidInput unless classes ascend, sizes fit and all is finite.
  PairwiseSvm(std::vector<int> classes, Matrix coefficients, Eigen::RowVectorXd offsets);

  /// The classes of new points, each a row of kernel values with the training set. Of classes with equally many wins
  /// the first wins.
  std::vector<int> predict(const Matrix& kernel_to_training, int threads = 0) const;

  /// Decision values, one column per pair of classes (0, 1), (0, 2), ..., (1, 2), ...: positive for the first.
  Matrix decisions(const Matrix& kernel_to_training) const;

  /// The share of the pairs of classes that each class wins, by decision values; (points, classes).
  Matrix wins(const Matrix& decisions, int threads = 0) const;
  /// The class with most wins, the first of several.
  std::vector<int> winners(const Matrix& wins) const;

  const std::vector<int>& classes() const { return classes_; }
  const Matrix& coefficients() const { return coefficients_; }
  const Eigen::RowVectorXd& offsets() const { return offsets_; }
  /// Positions in the training set of the points that some machine uses.
  std::vector<Index> support() const;
  /// The same machines for kernel values with the support alone.
  PairwiseSvm on_support() const;

 private:
  std::vector<int> classes_;  ///< the different ones, ascending
  Matrix coefficients_;       ///< (training set, pairs of classes)
  Eigen::RowVectorXd offsets_;
};

}  // namespace dsk
