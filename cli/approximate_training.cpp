#include "approximate_training.hpp"

namespace dsk::cli {

void ApproximateModel::describe(Facts& facts) const {
  facts.add("approximation", "nystrom");
  facts.add("landmarks", origin.landmarks);
  facts.add("landmark_choice", origin.choice);
  facts.add("chosen_on", origin.chosen_on);
  facts.add("residual_share", origin.residual_share);
  if (asked.error) {
    facts.add("error", *asked.error);
    facts.add("error_reached", origin.landmarks < asked.landmarks || origin.residual_share <= *asked.error);
  }
  if (unfinished > 0) facts.add("unfinished_machines", unfinished);
  facts.add("kernel_error", {{"mean", check.mean_error}, {"largest", check.largest_error}});
  facts.add("sample", {{"trained_on", check.trained_on},
                       {"predicted", check.predicted},
                       {"exact", check.exact},
                       {"approximate", check.approximate},
                       {"agreement", check.agreement}});
}

ApproximateModel train_approximately(const ChosenMethod& chosen, const Dataset& train, NystromOptions options,
                                     SvmTraining training) {
  const bool svm = chosen.method.classifier == Classifier::svm;
  if (svm) options.theta = chosen.theta;
  const auto [map, fit] = fit_nystrom(chosen.comparison, train, options);
  const ApproximationSamples samples{.seed = options.seed, .threads = options.pairs.threads};
  ApproximationOrigin origin{
      .landmarks = map.size(), .choice = std::string(name(options.choice)), .seed = options.seed};
  if (svm) {
    training.c = chosen.setting;
    NystromSvm trained = train_nystrom_svm(map, train, training);
    origin.residual_share = trained.residual_share;
    return {std::move(trained.classifier), origin, options, check_approximation(map, train, training, samples),
            trained.unfinished};
  }
  const KnnOptions knn{.neighbours = static_cast<Index>(chosen.setting), .threads = options.pairs.threads};
  NystromKnn trained(map, train, knn);
  origin.residual_share = trained.residual_share();
  const ApproximationCheck check = check_approximation(map, train, knn, samples);
  return {std::move(trained), origin, options, check};
}

}  // namespace dsk::cli
