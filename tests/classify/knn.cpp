#include <dsk/classify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

std::vector<Comparison> all_comparisons(Index dim) {
  return {{.metric = Metric::airm},
          {.metric = Metric::cholesky},
          {.metric = Metric::euclidean},
          {.metric = Metric::logeuclidean},
          {.metric = Metric::powereuclidean, .zeta = 0.3},
          {.metric = Metric::stein},
          {.learned = some_kernel(dim)}};
}

/// The matrices repeated with different labels, so that distances and votes tie.
Dataset with_contradicting_twins(const Dataset& data) {
  std::vector<Index> twice(2 * static_cast<std::size_t>(data.size()));
  std::iota(twice.begin(), twice.end(), 0);
  for (Index& i : twice) i %= data.size();
  std::vector<int> codes = data.labels().select(twice).codes();
  const int classes = static_cast<int>(data.labels().names().size());
  for (std::size_t i = codes.size() / 2; i < codes.size(); i += 2) codes[i] = (codes[i] + 1) % classes;
  return Dataset(data.matrices().select(twice), Labels(data.labels().names(), codes, true));
}

struct Vote {
  int winner = 0;
  std::vector<double> shares;
};

Vote vote_oracle(const Eigen::RowVectorXd& distances, const Labels& labels, Index neighbours) {
  std::vector<Index> order(static_cast<std::size_t>(distances.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distances[a] < distances[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(neighbours)));
  Vote vote{0, std::vector<double>(labels.names().size(), 0)};
  for (const Index i : order) vote.shares[static_cast<std::size_t>(labels[i])] += 1 / static_cast<double>(order.size());
  const double most = *std::max_element(vote.shares.begin(), vote.shares.end());
  for (const Index i : order) {
    vote.winner = labels[i];
    if (vote.shares[static_cast<std::size_t>(vote.winner)] > most - 1e-9) break;
  }
  return vote;
}

TEST(Knn, AgreesWithSortingAllDistances) {
  const Dataset all = made_classes({.sizes = {20, 15, 10}, .dim = 4, .seed = 3});
  std::vector<Index> some(30);
  std::iota(some.begin(), some.end(), 0);
  const Dataset train = with_contradicting_twins(all.select(some));
  for (const Comparison& comparison : all_comparisons(4)) {
    const Matrix distances = pairwise_squared_distances(comparison, all.matrices(), train.matrices());
    for (const Index neighbours : {1, 2, 3, 4, 5, 9, 60, 1000}) {
      const KnnClassifier model = train_knn(comparison, train, {.neighbours = neighbours});
      const Prediction prediction = predict(model, all.matrices());
      ASSERT_EQ(prediction.labels.names(), train.labels().names());
      for (Index i = 0; i < all.size(); ++i) {
        const Vote vote = vote_oracle(distances.row(i), train.labels(), neighbours);
        ASSERT_EQ(prediction.labels[i], vote.winner) << name(comparison.metric) << ", k = " << neighbours;
        for (std::size_t c = 0; c < vote.shares.size(); ++c)
          ASSERT_NEAR(prediction.scores(i, static_cast<Index>(c)), vote.shares[c], 1e-12);
      }
    }
  }
}

TEST(Knn, LargeBatchesArePredictedLikeSmallOnes) {
  const Dataset train = wishart_classes({.classes = 3, .per_class = 400, .dim = 2, .degrees = 9, .tau = 0.4});
  const Dataset test =
      wishart_classes({.classes = 3, .per_class = 1400, .dim = 2, .degrees = 9, .tau = 0.4, .seed = 1});
  const KnnClassifier model = train_knn(Comparison{}, train);
  const Prediction all = predict(model, test.matrices());
  for (Index first = 0; first < test.size(); first += 1400) {
    std::vector<Index> part(1400);
    std::iota(part.begin(), part.end(), first);
    const Prediction few = predict(model, test.matrices().select(part));
    EXPECT_EQ(few.labels.codes(), all.labels.select(part).codes());
    EXPECT_EQ(few.scores, all.scores.middleRows(first, 1400));
  }
}

TEST(Knn, IsTheSameForAnyNumberOfThreads) {
  const Dataset train = wishart_classes({.classes = 3, .per_class = 200, .dim = 5, .degrees = 9, .tau = 0.2});
  for (const Comparison& comparison : all_comparisons(5)) {
    const Prediction one = predict(train_knn(comparison, train, {.threads = 1}), train.matrices(), {.threads = 1});
    for (const int threads : {0, 2, 3}) {
      const KnnClassifier model = train_knn(comparison, train, {.threads = threads});
      const Prediction several = predict(model, train.matrices(), {.threads = threads});
      EXPECT_EQ(several.labels.codes(), one.labels.codes()) << name(comparison.metric);
      EXPECT_EQ(several.scores, one.scores) << name(comparison.metric);
    }
  }
}

TEST(Knn, OrderSurvivesSquaredDistancesBeyondTheRangeOfDoubles) {
  const Dataset train = made_classes({.sizes = {20, 20}, .seed = 4}), test = made_classes({.sizes = {20, 20}});
  for (const Metric metric : {Metric::euclidean, Metric::cholesky, Metric::stein})
    for (const double scale : {0x1p-600, 0x1p600}) {
      const KnnClassifier plain = train_knn({.metric = metric}, train);
      const KnnClassifier scaled = train_knn({.metric = metric}, times(train, scale));
      EXPECT_EQ(predict(scaled, times(test, scale).matrices()).labels.codes(),
                predict(plain, test.matrices()).labels.codes())
          << name(metric) << " times " << scale;
    }
}

TEST(Knn, ClassesAreMatchedByName) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3});
  const Dataset train(x, Labels(std::vector<std::string>{"oak", "elm", "ash", "oak"}));
  const KnnClassifier model = train_knn(Comparison{}, train, {.neighbours = 1});
  EXPECT_EQ(accuracy(model, train), 1);
  EXPECT_EQ(accuracy(model, Dataset(x, Labels(std::vector<std::string>{"oak", "elm", "yew", "oak"}))), 0.75);
  EXPECT_EQ(accuracy(model, Dataset(x, Labels(std::vector<std::string>{"oak", "oak", "oak", "oak"}))), 0.5);
  EXPECT_EQ(accuracy(model, Dataset(x, Labels(std::vector<long long>{2, 1, 0, 2}))), 0);
  const KnnClassifier numbers = train_knn(Comparison{}, Dataset(x, Labels(std::vector<long long>{10, 9, -1, 10})));
  const Prediction prediction = predict(numbers, x);
  EXPECT_TRUE(prediction.labels.integral());
  EXPECT_EQ(prediction.labels.names(), (std::vector<std::string>{"-1", "9", "10"}));
}

TEST(Knn, ClassesWithoutMembersGetNoVotes) {
  const Dataset all = made_classes({.sizes = {6, 6, 6}});
  std::vector<Index> without_first;
  for (Index i = 0; i < all.size(); ++i)
    if (all.labels()[i] != 0) without_first.push_back(i);
  const Prediction prediction = predict(train_knn(some_kernel(3), all.select(without_first)), all.matrices());
  EXPECT_EQ(prediction.scores.cols(), 3);
  EXPECT_EQ(prediction.scores.col(0).cwiseAbs().maxCoeff(), 0);
}

TEST(Knn, RefusesBadInput) {
  const Dataset train = made_classes({});
  EXPECT_EQ(message_of([&] { train_knn(Comparison{}, train, {.neighbours = 0}); }), "neighbours 0 must be 1 or more");
  EXPECT_EQ(message_of([&] { train_knn(Comparison{}, Dataset(train.matrices())); }),
            "the data set of 15 matrices has no labels");
  const std::string other_size = message_of([&] { train_knn(some_kernel(4), train); });
  for (const char size : {'3', '4'}) EXPECT_NE(other_size.find(size), std::string::npos) << other_size;
  EXPECT_NE(message_of([&] { train_knn({.metric = Metric::powereuclidean, .zeta = 0}, train); }).find("zeta"),
            std::string::npos);
  const KnnClassifier model = train_knn(Comparison{}, train);
  EXPECT_EQ(message_of([&] { predict(model, random_spd({.dim = 4})); }),
            "the model is for 3 x 3 matrices, not for 4 x 4");
  EXPECT_EQ(message_of([&] { accuracy(model, Dataset(train.matrices())); }),
            "the data set of 15 matrices has no labels");
}

}  // namespace
}  // namespace dsk::test
