#pragma once

#include <dsk/classify.hpp>
#include <dsk/model.hpp>

#include <Eigen/SparseCore>

#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"

namespace dsk {

struct SvmOptions {
  double c = 1;
  SoftMargin margin = SoftMargin::linear;
  std::vector<double> class_weights = {};  ///< factors of C, by ascending class; empty means all 1
  /// Factors of C of each point, beside those of its class; empty means all 1. Machines then have at most some thousand
  /// points: the whole kernel matrix of a pair of classes is at hand.
  std::vector<double> sample_weights = {};
  int threads = 0;
};

/// Support vector machines for all pairs of classes, trained on a kernel matrix. Predicts the class that wins most
/// pairs.
class PairwiseSvm {
 public:
  /// Trains on the kernel matrix of the training set. `classes` may be any numbers, at least two of them different.
  /// Throws InvalidInput if C is not finite and above 0, a kernel value is not finite, or the sizes differ.
  PairwiseSvm(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options = {});
  /// Restores trained machines. Throws InvalidInput unless classes ascend, sizes match and all values are finite.
  PairwiseSvm(std::vector<int> classes, const Eigen::SparseMatrix<double>& coefficients, Eigen::RowVectorXd offsets);
  PairwiseSvm(std::vector<int> classes, const Matrix& coefficients, Eigen::RowVectorXd offsets);

  /// Predicts the classes of new points, each given as a row of kernel values with the training set. Ties go to the
  /// first class.
  std::vector<int> predict(const Matrix& kernel_to_training, int threads = 0) const;

  /// Decision values, one column per pair of classes (0, 1), (0, 2), ..., (1, 2), ...: positive for the first.
  Matrix decisions(const Matrix& kernel_to_training) const;
  /// The same for one point and without allocating memory.
  void decide(std::span<const double> kernel_to_training, Eigen::RowVectorXd& decisions) const;

  /// The fraction of pairs that each class wins, one row per point and one column per class.
  Matrix wins(const Matrix& decisions, int threads = 0) const;
  /// The same from kernel values, without storing the decision values of all pairs: they grow with the square of the
  /// number of classes.
  Matrix vote(const Matrix& kernel_to_training, int threads = 0) const;
  /// The class with most wins; ties go to the first.
  std::vector<int> winners(const Matrix& won) const;
  /// As `predict`, for one point and without allocating memory. `memory` has `winner_memory` numbers, zeros at first,
  /// aligned to cache lines.
  int winner(std::span<const double> kernel_to_training, double* memory) const;
  Index winner_memory() const;

  const std::vector<int>& classes() const { return classes_; }
  /// (training set, pairs of classes); a column has entries for the support vectors of its pair only.
  const Eigen::SparseMatrix<double>& coefficients() const { return coefficients_; }
  const Eigen::RowVectorXd& offsets() const { return offsets_; }
  /// Positions of the support vectors in the training set, over all pairs.
  std::vector<Index> support() const;
  /// The same machines, taking kernel values with the support vectors only.
  PairwiseSvm on_support() const;

 private:
  void check_kernel(const Matrix& kernel_to_training) const;
  bool is_mostly_filled() const;

  std::vector<int> classes_;  ///< without duplicates, ascending
  Eigen::SparseMatrix<double> coefficients_;
  Eigen::RowVectorXd offsets_;
};

/// Platt's P(first class of the pair | decision value f) = 1 / (1 + exp(slope f + intercept)).
struct Sigmoid {
  double slope = 0;
  double intercept = 0;
  double operator()(double decision) const;
};

/// Several linear functions of a row of features.
struct LinearModel {
  Matrix weights;              ///< (features, outputs)
  Eigen::RowVectorXd offsets;  ///< one for each output

  /// features * weights + offsets. Throws InvalidInput for rows of another length.
  Matrix scores(const Matrix& features) const;
};

namespace detail {

/// What a classifier of support vector machines is made of.
struct SvmParts {
  Comparison comparison = {};
  std::optional<CombinedKernel> combined = {};  ///< in place of the comparison and of theta
  Dataset support;                              ///< with labels
  PairwiseSvm machine;                          ///< its classes are label codes
  SvmTraining training;
  std::vector<Sigmoid> sigmoids = {};  ///< one for each pair of classes, or empty
  /// Smallest eigenvalue of the training set's kernel matrix; computed only if theta does not guarantee a positive
  /// definite kernel. If it is negative, the machines are trained on the nearest positive semidefinite matrix.
  std::optional<double> smallest_eigenvalue = {};
  /// Kernel values with the support matrices are multiplied by this before the machines take them; empty: not. It
  /// belongs to such a positive semidefinite matrix where there are more pairs of classes than matrices.
  Matrix projection = {};
};

/// The comparison of new matrices with the training set.
struct PreparedNeighbours {
  ComparedBatch compared;
  std::optional<NearestStein> nearest = {};  ///< of the plain or learned Stein divergence
};

/// What a classifier by kernel means is made of.
struct MeanParts {
  Comparison comparison;
  Dataset train;  ///< with labels
  double theta = 1;
  Eigen::RowVectorXd within;  ///< mean_{j, j' in c} k(X_j, X_j') of each class; 0 for classes without members
  double scale = 1;           ///< standard deviation of the centred scores of the training set
};

/// What a linear model on the tangent space is made of.
struct TangentParts {
  TangentSpace space;
  LinearModel linear;
  Labels classes;         ///< the classes that occur, in ascending order, with the names of all
  bool pairwise = false;  ///< support vector machines, one output per pair of classes; otherwise logistic regression
  double c = 1;
  std::optional<Mean::Stop> stop = {};  ///< of the mean that the space is at, where it was computed
};

/// The classifier of these parts. Throws InvalidInput unless they match and are finite.
inline SvmClassifier classifier_of(SvmParts parts, int threads = 0) {
  return Inside::made_of<SvmClassifier>(std::move(parts), threads);
}
inline MeanClassifier classifier_of(MeanParts parts, int threads = 0) {
  return Inside::made_of<MeanClassifier>(std::move(parts), threads);
}
inline TangentClassifier classifier_of(TangentParts parts) {
  return Inside::made_of<TangentClassifier>(std::move(parts));
}
inline const SvmParts& parts_of(const SvmClassifier& model) {
  return Inside::parts(model);
}
inline const MeanParts& parts_of(const MeanClassifier& model) {
  return Inside::parts(model);
}
inline const TangentParts& parts_of(const TangentClassifier& model) {
  return Inside::parts(model);
}

/// The training set, prepared for comparison.
inline const PreparedNeighbours& prepared(const KnnClassifier& model) {
  return Inside::prepared(model);
}
/// The support matrices, prepared for each part of a combined kernel; once for any other kernel.
inline const std::vector<ComparedBatch>& compared_parts(const SvmClassifier& model) {
  return Inside::compared(model);
}
/// The landmarks, means, support matrices or training set, prepared for comparison.
inline const ComparedBatch& compared(const NystromMap& map) {
  return Inside::compared(map);
}
inline const ComparedBatch& compared(const MdmClassifier& model) {
  return Inside::compared(model);
}
inline const ComparedBatch& compared(const MeanClassifier& model) {
  return Inside::compared(model);
}
inline const ComparedBatch& compared(const SvmClassifier& model) {
  return compared_parts(model).front();
}

}  // namespace detail

struct ApproximationSamples {
  Index pairs_of = 500;
  Index trained_on = 2000;  ///< at most half of the data set
  Index predicted = 1000;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Compares the approximate kernel with the exact one, and classifiers that use either. Throws InvalidInput as training
/// does, and if there are fewer than two matrices.
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const SvmTraining& training,
                                       const ApproximationSamples& samples = {});
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const KnnOptions& training,
                                       const ApproximationSamples& samples = {});

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

/// One score for each matrix and class name, larger is nearer, -infinity for a class without members: those of class
/// means in kernel space, minus the squared distances of MDM, the linear functions of logistic regression, the margin
/// scores of support vector machines. Of k-NN the shares of the votes, 0 for a class without members.
Matrix class_scores(const SimpleModel& model, const SpdBatch& x, const PairOptions& options = {});

/// The standard deviation of the class scores of x, after the mean of each matrix's scores is subtracted; 1 if they are
/// all equal.
double score_scale(const SimpleModel& model, const SpdBatch& x, const PairOptions& options = {},
                   std::span<const double> weights = {});

namespace detail {

struct ClassifierRow {
  Classifier value;
  std::string_view name;
  std::string_view alias;
  std::string_view letters;  ///< behind the colon of a method's name, such as TS:lr; empty: methods have no colon
  bool takes_kernels;        ///< it follows any way to compare, as in SK:knn
};
std::span<const ClassifierRow> classifier_rows();

/// The votes of the nearest points, as many as weigh `neighbours` in all, the last of them in part: (classes, share of
/// the votes), the class of the nearest first.
std::vector<std::pair<int, double>> weighted_votes(std::span<const double> distances, std::span<const int> classes,
                                                   std::span<const double> weights, Index neighbours);
/// The class with the largest share, the nearest of several.
int largest_share(std::span<const std::pair<int, double>> shares);

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

  void add(Index i, std::span<const std::pair<int, double>> shares) {
    codes_[static_cast<std::size_t>(i)] = largest_share(shares);
    for (const auto& [c, share] : shares) scores_(i, c) = share;
  }

  Prediction prediction() && {
    return {Labels(known_.names(), std::move(codes_), known_.integral()), std::move(scores_)};
  }

 private:
  const Labels& known_;
  std::vector<int> codes_;
  Matrix scores_;
};

/// The options of the machine that train_svm trains with these labels and weights: class weights in the order of the
/// classes that occur. Throws InvalidInput for class weights that do not fit the labels.
SvmOptions machine_options(const SvmTraining& training, const Labels& labels, const std::vector<double>& weights);

/// Those at the given positions; none if there are none.
std::vector<double> selected(std::span<const double> values, const std::vector<Index>& positions);

/// The machines for each C, in any order: as PairwiseSvm trains them, but what does not depend on C is done once, and
/// each solution starts from that for the C below. `options.c` is not used. Throws as PairwiseSvm does.
std::vector<PairwiseSvm> train_pairwise_path(const Matrix& kernel, const std::vector<int>& classes,
                                             const std::vector<double>& cs, const SvmOptions& options);

/// The scores of class means in kernel space, 2 mean_{j in c} k(x, x_j) - mean_{j, j' in c} k(x_j, x_j'), from the
/// kernel values of test points with the training set and of the training set: (test points, classes), larger is
/// nearer, -infinity for classes without members. `weights` are those of the training set in the means; empty: all 1.
/// Throws InvalidInput for sizes or codes that do not fit.
Matrix kernel_mean_scores(const Matrix& test_kernel, const Matrix& train_kernel, std::span<const int> codes,
                          Index classes, std::span<const double> weights = {});

struct LogisticOptions {
  double c = 1;
  int max_iterations = 1000;
  double tolerance = 1e-7;                  ///< of the gradient, relative to that of a model without weights
  std::vector<double> sample_weights = {};  ///< factors of the losses; empty means all 1
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

/// Features minus their mean, divided by the root mean square of the norms of these rows; both with the weights of the
/// rows, if there are any.
struct ScaledFeatures {
  Matrix rows;
  Eigen::RowVectorXd centre;
  double scale = 1;  ///< 1 if all rows are equal

  explicit ScaledFeatures(const Matrix& features, std::span<const double> weights = {});
  /// Other features, scaled alike.
  Matrix scaled(const Matrix& features) const;
  /// The products of all rows, exactly symmetric.
  Matrix kernel() const;
  /// The model for the features themselves, from one for the scaled rows.
  LinearModel unscaled(LinearModel model) const;
};

/// Scores minus the mean of the finite ones in their row.
Matrix centred_scores(Matrix scores);
/// The standard deviation of the finite entries of centred scores, whose rows may have weights; 1 if all of them are
/// equal.
double score_scale(const Matrix& scores, std::span<const double> weights = {});
/// The model with the matrices to predict recentred by their groups first.
Model recentring_groups(Model model);

/// The scores of complex matrices from those of the embedded ones (see embed_hermitian), which are other numbers where
/// they are a softmax of squared distances.
Matrix scores_of_complex(const Model& model, Matrix scores);

/// For the members of pipelines, as for models.
std::string_view kind(const SimpleModel& model);
const Labels& labels(const SimpleModel& model);
/// The margin scores of machines, the mean over the other classes of the decision value in favour of a class, limited
/// to -1 and 1: spread over all classes; -infinity for classes that they do not know.
Matrix machine_scores(const Matrix& decisions, const std::vector<int>& codes, Index classes);
/// Minus the squared distances from the means.
Matrix mdm_scores(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options);
}  // namespace detail
}  // namespace dsk
