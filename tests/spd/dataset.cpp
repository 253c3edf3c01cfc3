#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/message.hpp"

namespace dsk::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Labels, IntegersAreSortedByValue) {
  const Labels labels(std::vector<long long>{10, 9, -2, 10});
  EXPECT_THAT(labels.names(), ElementsAre("-2", "9", "10"));
  EXPECT_THAT(labels.codes(), ElementsAre(2, 1, 0, 2));
  EXPECT_TRUE(labels.integral());
  EXPECT_EQ(labels[1], 1);
}

TEST(Labels, NamesAreSortedAlphabetically) {
  const Labels labels(std::vector<std::string>{"wood", "bark", "9", "10"});
  EXPECT_THAT(labels.names(), ElementsAre("10", "9", "bark", "wood"));
  EXPECT_THAT(labels.codes(), ElementsAre(3, 2, 1, 0));
  EXPECT_FALSE(labels.integral());
}

TEST(Labels, SelectionKeepsAllNames) {
  const Labels chosen = Labels(std::vector<long long>{3, 1, 2}).select(std::vector<Index>{2, 2});
  EXPECT_THAT(chosen.codes(), ElementsAre(1, 1));
  EXPECT_THAT(chosen.names(), ElementsAre("1", "2", "3"));
  EXPECT_TRUE(chosen.integral());
  EXPECT_THAT(message_of([&] { chosen.select(std::vector<Index>{2}); }), HasSubstr("index 2"));
}

TEST(Labels, FromNamesAndCodes) {
  const Labels numbers({"-2", "9", "10"}, {2, 2, 0}, true), texts({"10", "9", "bark"}, {}, false);
  EXPECT_THAT(numbers.codes(), ElementsAre(2, 2, 0));
  EXPECT_THAT(numbers.names(), ElementsAre("-2", "9", "10"));
  EXPECT_TRUE(numbers.integral());
  EXPECT_EQ(texts.size(), 0);
  const auto says = [](const std::vector<std::string>& names, const std::vector<int>& codes, bool integral) {
    return message_of([&] { Labels(names, codes, integral); });
  };
  EXPECT_EQ(says({"a", "c", "b"}, {}, false), "class names 1 and 2 are not in ascending order");
  EXPECT_EQ(says({"a", "a"}, {}, false), "class names 0 and 1 are not in ascending order");
  EXPECT_EQ(says({"10", "9"}, {}, true), "class names 0 and 1 are not in ascending order");
  for (const std::string bad : {"", "1.0", "+1", "01", " 1", "99999999999999999999", "oak"})
    EXPECT_EQ(says({bad}, {}, true), "class name '" + bad + "' is not an integer");
  EXPECT_EQ(says({"a", "b"}, {0, 2}, false), "label 1 has class code 2, but there are 2 classes");
  EXPECT_EQ(says({"a", "b"}, {-1}, false), "label 0 has class code -1, but there are 2 classes");
}

TEST(Dataset, WeightsGoWithTheirMatrices) {
  const SpdBatch x = random_spd({.count = 3});
  const Labels names(std::vector<long long>{1, 2, 3});
  const Dataset data(x, names, names, {1, 2.5, 4});
  EXPECT_THAT(data.select(std::vector<Index>{2, 0, 2}).weights(), ElementsAre(4, 1, 4));
  EXPECT_THAT(data.without_groups().weights(), ElementsAre(1, 2.5, 4));
  const Dataset other = data.with_matrices(random_spd({.count = 3, .dim = 5}));
  EXPECT_EQ(other.dim(), 5);
  EXPECT_TRUE(other.has_labels() && other.has_groups());
  EXPECT_THAT(other.weights(), ElementsAre(1, 2.5, 4));
  EXPECT_TRUE(Dataset(x, names).select(std::vector<Index>{0}).weights().empty());
  EXPECT_THAT(message_of([&] { Dataset(x, {}, {}, {1, 2}); }), HasSubstr("2 weights do not match 3 matrices"));
  for (const double bad : {0.0, -1.0, std::nan("")})
    EXPECT_THAT(message_of([&] { Dataset(x, {}, {}, {1, bad, 1}); }), HasSubstr("weight 1 is"));
}

TEST(Dataset, RejectsAWrongNumberOfLabels) {
  const SpdBatch x = random_spd({.count = 3});
  const Labels two(std::vector<long long>{1, 2}), three(std::vector<long long>{1, 2, 3});
  EXPECT_THAT(message_of([&] { Dataset(x, two); }), HasSubstr("2 labels for 3 matrices; there must be one per matrix"));
  EXPECT_THAT(message_of([&] { Dataset(x, three, two); }), HasSubstr("2 groups"));
}

TEST(Dataset, RejectsAccessToMissingLabels) {
  const Dataset bare(random_spd({.count = 3}));
  EXPECT_FALSE(bare.has_labels());
  EXPECT_FALSE(bare.has_groups());
  EXPECT_THAT(message_of([&] { bare.labels(); }), HasSubstr("no labels"));
  EXPECT_THAT(message_of([&] { bare.groups(); }), HasSubstr("no groups"));
}

TEST(Dataset, SelectsMatricesLabelsAndGroupsTogether) {
  const Dataset all(random_spd({.count = 3, .dim = 4}), Labels(std::vector<std::string>{"a", "b", "c"}),
                    Labels(std::vector<long long>{7, 8, 7}));
  const Dataset chosen = all.select(std::vector<Index>{2, 1});
  EXPECT_EQ(chosen.size(), 2);
  EXPECT_EQ(chosen.dim(), 4);
  EXPECT_EQ(chosen.matrices()[0], all.matrices()[2]);
  EXPECT_THAT(chosen.labels().codes(), ElementsAre(2, 1));
  EXPECT_THAT(chosen.groups().codes(), ElementsAre(0, 1));
}

TEST(Labels, TakeVectorsAndNameEachMatrix) {
  const Labels numbers(std::vector<int>{10, 9, 10}), words(std::vector<std::string>{"rest", "move", "rest"});
  EXPECT_TRUE(numbers.integral());
  EXPECT_THAT(numbers.names(), ElementsAre("9", "10"));
  EXPECT_THAT(numbers.codes(), ElementsAre(1, 0, 1));
  EXPECT_EQ(numbers.name(0), "10");
  EXPECT_EQ(numbers.name(1), "9");
  EXPECT_EQ(words.name(2), "rest");
  EXPECT_EQ(Labels(std::vector<int>{-2, -10}).name(1), "-10");
}

}  // namespace
}  // namespace dsk::test
