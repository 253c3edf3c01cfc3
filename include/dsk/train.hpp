#pragma once

#include <dsk/classify.hpp>
#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>
#include <dsk/method.hpp>
#include <dsk/model.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsk {

/// The penalty that was chosen, among those that were tried.
struct PenaltyChoice {
  /// One penalty with the classifier's setting that went best with it.
  struct Score {
    double penalty = 0;
    double accuracy = 0;
    double neighbours_or_c = 0;   ///< neighbours of k-NN, or C of the SVM
    double relative_theta = 0;    ///< of the SVM's kernel; 0: the criterion's own theta
    bool valid_theta = false;     ///< where both ranges of theta were tried: moved to the nearest valid one
    std::vector<bool> hits = {};  ///< whether each held-out matrix was classified correctly, fold after fold
  };

  Score best;
  std::vector<Score> scores;              ///< by ascending penalty
  std::vector<Score> by_neighbours = {};  ///< of k-NN, the best for each of the numbers of neighbours that were tried
  Index folds = 0;                        ///< at most as many as the largest class has members
  Index matrices = 0;                     ///< that were cross-validated on
  double required_gain = 0;  ///< standard errors by which an adjustment had to beat the plain kernel; 0: not asked for
};

/// One way to classify that was tried, with its settings.
struct CandidateScore {
  std::string name;
  double accuracy = 0;        ///< in cross-validation
  double standard_error = 0;  ///< of the accuracy, as if all predictions were independent
  Index folds = 0;            ///< fewer than those of the best for one that fell behind
  /// Of the subspace that matrices are compared in, their full size for the same without a projection; 0 for ways to
  /// classify that have none.
  Index components = 0;
};

/// The settings that cross-validation inside the training set chose.
struct ChosenMethod {
  Method method;                   ///< the method asked for, or what DSK-auto became
  Comparison comparison;           ///< learned on the whole training set
  double theta = 0;                ///< of the SVM's kernel; 0 for k-NN
  double neighbours_or_c = 0;      ///< neighbours of k-NN, or C of the SVM
  double penalty = 0;              ///< of a learned kernel; infinite: not adjusted
  double validation_accuracy = 0;  ///< NaN where nothing was cross-validated
  std::vector<bool> hits = {};     ///< in cross-validation, fold after fold
  std::optional<Fit> fit = {};
  /// Of the mean by which matrices are recentred or whitened in `model`, if they are.
  std::optional<Mean::Stop> mean_stop = {};
  SvmVariant svm = {};
  /// The trained classifier of a method that is none of the paper's; null otherwise.
  std::shared_ptr<const Model> model = {};
  std::vector<CandidateScore> candidates = {};     ///< that `model` was chosen among, the best first
  std::vector<CandidateScore> by_components = {};  ///< where several were tried: the best for each, smallest size first
  std::optional<int> majority_class = {};          ///< of the method that always predicts it
  std::optional<CombinedKernel> combined = {};     ///< of methods that combine kernels, in place of the comparison
};

struct LearnOptions {
  /// What is learned, and how. Its penalty is set by `learn`. In cross-validation a subspace is learned without the
  /// held-out fold too; `on_iteration` is called in the final fit only.
  FitOptions fit = {};
  /// Choose `fit.components` by cross-validation: all, a half, a quarter of them and so on.
  bool choose_components = false;
  /// Where theta is looked for. `automatic`: among all for the criteria centred and neighbour, and among valid ones,
  /// for which the kernel is positive definite, for the paper's. `any` also takes a given theta that is not valid.
  ThetaRange theta_range = ThetaRange::automatic;
  std::optional<double> penalty = {};  ///< infinite: adjust nothing; without: by cross-validation
  std::vector<double> relative_penalties = SelectionOptions().relative_penalties;  ///< "no adjustment" is always tried
  Classifier classifier = Classifier::knn;  ///< scores the penalties: k-NN or the SVM
  Index folds = 5;
  std::vector<Split> given_folds = {};  ///< in place of `folds`
  std::uint64_t seed = 0;
  /// By how many standard errors an adjustment must beat the plain kernel in cross-validation; without: as for training
  /// with this classifier, 0.5 for k-NN and 1 for the SVM.
  std::optional<double> required_gain = {};
  Index learn_on = 0;      ///< learn from a balanced sample of this many matrices; 0: from all
  Index choose_on = 2000;  ///< with `fit.batch`: cross-validate on a balanced sample of this many matrices
  /// Called after each of `total` kernels learned in cross-validation; false stops with Cancelled.
  std::function<bool(int done, int total)> on_kernel = {};
};

/// A learned kernel and how it was chosen.
struct Learned {
  /// How well a kernel on a subspace of so many components did in cross-validation, with its best penalty.
  struct Components {
    Index components = 0;
    double accuracy = 0;
    double standard_error = 0;  ///< as if all predictions were independent
  };

  SavedKernel kernel;
  Fit fit;
  std::optional<PenaltyChoice> validation = {};  ///< of the penalties; none where nothing was chosen
  std::vector<Components> by_components = {};    ///< where their number was chosen
  std::vector<std::string> warnings = {};        ///< one sentence each
};

/// Learns the discriminative Stein kernel, or that of another metric, from labelled matrices. Without a given penalty,
/// the penalty is chosen by cross-validation, and nothing is adjusted where no adjustment beats the plain kernel by the
/// required gain. Throws InvalidInput as fit_kernel and choose_penalty do.
Learned learn(const Dataset& train, const LearnOptions& options = {});

/// How a subspace is learned, and how many components it has.
struct LearnSubspaceOptions {
  SubspaceOptions subspace = {};
  /// Without: of all, a half, a third and so on, the best for class means in kernel space by cross-validation.
  std::optional<Index> components = {};
  Index folds = 5;
  std::vector<Split> given_folds = {};  ///< in place of `folds`
  std::uint64_t seed = 0;
  /// Called after each of `total` folds; false stops with Cancelled.
  std::function<bool(int done, int total)> on_fold = {};
};

/// Learns a subspace from labelled matrices: the data are whitened by their Riemannian mean, W starts from the
/// eigenvectors of sum_c L_c^2, where L_c is the mean of log X over class c less the mean of these means, and is then
/// optimised. What is learned does not depend on the units or the mixing of the channels. The same bits for any number
/// of threads. Throws InvalidInput for a bad option, a number of components outside 1..d, fewer than two classes, or a
/// criterion that cannot learn a subspace.
Subspace learn_subspace(const Dataset& train, const LearnSubspaceOptions& options = {});

struct TrainOptions {
  Method method = {.best = true};              ///< how matrices are compared, and the classifier
  std::optional<LearnedKernel> kernel = {};    ///< used as it is, in place of the method's metric or learning
  SelectionOptions selection = {};             ///< also says where pairs are computed
  bool validate = false;                       ///< cross-validate even where every setting is given
  bool probabilities = false;                  ///< calibrate the SVM's scores
  std::optional<NystromOptions> nystrom = {};  ///< approximate the kernel; theta, seed and pairs are set by `train`
  Index choose_on = 2000;     ///< with `nystrom`: kernel and settings are chosen on a balanced sample of this size
  bool check_nystrom = true;  ///< with `nystrom`: compare with the exact kernel and classifier on samples
  std::string repair = {};    ///< how the matrices were repaired; kept with the model
};

/// A method by its parts, any of which may be left open.
struct MethodParts {
  std::optional<Classifier> classifier = {};
  std::optional<Metric> metric = {};
  std::optional<Method::Learning> learning = {};
  bool combined = false;      ///< several kernels
  bool given_kernel = false;  ///< a learned kernel, which the options will hold
};

/// The method of these parts. What is left open follows from the settings that the options give: without parts and
/// settings, auto; otherwise the metric stein (of class means airm), and the SVM for combined kernels or where there
/// are settings of the SVM (C, margin, class weights, probabilities, or theta without learning), but neither a number
/// of neighbours nor an approximation; k-NN for everything else.
Method complete(const MethodParts& parts, const TrainOptions& options);

/// Which settings training with these options looks at.
UsedSettings used_settings(const TrainOptions& options);

/// Throws InvalidInput for options that do not go together, as `train` does before it looks at the data.
void check_options(const TrainOptions& options);

/// A trained classifier with the settings that were chosen for it.
struct Trained {
  /// What is known of a model in Nystrom features, beyond its origin.
  struct Nystrom {
    NystromOptions options;                        ///< as asked for
    Index unfinished = 0;                          ///< machines stopped by the limit of passes
    std::optional<ApproximationCheck> check = {};  ///< where asked for
  };

  /// A subspace that matrices are compared in.
  struct Subspace {
    Projection projection;
    Matrix patterns;  ///< see spatial_patterns
  };

  SavedModel model;
  ChosenMethod chosen;
  bool validated = true;                   ///< whether settings were cross-validated: chosen.validation_accuracy counts
  std::optional<SavedKernel> kernel = {};  ///< with its origin, where one was learned
  Index samples = 0;
  Index chosen_on = 0;  ///< matrices that kernel and settings were chosen on
  std::optional<Nystrom> nystrom = {};
  std::vector<std::string> warnings = {};
};

/// Trains a classifier; settings not given are chosen by cross-validation inside the training set. Throws InvalidInput
/// for a training set without labels or with fewer than two classes, and for options that do not go together.
Trained train(const Dataset& data, const TrainOptions& options = {});

/// What `projections` lists, with patterns in `train`, whose groups are recentred where the model does that.
std::vector<Trained::Subspace> subspaces_of(const Model& model, const Dataset& train, int threads = 0);

/// A few plain lines: what was chosen, and its accuracy in cross-validation.
std::string summary(const Trained& trained);
std::string summary(const Learned& learned);

/// Writes a .dsk file, as saving the model or the kernel in it does.
void save(const Trained& trained, const std::filesystem::path& file);
void save(const Learned& learned, const std::filesystem::path& file);

/// The classes of new matrices and, where the true ones are known, how many were right.
Prediction predict(const Trained& trained, const SpdBatch& x, const PairOptions& options = {});
Prediction predict(const Trained& trained, const Dataset& data, const PairOptions& options = {});
Prediction predict(const Model& model, const Dataset& data, const PairOptions& options = {});
/// With a team, each rank gives its share (load_share): rank 0 gets the predictions for all matrices, in order, and the
/// others get none. Scores are those of complex matrices if the share holds such.
std::optional<Prediction> predict(const Model& model, const DataShare& share, const PairOptions& options = {});

/// Throws InvalidInput where the data had no labels.
double accuracy(const Prediction& prediction);

/// Every class lies in a single group, so that no class can be both learned and tested while groups are kept together.
class ClassesInOneGroup : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

}  // namespace dsk
