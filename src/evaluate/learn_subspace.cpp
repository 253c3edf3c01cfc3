#include <dsk/train.hpp>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "learn/learn.hpp"

namespace dsk {
namespace {

/// The size of what the best classifier by class means in kernel space compares.
Index choose_components(const Dataset& train, const LearnSubspaceOptions& options) {
  SelectionOptions selection;
  selection.folds = options.folds;
  selection.given_folds = options.given_folds;
  selection.seed = options.seed;
  selection.penalty = options.subspace.penalty;
  selection.pairs = options.subspace.pairs;
  selection.on_progress = options.on_fold;
  if (options.subspace.max_iterations == 0) selection.project.kind = Projecting::Kind::start;
  const Method method{.metric = options.subspace.metric,
                      .learning = Method::Learning{.criterion = options.subspace.criterion, .subspace = true},
                      .classifier = Classifier::mean};
  const Index components = choose_settings(train, method, selection).candidates.front().components;
  return components > 0 ? components : train.dim();
}

}  // namespace

Subspace learn_subspace(const Dataset& train, const LearnSubspaceOptions& options) {
  const SubspaceLearner learner(train, options.subspace);
  return learner.learn(options.components ? *options.components : choose_components(train, options));
}

}  // namespace dsk
