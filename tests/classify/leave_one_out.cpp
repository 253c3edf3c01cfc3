#include <gtest/gtest.h>

#include <dsk/classify.hpp>
#include "support/message.hpp"

namespace dsk::test {
namespace {

Labels labels_of(std::vector<long long> values) {
  return Labels(std::span<const long long>(values));
}

TEST(LeaveOneOut, CountsNearestNeighboursOfTheSameClass) {
  Matrix distances(4, 4);
  distances << 0, 1, 5, 6,  //
      1, 0, 4, 7,           //
      5, 4, 0, 9,           //
      6, 7, 9, 0;
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 1, 1, 1})), 1);
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 1, 2, 2})), 0.5);
  EXPECT_EQ(leave_one_out_accuracy(distances, labels_of({1, 2, 3, 4})), 0);
}

TEST(LeaveOneOut, NeverTakesAMatrixForItsOwnNeighbour) {
  EXPECT_EQ(leave_one_out_accuracy(Matrix::Zero(2, 2), labels_of({1, 2})), 0);
}

TEST(LeaveOneOut, RefusesWhatDoesNotFit) {
  EXPECT_NE(message_of([] { leave_one_out_accuracy(Matrix::Zero(1, 1), labels_of({1})); }), "");
  EXPECT_NE(message_of([] { leave_one_out_accuracy(Matrix::Zero(2, 3), labels_of({1, 2})); }), "");
  EXPECT_NE(message_of([] { leave_one_out_accuracy(Matrix::Zero(2, 2), labels_of({1, 2, 3})); }), "");
}

}  // namespace
}  // namespace dsk::test
