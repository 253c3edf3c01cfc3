#pragma once

#include <dsk/classify.hpp>
#include <dsk/model.hpp>

#include <span>
#include <utility>
#include <vector>

namespace dsk {

/// The classes of the `neighbours` nearest points, nearest first; ties go to the lower index. If `neighbours` is larger
/// than the number of distances, all points are used. Throws InvalidInput as nearest_votes does.
std::vector<int> nearest_classes(std::span<const double> distances, std::span<const int> classes, Index neighbours);

/// The most frequent class; ties go to the class that comes first. Throws InvalidInput if there are no classes.
int most_votes(std::span<const int> nearest_first);
/// The same for classes numbered from 0, without allocating memory: `counts` has one element for each class.
int most_votes(std::span<const int> nearest_first, std::span<int> counts);

/// The majority class among the nearest points, for each of several numbers of neighbours. Ties between classes go to
/// the class with the nearest member, ties between distances to the lower index. If a number is larger than the number
/// of distances, all points vote. Throws InvalidInput if there are no distances, a distance is not a number, a number
/// of neighbours is below 1, or the sizes differ.
std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours);

namespace detail {

/// Collects the votes for one matrix after another into a prediction. Different matrices may be added by different
/// threads.
class Votes {
 public:
  Votes(const Labels& known, Index count)
      : known_(known),
        codes_(static_cast<std::size_t>(count)),
        scores_(Matrix::Zero(count, static_cast<Index>(known.names().size()))) {}

  void add(Index i, std::span<const int> nearest_first) {
    codes_[static_cast<std::size_t>(i)] = most_votes(nearest_first);
    for (const int c : nearest_first) scores_(i, c) += 1;
    scores_.row(i) /= static_cast<double>(nearest_first.size());
  }

  Prediction prediction() && {
    return {Labels(known_.names(), std::move(codes_), known_.integral()), std::move(scores_)};
  }

 private:
  const Labels& known_;
  std::vector<int> codes_;
  Matrix scores_;
};

/// The options of the machine that train_svm trains with these labels: class weights in the order of the classes that
/// occur. Throws InvalidInput for class weights that do not fit the labels.
SvmOptions machine_options(const SvmTraining& training, const Labels& labels);

/// The scores of class means in kernel space, 2 mean_{j in c} k(x, x_j) - mean_{j, j' in c} k(x_j, x_j'), from the
/// kernel values of test points with the training set and of the training set: (test points, classes), larger is
/// nearer, -infinity for classes without members. Throws InvalidInput for sizes or codes that do not fit.
Matrix kernel_mean_scores(const Matrix& test_kernel, const Matrix& train_kernel, std::span<const int> codes,
                          Index classes);

struct LogisticOptions {
  double c = 1;
  int max_iterations = 1000;
  double tolerance = 1e-7;  ///< of the gradient, relative to that of a model without weights
};

/// Multinomial logistic regression as described for train_logistic; the model takes features as they are. Codes are
/// from 0 to classes - 1; a class without members has the offset -infinity. Throws InvalidInput for options out of
/// range, for sizes or codes that do not fit, and for features that are not finite.
LinearModel fit_logistic(const Matrix& features, std::span<const int> codes, Index classes,
                         const LogisticOptions& options = {});
/// The same for several values of c, in any order; each starts from the solution before it.
std::vector<LinearModel> fit_logistic_path(const Matrix& features, std::span<const int> codes, Index classes,
                                           std::span<const double> cs, const LogisticOptions& options = {});

/// Linear support vector machines for all pairs of classes, on features scaled as for logistic regression. The result
/// takes rows of features, as they are, in place of kernel values. Throws InvalidInput as PairwiseSvm does.
PairwiseSvm fit_linear_svm(const Matrix& features, const std::vector<int>& codes, const SvmOptions& options = {});

/// Features minus their mean, divided by the root mean square of the norms of these rows.
struct ScaledFeatures {
  Matrix rows;
  Eigen::RowVectorXd centre;
  double scale = 1;  ///< 1 if all rows are equal

  explicit ScaledFeatures(const Matrix& features);
  /// The model for the features themselves, from one for the scaled rows.
  LinearModel unscaled(LinearModel model) const;
};

/// Scores minus the mean of the finite ones in their row.
Matrix centred_scores(Matrix scores);
/// The standard deviation of the finite entries of centred scores; 1 if all of them are equal.
double score_scale(const Matrix& scores);
/// Predicts the class of the largest score, the first of several; scores become their softmax.
Prediction predict_largest(const Labels& known, Matrix scores);

/// For the members of pipelines, as for models.
std::string_view kind(const SimpleModel& model);
const Labels& labels(const SimpleModel& model);
/// The kernel-mean scores of the trained classifier.
Matrix mean_scores(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options);
/// Minus the squared distances from the means.
Matrix mdm_scores(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options);
/// The outputs of the linear model, one column per output.
Matrix tangent_outputs(const TangentClassifier& model, const SpdBatch& x, int threads);
/// Columns of the classes that occur, spread over those of all class names; the others are filled with `missing`.
Matrix spread_columns(const Matrix& of_present, const Labels& present, double missing);

}  // namespace detail
}  // namespace dsk
