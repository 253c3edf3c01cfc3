#pragma once

#include <dsk/learn.hpp>
#include <dsk/model.hpp>
#include <dsk/train.hpp>

#include <string>
#include <vector>

namespace dsk::detail {

/// What a candidate classifies with.
enum class Family {
  mdm,             ///< nearest class mean
  logistic,        ///< logistic regression on the tangent space
  tangent_svm,     ///< linear SVM on the tangent space
  mean,            ///< nearest class mean in kernel space
  knn,             ///<
  svm,             ///<
  ladder,          ///< class means in kernel space on subspaces of several sizes, added
  ladder_logistic  ///< the same, with logistic regression added
};

/// One way to classify, with all its settings.
struct Candidate {
  Family family = Family::mdm;
  Metric metric = Metric::stein;  ///< of mdm, mean, knn and svm
  double zeta = 0.5;              ///< of the power-Euclidean metric
  bool recentred = false;         ///< matrices are whitened by the training mean first
  Index components = 0;           ///< of the subspace; 0: no projection
  double neighbours_or_c = 0;
  double relative_theta = 0;  ///< theta times the median squared distance
  bool valid_theta = false;   ///< theta is moved to the nearest for which the kernel is positive definite
};

/// "TS:lr, C 10", "CA-s:mean, 6 components, theta 0.15 / median".
std::string describe(const Candidate& candidate, Criterion criterion);

/// What all candidates of a training set share.
struct CandidateOptions {
  SubspaceOptions subspace = {};
  Index learn_on = 0;             ///< learn W from a balanced sample of this many matrices; 0: from all
  std::vector<Index> rungs = {};  ///< components of the ladder, descending; the first may be all
  SvmVariant svm = {};
  std::uint64_t seed = 0;
  PairOptions pairs = {};
};

/// The sizes of subspaces that are tried, descending from `dim` itself: halves, thirds, ..., eighths, none above 32.
std::vector<Index> subspace_ladder(Index dim);

/// The candidate trained on the whole training set.
Model fit_candidate(const Candidate& candidate, const Dataset& train, const CandidateOptions& options);

/// The projection to this many components in the candidates that are trained on the whole training set.
Projection fit_subspace(Index components, const Dataset& train, const CandidateOptions& options);

}  // namespace dsk::detail
