#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dsk::test {
namespace {

constexpr int sets = 8;
constexpr Index per_set = 60;

/// Every matrix of every set is scored once.
EvaluationOptions options_for(const std::string& methods) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse("kfold:2");
  options.selection.folds = 3;
  options.selection.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
  return options;
}

/// Half of `size` is 0 and half 1, in random order.
std::vector<long long> coin_flips(std::size_t size, std::uint64_t seed) {
  std::vector<long long> flips(size);
  std::fill(flips.begin() + static_cast<std::ptrdiff_t>(size / 2), flips.end(), 1);
  std::shuffle(flips.begin(), flips.end(), std::mt19937_64(seed));
  return flips;
}

/// Of the share of `units` fair coins that show heads, three deviations.
double reach(double units) {
  return 3 * std::sqrt(0.25 / units);
}

/// Noise whose classes were drawn at random.
Dataset noise(int set) {
  const auto seed = static_cast<std::uint64_t>(set);
  const Dataset drawn = wishart_classes({.classes = 1, .per_class = per_set, .dim = 3, .degrees = 9, .seed = seed});
  return Dataset(drawn.matrices(), Labels(coin_flips(per_set, seed)));
}

TEST(Leak, NoiseIsPredictedByChance) {
  for (const std::optional<double> penalty : {std::optional<double>(), std::optional(1e-4)}) {
    SCOPED_TRACE(penalty ? "given penalty" : "penalty by cross-validation");
    EvaluationOptions options = options_for(
        penalty ? "DSK-KA-p,DSK-CS-a,DSK-CA-a,DSK-NN-c,DSK-RM-p:svm,DSK-auto"
                : "AIRM,CHK,EUK,LEK,PEK,SK,DSK-KA-p,DSK-CS-a,DSK-CA-a,DSK-NN-c,SK:svm,LEK:svm,PEK:svm,DSK-RM-p:svm,"
                  "DSK-auto");
    options.selection.penalty = penalty;
    std::vector<double> right(options.methods.size());
    double predictions = 0;
    for (int set = 0; set < sets; ++set) {
      const Evaluation evaluation = evaluate(noise(set), options);
      for (std::size_t m = 0; m < right.size(); ++m) right[m] += evaluation.methods[m].confusion.trace();
      predictions += evaluation.methods[0].confusion.sum();
    }
    for (std::size_t m = 0; m < right.size(); ++m)
      EXPECT_NEAR(right[m] / predictions, 0.5, reach(predictions)) << options.methods[m].full_name();
  }
}

TEST(Leak, NoiseIsValidatedByChanceWithAGivenPenalty) {
  EvaluationOptions options = options_for("DSK-CA-a,DSK-NN-a");
  options.selection.penalty = 1e-6;
  options.selection.neighbours = {5};
  double right = 0, predictions = 0;
  for (int set = 0; set < sets; ++set)
    for (const SplitResult& result : evaluate(noise(set), options).results) {
      right += result.validation_accuracy * per_set / 2;
      predictions += per_set / 2;
    }
  // The methods are scored on the same matrices.
  EXPECT_NEAR(right / predictions, 0.5, reach(predictions / 2));
}

/// Matrices of a group are nearly the same, those of others far off, and groups have their classes by chance.
Dataset told_by_group_alone(std::uint64_t seed, bool with_groups) {
  constexpr Index members = 3, groups = per_set / members, dim = 3;
  const SpdBatch centres = random_spd({.count = groups, .dim = dim, .condition = 100, .seed = seed});
  const std::vector<long long> flips = coin_flips(groups, seed);
  MatrixStack stack{per_set, dim, {}};
  std::vector<long long> labels, group_names;
  for (Index i = 0; i < per_set; ++i) {
    const Index group = i % groups;
    const MatrixView centre = centres[group];
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c < dim; ++c)
        stack.values.push_back(centre(r, c) * (1 + 1e-3 * static_cast<double>(i / groups)));
    labels.push_back(flips[static_cast<std::size_t>(group)]);
    group_names.push_back(group);
  }
  return Dataset(SpdBatch(std::move(stack)), Labels(labels),
                 with_groups ? std::optional(Labels(group_names)) : std::nullopt);
}

TEST(Leak, GroupsOnBothSidesWouldTellTheClass) {
  for (const MethodResult& result :
       evaluate(told_by_group_alone(0, false), options_for("SK,LEK,DSK-CA-a,SK:svm")).methods) {
    if (result.method.majority) continue;
    EXPECT_GT(result.accuracy.mean, 0.75) << result.method.full_name();
  }
}

TEST(Leak, GroupsKeptTogetherLeaveChance) {
  const EvaluationOptions options = options_for("SK,LEK,DSK-CA-a,SK:svm,DSK-auto");
  std::vector<double> sums(options.methods.size());
  double validated = 0;
  for (int set = 0; set < sets; ++set) {
    const Evaluation evaluation = evaluate(told_by_group_alone(static_cast<std::uint64_t>(set), true), options);
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += evaluation.methods[m].accuracy.mean;
    for (const SplitResult& result : evaluation.results)
      validated += result.validation_accuracy / static_cast<double>(evaluation.results.size());
  }
  for (std::size_t m = 0; m < sums.size(); ++m)
    EXPECT_NEAR(sums[m] / sets, 0.5, reach(sets * per_set / 3)) << options.methods[m].full_name();
  EXPECT_LT(validated / sets, 0.8) << "inner folds part groups";
}

}  // namespace
}  // namespace dsk::test
