#pragma once

#include <dsk/learn.hpp>
#include <dsk/model.hpp>
#include <dsk/train.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluate/shared_learning.hpp"
#include "learn/learn.hpp"

namespace dsk::detail {

/// What a candidate classifies with.
enum class Family {
  mdm,              ///< nearest class mean
  logistic,         ///< logistic regression on the tangent space
  tangent_svm,      ///< linear SVM on the tangent space
  mean,             ///< nearest class mean in kernel space
  knn,              ///<
  svm,              ///<
  ladder,           ///< class means in kernel space on subspaces of several sizes, added
  ladder_logistic,  ///< the same, with logistic regression added
  average           ///< several others, added
};

/// One way to classify, with all its settings.
struct Candidate {
  Family family = Family::mdm;
  Metric metric = Metric::stein;  ///< of mdm, mean, knn and svm
  double zeta = 0.5;              ///< of the power-Euclidean metric
  bool recentred = false;         ///< matrices are whitened by the training mean first
  Index components = 0;           ///< of the subspace; 0: no projection
  bool adjusted = false;          ///< eigenvalues are adjusted; not together with the two before
  double neighbours_or_c = 0;
  double relative_theta = 0;  ///< theta times the median squared distance
  bool valid_theta = false;   ///< theta is moved to the nearest for which the kernel is positive definite
  /// Of an average: the candidates whose class scores are added. Their other settings are their own.
  std::vector<Candidate> members = {};
  double scale = 1;  ///< as a member of an average: what its scores are divided by
};

/// "TS:lr, C 10", "CA-s:mean, 6 components, theta 0.15 / median", "average of TS:lr, C 10; MDM".
std::string describe(const Candidate& candidate, Criterion criterion);

inline constexpr std::string_view ladder_needs_means =
    "a ladder of subspaces is for class means by the Stein divergence: choose the classifier mean";
inline constexpr std::string_view average_of = "average of ", between_members = "; ";

/// Whether it adds the scores of class means on subspaces of several sizes.
bool is_ladder(const Candidate& candidate);
/// Whether it is linear on the tangent space.
bool is_tangent(const Candidate& candidate);
/// Whether it compares pairs of matrices: class means in kernel space, k-NN and the SVM.
bool compares_pairs(const Candidate& candidate);

/// Its theta for squared distances of `dim` x `dim` matrices with this median.
double theta_of(const Candidate& candidate, double median, Index dim);

/// The sizes of subspaces that are tried, descending from `dim` itself: halves, thirds, ..., eighths, none above 32.
std::vector<Index> subspace_ladder(Index dim);

/// What all candidates of a training set share.
struct CandidateOptions {
  SubspaceOptions subspace = {};
  Index learn_on = 0;             ///< learn from a balanced sample of this many matrices; 0: from all
  std::vector<Index> rungs = {};  ///< components of the ladder, descending; the first may be all
  SvmVariant svm = {};
  std::uint64_t seed = 0;
  PairOptions pairs = {};
  SharedLearning* shared = nullptr;  ///< with other methods; null: with none
};

/// Whether a method, with these options, is chosen among candidates; the paper's methods are not.
bool is_chosen_among_candidates(const Method& method, const SelectionOptions& options);

/// What a method chooses among for matrices of this size, simple ways first. Settings that the options give are kept.
/// Throws InvalidInput for options that do not go with the method.
std::vector<Candidate> candidates_of(const Method& method, Index dim, const SelectionOptions& options);

/// What these candidates share.
CandidateOptions candidate_options(const Method& method, Index dim, const SelectionOptions& options);

/// The one that describe() gives this name, if there is one; of an average all but the scales of its members.
std::optional<Candidate> candidate_named(std::string_view name, const Method& method, Index dim,
                                         const SelectionOptions& options);

/// The candidate trained on the whole training set. `stop`, unless null, is set to that of the mean by which matrices
/// were recentred or whitened, if they were.
Model fit_candidate(const Candidate& candidate, const Dataset& train, const CandidateOptions& options,
                    std::optional<Mean::Stop>* stop = nullptr);

/// The best of the candidates by repeated cross-validation, trained on the whole training set. `shared` may be null.
ChosenMethod choose_candidate(const Dataset& train, const Method& method, const SelectionOptions& options,
                              SharedLearning* shared = nullptr);

/// What candidates do to matrices before they compare them, learned from one training set: its mean, its subspaces and
/// the adjustment of its eigenvalues are computed once, when they are first asked for.
class CandidateTransforms {
 public:
  CandidateTransforms(Dataset train, const CandidateOptions& options);

  /// The Riemannian mean of the training set.
  const Matrix& mean() { return found_mean().matrix; }
  /// Of that mean, if it was needed.
  std::optional<Mean::Stop> mean_stop() const;
  /// The same mean of what a transform made of the training set.
  Mean mean_of(const SpdBatch& x) const;
  /// Learned on the training set, or a sample of it.
  const Projection& subspace(Index components);
  /// Learned in the same way.
  const EigenvalueAdjustment& adjustment();
  /// The projection to a subspace, whitening by the mean, the adjustment of eigenvalues, or nothing.
  Transform before(const Candidate& candidate);

 private:
  const Mean& found_mean();
  const Digest& digest();
  Projection learn_subspace(Index components);

  Dataset train_;
  CandidateOptions options_;
  std::optional<Mean> mean_;
  std::optional<Digest> digest_;
  std::optional<SubspaceLearner> learner_;
  std::map<Index, Projection> subspaces_;
  std::optional<EigenvalueAdjustment> adjustment_;
};

}  // namespace dsk::detail
