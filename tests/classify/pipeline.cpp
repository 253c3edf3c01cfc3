#include <dsk/mean.hpp>
#include <dsk/model.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

Projection made_projection() {
  Projection projection{Matrix(4, 2)};
  projection.w << 1, 0, 0.5, 1, -1, 0.3, 0, 2;
  return projection;
}

Dataset four_dim(std::uint64_t seed = 0) {
  return made_classes({.sizes = {12, 9, 10}, .dim = 4, .seed = seed});
}

/// Class means on a subspace, and logistic regression on whole matrices.
Pipeline ladder(const Dataset& train, Recentring recentring = Recentring::none) {
  const Transform before(made_projection());
  const SpdBatch small = before.apply(train.matrices());
  MeanClassifier means = train_mean(Comparison{}, Dataset(small, train.labels()), {.theta = 0.2});
  TangentClassifier logistic = train_logistic(train);
  const double scale = score_scale(means, small), logistic_scale = score_scale(logistic, train.matrices());
  return Pipeline({{before, means, scale}, {Transform(), logistic, logistic_scale}}, recentring);
}

TEST(Pipeline, OneMemberPredictsAsItDoesAlone) {
  const Dataset train = four_dim();
  const Transform before(made_projection());
  const Dataset small(before.apply(train.matrices()), train.labels());
  const SpdBatch x = four_dim(1).matrices();
  const std::vector<SimpleModel> classifiers{
      train_knn(Comparison{}, small),  train_svm(Comparison{}, small), train_mdm(small),
      train_mean(Comparison{}, small), train_logistic(small),          train_tangent_svm(small)};
  for (const SimpleModel& classifier : classifiers) {
    const Prediction found = predict(Pipeline({{before, classifier}}), x);
    const Prediction expected =
        std::visit([&](const auto& alone) { return predict(alone, before.apply(x)); }, classifier);
    EXPECT_EQ(found.scores, expected.scores);
    EXPECT_EQ(found.labels.codes(), expected.labels.codes());
  }
}

TEST(Pipeline, SeveralMembersAddScaledCentredScores) {
  const Dataset train = four_dim();
  const SpdBatch x = four_dim(1).matrices();
  const Pipeline model = ladder(train);
  const Prediction found = predict(model, x);
  std::vector<Matrix> raw;
  for (const Pipeline::Member& member : model.members())
    raw.push_back(class_scores(member.classifier, member.before.apply(x)));
  for (Index i = 0; i < x.size(); ++i) {
    double sums[3] = {0, 0, 0}, total = 0;
    for (std::size_t k = 0; k < raw.size(); ++k) {
      const double centre = (raw[k](i, 0) + raw[k](i, 1) + raw[k](i, 2)) / 3;
      for (Index c = 0; c < 3; ++c) sums[c] += (raw[k](i, c) - centre) / model.members()[k].scale;
    }
    for (const double sum : sums) total += std::exp(sum);
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(found.scores(i, c), std::exp(sums[c]) / total, 1e-12);
    EXPECT_EQ(found.labels[i], std::max_element(sums, sums + 3) - sums);
  }
  EXPECT_EQ(predict(model, x, {.threads = 2}).scores, predict(model, x, {.threads = 1}).scores);
}

TEST(Pipeline, ScalesAreTheDeviationOfCentredScores) {
  const Dataset train = four_dim();
  const MdmClassifier mdm = train_mdm(train);
  const Matrix scores = class_scores(mdm, train.matrices());
  double squares = 0;
  for (Index i = 0; i < scores.rows(); ++i)
    for (Index c = 0; c < 3; ++c) squares += std::pow(scores(i, c) - scores.row(i).mean(), 2);
  EXPECT_NEAR(score_scale(mdm, train.matrices()), std::sqrt(squares / static_cast<double>(scores.size())), 1e-12);
}

TEST(Pipeline, GroupsAreRecentredWhenPredicting) {
  const Dataset train = four_dim();
  const SpdBatch first = four_dim(1).matrices();
  // The second group is the first one seen through other channels: recentred, S and AIRM cannot tell them apart.
  Matrix mixing(4, 4);
  mixing << 3, 1, 0, 0, 0, 1, 0.2, 0, 0.5, 0, 2, 0, 0, 0.1, 0, 0.3;
  const SpdBatch second = project(first, {mixing});
  MatrixStack both{2 * first.size(), 4, {first.values().begin(), first.values().end()}};
  both.values.insert(both.values.end(), second.values().begin(), second.values().end());
  const SpdBatch x(std::move(both));
  std::vector<long long> names(static_cast<std::size_t>(first.size()), 4);
  names.resize(2 * names.size(), 9);
  const Labels groups(names);
  const SpdBatch moved = recentre_groups(x, &groups);
  for (Index i = 0; i < first.size(); ++i) EXPECT_EQ(moved[i].rows(), 4);
  for (const Index from : {Index{0}, first.size()}) {
    std::vector<Index> members;
    for (Index i = from; i < from + first.size(); ++i) members.push_back(i);
    EXPECT_LT((mean(moved.select(members)).matrix - Matrix::Identity(4, 4)).norm(), 1e-8);
  }
  const Pipeline model({{Transform(), train_mdm(Dataset(recentre_groups(train.matrices(), nullptr), train.labels()))}},
                       Recentring::groups);
  const Matrix alone = predict(model, first).scores, together = predict(model, x, &groups, {}).scores;
  EXPECT_LT((together.topRows(first.size()) - alone).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_TRUE(recentres_groups(model));
  EXPECT_EQ(predict(Model(model), x, &groups, {}).scores, together);
  const Labels few(std::vector<long long>{1, 2});
  EXPECT_SAYS(message_of([&] { predict(model, x, &few, {}); }), "2 groups do not match");
}

TEST(Pipeline, WithoutGroupsABatchIsOneGroup) {
  const SpdBatch x = four_dim().matrices();
  const Labels same(std::vector<long long>(static_cast<std::size_t>(x.size()), 3));
  EXPECT_TRUE(std::ranges::equal(recentre_groups(x, nullptr).values(), recentre_groups(x, &same).values()));
  EXPECT_TRUE(std::ranges::equal(recentre_groups(x, nullptr, 1).values(), recentre_groups(x, nullptr, 2).values()));
  const Labels unused({"a", "b"}, std::vector<int>(static_cast<std::size_t>(x.size()), 1), false);
  EXPECT_TRUE(std::ranges::equal(recentre_groups(x, &unused).values(), recentre_groups(x, &same).values()));
}

TEST(Pipeline, RejectsMembersThatDoNotFit) {
  const Dataset train = four_dim();
  const Transform before(made_projection());
  const Dataset small(before.apply(train.matrices()), train.labels());
  const MdmClassifier mdm = train_mdm(train), on_small = train_mdm(small);
  const auto says = [](std::vector<Pipeline::Member> members) {
    return message_of([&] { Pipeline{std::move(members)}; });
  };
  EXPECT_EQ(says({}), "a pipeline needs at least one classifier");
  EXPECT_SAYS(says({{before, mdm}}), "makes matrices of size 2, but its classifier is for size 4");
  EXPECT_SAYS(says({{Transform(), mdm}, {Transform(), on_small}}), "member 1 of a pipeline is for matrices of size 2");
  EXPECT_SAYS(says({{Transform(), mdm, 0}}), "the scale 0 of member 0");
  const Dataset renamed(train.matrices(), Labels({"a", "b", "c"}, train.labels().codes(), false));
  EXPECT_SAYS(says({{Transform(), mdm}, {Transform(), train_mdm(renamed)}}), "member 1 of a pipeline has other class");
  EXPECT_EQ(message_of([&] {
              predict(Pipeline({{before, on_small}}), small.matrices());
            }),
            "the model is for 4 x 4 matrices, not for 2 x 2");
}

TEST(ClassScores, OfMachinesAreTheirLimitedDecisionValues) {
  // The second of four classes has no members.
  const Dataset drawn = four_dim();
  std::vector<int> codes = drawn.labels().codes();
  for (int& code : codes) code += code > 0 ? 1 : 0;
  const Dataset train(drawn.matrices(), Labels({"a", "b", "c", "d"}, codes, false));
  const SpdBatch x = four_dim(1).matrices();
  const SvmClassifier svm = train_svm(Comparison{}, train, {.theta = 2});
  const TangentClassifier tangent = train_tangent_svm(train);
  const std::vector<std::pair<Matrix, Matrix>> cases{
      {class_scores(svm, x), decision_values(svm, x)},
      {class_scores(tangent, x), detail::tangent_outputs(tangent, x, 1)}};
  for (const auto& both : cases) {
    const Matrix& scores = both.first;
    const Matrix& decisions = both.second;
    EXPECT_GT(decisions.cwiseAbs().maxCoeff(), 1);
    for (Index i = 0; i < x.size(); ++i) {
      const auto limited = [&](Index pair) { return std::max(-1.0, std::min(1.0, decisions(i, pair))); };
      EXPECT_NEAR(scores(i, 0), (limited(0) + limited(1)) / 2, 1e-14);
      EXPECT_EQ(scores(i, 1), -std::numeric_limits<double>::infinity());
      EXPECT_NEAR(scores(i, 2), (-limited(0) + limited(2)) / 2, 1e-14);
      EXPECT_NEAR(scores(i, 3), (-limited(1) - limited(2)) / 2, 1e-14);
    }
  }
}

TEST(ClassScores, OfNeighboursAreTheirShares) {
  const Dataset train = four_dim();
  const SpdBatch x = four_dim(1).matrices();
  const Matrix squared = pairwise_squared_distances(Comparison{}, x, train.matrices());
  const Matrix scores = class_scores(train_knn(Comparison{}, train, {.neighbours = 4}), x);
  for (Index i = 0; i < x.size(); ++i) {
    std::vector<std::pair<double, int>> order;
    for (Index j = 0; j < train.size(); ++j) order.emplace_back(squared(i, j), train.labels()[j]);
    std::sort(order.begin(), order.end());
    double shares[3] = {0, 0, 0};
    for (std::size_t k = 0; k < 4; ++k) shares[order[k].second] += 0.25;
    for (Index c = 0; c < 3; ++c) EXPECT_EQ(scores(i, c), shares[c]);
  }
}

TEST(Model, TellsWhatItIs) {
  const Dataset train = four_dim();
  const std::vector<std::pair<Model, std::string_view>> models{{train_knn(Comparison{}, train), "knn"},
                                                               {train_svm(Comparison{}, train), "svm"},
                                                               {train_mdm(train), "mdm"},
                                                               {train_mean(Comparison{}, train), "mean"},
                                                               {train_logistic(train), "logistic"},
                                                               {train_tangent_svm(train), "tangent-svm"},
                                                               {ladder(train), "pipeline"}};
  for (const auto& [model, expected] : models) {
    EXPECT_EQ(kind(model), expected);
    EXPECT_EQ(dim(model), 4);
    EXPECT_EQ(class_names(model), train.labels().names());
    EXPECT_GT(accuracy(model, train), 0.5) << expected;
  }
  EXPECT_EQ(message_of([&] { comparison(ladder(train)); }),
            "a model of kind pipeline does not compare pairs of matrices");
  EXPECT_EQ(message_of([&] { comparison(train_logistic(train)); }),
            "a model of kind logistic does not compare pairs of matrices");
}

TEST(Recentring, HasNames) {
  for (const Recentring one : {Recentring::none, Recentring::all, Recentring::groups})
    EXPECT_EQ(parse_recentring(name(one)), one);
  EXPECT_EQ(recentring_choices(), "none, all, groups");
  EXPECT_EQ(message_of([] { parse_recentring("some"); }), "unknown recentring 'some'; use one of none, all, groups");
}

}  // namespace
}  // namespace dsk::test
