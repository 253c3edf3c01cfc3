// The average of the best candidates.

#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "evaluate/candidate.hpp"
#include "evaluate/race.hpp"
#include "support/class_scores.hpp"
#include "support/made_signals.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

const Method among_all = Method::parse("auto");

/// Held-out scores of a candidate, each row centred, and the classes.
std::pair<Matrix, std::vector<int>> held_out_by(const Dataset& data, const std::vector<Split>& folds,
                                                const detail::Candidate& candidate,
                                                const detail::CandidateOptions& work) {
  Matrix scores(0, static_cast<Index>(data.labels().names().size()));
  std::vector<int> truth;
  for (const Split& fold : folds) {
    Matrix found = detail::FoldWork(data.select(fold.train), data.select(fold.test), work).scores(candidate);
    found.colwise() -= found.rowwise().mean().eval();
    Matrix both(scores.rows() + found.rows(), scores.cols());
    both << scores, found;
    scores = both;
    for (const Index i : fold.test) truth.push_back(data.labels()[i]);
  }
  return {scores, truth};
}

/// Mean log probability of the true classes, probabilities being the softmax of the scores.
double likelihood(const Matrix& scores, const std::vector<int>& truth) {
  double sum = 0;
  for (Index i = 0; i < scores.rows(); ++i)
    sum += scores(i, truth[static_cast<std::size_t>(i)]) - std::log(scores.row(i).array().exp().sum());
  return sum / static_cast<double>(scores.rows());
}

/// By trying many.
double likeliest_factor(const Matrix& scores, const std::vector<int>& truth) {
  double best = 1, most = likelihood(scores, truth);
  for (double exponent = -4; exponent < 6; exponent += 0.002) {
    const double value = likelihood(std::exp(exponent) * scores, truth);
    if (value > most) {
      most = value;
      best = std::exp(exponent);
    }
  }
  return best;
}

TEST(Average, WeighsItsMembersByTheLikelihoodOfHeldOutClasses) {
  const Dataset data = made_signals({.per_class = 20, .classes = 3, .dim = 5, .gain = 1.4});
  const std::vector<detail::Candidate> members{
      {.family = detail::Family::mdm, .metric = Metric::airm},
      {.family = detail::Family::logistic, .neighbours_or_c = 1},
      {.family = detail::Family::svm, .neighbours_or_c = 1, .relative_theta = 1},
      {.family = detail::Family::knn, .neighbours_or_c = 5},
      {.family = detail::Family::ladder, .relative_theta = 0.15}};
  const detail::CandidateOptions work = detail::candidate_options(among_all, data.dim(), {});
  const detail::RaceOptions racing{.folds = 3, .repeats = 2, .seed = 4};
  const std::optional<detail::ScoredCandidate> average = detail::average_of_members(data, members, work, racing);
  ASSERT_TRUE(average);
  ASSERT_EQ(average->candidate.members.size(), members.size());
  EXPECT_EQ(average->folds, 6);
  const std::vector<Split> folds = detail::folds_of_race(data, racing);
  Matrix sum;
  std::vector<int> truth;
  std::vector<double> ratios;
  for (const detail::Candidate& member : average->candidate.members) {
    auto [scores, classes] = held_out_by(data, folds, member, work);
    truth = classes;
    const Matrix scaled = scores / member.scale;
    ratios.push_back(likeliest_factor(scaled, truth));
    sum = sum.size() == 0 ? scaled : Matrix(sum + scaled);
  }
  // Members are scaled for themselves first, then all of them for the sum.
  for (const double ratio : ratios) EXPECT_NEAR(ratio, ratios.front(), 0.005 * ratio);
  EXPECT_NEAR(likeliest_factor(sum, truth), 1, 0.005);
  double hits = 0;
  for (Index i = 0; i < sum.rows(); ++i) {
    Index largest = 0;
    sum.row(i).maxCoeff(&largest);
    EXPECT_EQ(average->hits[static_cast<std::size_t>(i)], largest == truth[static_cast<std::size_t>(i)]);
    hits += largest == truth[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_EQ(average->accuracy, hits / static_cast<double>(sum.rows()));
}

TEST(Average, IsTrainedAsTheSumOfItsMembers) {
  const Dataset data = made_signals({.per_class = 20, .classes = 3, .dim = 6, .gain = 1.6});
  const detail::CandidateOptions work = detail::candidate_options(among_all, data.dim(), {});
  detail::Candidate average{.family = detail::Family::average};
  average.members = {
      {.family = detail::Family::ladder, .relative_theta = 0.15, .scale = 0.5},
      {.family = detail::Family::ladder_logistic, .neighbours_or_c = 1, .relative_theta = 0.15, .scale = 2},
      {.family = detail::Family::mean, .components = 3, .relative_theta = 0.15, .scale = 0.1},
      {.family = detail::Family::svm, .neighbours_or_c = 10, .relative_theta = 4, .scale = 0.3}};
  const Model model = detail::fit_candidate(average, data, work);
  Matrix sum = Matrix::Zero(data.size(), 3);
  for (const detail::Candidate& member : average.members) {
    Matrix scores = scores_of(detail::fit_candidate(member, data, work), data.matrices());
    scores.colwise() -= scores.rowwise().mean().eval();
    sum += scores / member.scale;
  }
  const Matrix softmax = sum.array().exp().matrix();
  for (Index i = 0; i < sum.rows(); ++i)
    EXPECT_TRUE(predict(model, data.matrices()).scores.row(i).isApprox(softmax.row(i) / softmax.row(i).sum(), 1e-9));
  // What members share is there once: four sizes of subspaces, the largest of them whole matrices, and one of each
  // other.
  EXPECT_EQ(std::get<Pipeline>(model).members().size(), work.rungs.size() + 2);
}

TEST(Average, HasANameThatTellsItsMembers) {
  const SelectionOptions options;
  detail::Candidate average{.family = detail::Family::average};
  const std::vector<detail::Candidate> all = detail::candidates_of(among_all, 8, options);
  for (std::size_t k = 0; k < all.size(); k += 19) average.members.push_back(all[k]);
  average.members.push_back(all.back());
  const std::string name = detail::describe(average, Criterion::centred);
  EXPECT_SAYS(name, "average of MDM; ");
  EXPECT_SAYS(name, "; ladder of subspaces + TS:lr, C 1");
  const std::optional<detail::Candidate> found = detail::candidate_named(name, among_all, 8, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->members.size(), average.members.size());
  EXPECT_EQ(detail::describe(*found, Criterion::centred), name);
  EXPECT_FALSE(detail::candidate_named(name + "; nothing", among_all, 8, options));
}

TEST(Average, LeavesOutMembersThatFailOrSayNothing) {
  const Dataset data = made_signals({.per_class = 12, .classes = 2, .dim = 3, .gain = 2});
  const detail::Candidate good{.family = detail::Family::mdm, .metric = Metric::airm},
      other{.family = detail::Family::logistic, .neighbours_or_c = 1},
      constant{.family = detail::Family::mean, .relative_theta = 1e-300};
  const detail::RaceOptions racing{.folds = 3, .repeats = 1};
  const auto members = [&](const std::vector<detail::Candidate>& of) {
    const auto average = detail::average_of_members(data, of, {.rungs = {3}}, racing);
    return average ? average->candidate.members.size() : 0;
  };
  EXPECT_EQ(members({good, constant, other}), 2U);
  EXPECT_EQ(members({good, constant}), 0U);
  // Folds leave one matrix of each class to learn from, and the neighbour criterion compares those of a class.
  const Dataset few = made_signals({.per_class = 2, .classes = 2, .dim = 3, .gain = 6});
  const detail::Candidate undefined{.family = detail::Family::mean, .components = 2, .relative_theta = 1};
  const auto average = detail::average_of_members(few, {good, undefined, other},
                                                  {.subspace = {.criterion = Criterion::neighbour}, .rungs = {3}},
                                                  {.folds = 2, .repeats = 1});
  ASSERT_TRUE(average);
  EXPECT_EQ(average->candidate.members.size(), 2U);
}

TEST(Average, IsWhatAutoTakes) {
  const Dataset data = made_signals({.per_class = 25, .classes = 3, .dim = 6, .gain = 1.5});
  const Trained trained = train(data);
  const std::vector<CandidateScore>& tried = trained.chosen.candidates;
  ASSERT_TRUE(tried[0].name.starts_with("average of "));
  EXPECT_GE(tried[0].accuracy, tried[1].accuracy - tried[1].standard_error);
  EXPECT_EQ(tried[0].folds, tried[1].folds);
  const auto average = detail::candidate_named(tried[0].name, among_all, data.dim(), {});
  ASSERT_TRUE(average);
  std::map<detail::Family, int> of_classifier;
  for (const detail::Candidate& member : average->members) EXPECT_LE(++of_classifier[member.family], 2);
  EXPECT_LE(average->members.size(), 8U);
  EXPECT_GE(average->members.size(), 4U);
  // Single methods stay what they are.
  for (const std::string name : {"DSK-CA-s:svm", "TS:lr"})
    EXPECT_FALSE(train(data, {.method = Method::parse(name)}).chosen.candidates[0].name.starts_with("average"));
}

}  // namespace
}  // namespace dsk::test
