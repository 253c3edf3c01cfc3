#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>

#include <gtest/gtest.h>

#include "support/message.hpp"

namespace dsk::test {
namespace {

TEST(OneClass, IsRefusedByEveryClassifierAlike) {
  const Dataset two = wishart_classes({.per_class = 6, .dim = 3, .degrees = 10});
  const Dataset one = two.select(std::vector<Index>{0, 1, 2, 3, 4, 5});
  ASSERT_EQ(one.labels().codes(), std::vector<int>(6, 0));
  const std::string message =
      "training needs matrices of at least two classes; all 6 are of class '" + one.labels().names()[0] + "'";
  EXPECT_EQ(message_of([&] { train_knn(Comparison{}, one); }), message);
  EXPECT_EQ(message_of([&] { train_svm(Comparison{}, one); }), message);
  EXPECT_EQ(message_of([&] { train_mean(Comparison{}, one); }), message);
  EXPECT_EQ(message_of([&] { train_mdm(one); }), message);
  EXPECT_EQ(message_of([&] { train_logistic(one); }), message);
  EXPECT_EQ(message_of([&] { train_tangent_svm(one); }), message);
  const NystromMap map = fit_nystrom(Comparison{}, two, {.landmarks = 8}).map;
  EXPECT_EQ(message_of([&] { train_nystrom_svm(map, one); }), message);
  EXPECT_EQ(message_of([&] { NystromKnn(map, one); }), message);
}

}  // namespace
}  // namespace dsk::test
