#pragma once

#include <dsk/classify.hpp>

#include <limits>
#include <span>
#include <vector>

namespace dsk::detail {

/// Of a class without members.
inline constexpr double no_score = -std::numeric_limits<double>::infinity();

/// Predicts the class of the largest score, the first of several; scores become their softmax.
Prediction predict_largest(const Labels& known, Matrix scores);

/// The score of each class from the decision values of all pairs of classes: the mean, over the other classes, of the
/// decision value in its favour, limited to the margins -1 and 1. One row per point, one column per class of the
/// machines.
Matrix margin_scores(const Matrix& decisions, Index classes);
/// The same for one point, without allocating memory; scores have one entry per class.
void add_margins(const double* decisions, std::span<double> scores);

/// The margin scores of the trained classifier, spread over all classes.
Matrix svm_scores(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options);
/// The kernel-mean scores of the trained classifier.
Matrix mean_scores(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options);

/// The outputs of the linear model, one column per output.
Matrix tangent_outputs(const TangentClassifier& model, const SpdBatch& x, int threads);
/// Columns of the classes with these codes, spread over those of all classes; the others are filled with `missing`.
Matrix spread_columns(const Matrix& of_present, const std::vector<int>& codes, Index classes, double missing);

/// A kernel matrix with its negative eigenvalues set to 0. `projection` maps coefficients for it to coefficients for
/// the original kernel matrix.
struct ClippedKernel {
  double smallest_eigenvalue = 0;
  Matrix kernel;
  Matrix projection;  ///< empty if no eigenvalue was negative
};
ClippedKernel clip(const Matrix& kernel);

}  // namespace dsk::detail
