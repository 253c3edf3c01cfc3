#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "experiment/scores.hpp"

namespace dsk::test {
namespace {

double mean_over(std::span<const paper::TexturePair> figures, double paper::TexturePair::*member) {
  double sum = 0;
  for (const auto& one : figures) sum += one.*member;
  return sum / static_cast<double>(figures.size());
}

double printed_for(paper::Table table, std::string_view method) {
  for (const paper::Accuracy& one : table)
    if (one.method == method) return one.mean;
  return 0;
}

TEST(Paper, EveryTableHasAllMethodsOnce) {
  for (const paper::Table table : std::initializer_list<paper::Table>{paper::brodatz_pairs, paper::brodatz_all,
                                                                      paper::faces, paper::objects, paper::brain}) {
    ASSERT_EQ(table.size(), 19u);
    std::set<std::string> names;
    for (const paper::Accuracy& one : table) {
      EXPECT_EQ(Method::parse(one.method).full_name(), one.method);
      EXPECT_TRUE(names.insert(std::string(one.method)).second) << one.method;
      EXPECT_GE(one.mean, 50);
      EXPECT_LT(one.mean, 85);
    }
  }
}

/// The paper prints the same results in several places, so that a typing error would show.
TEST(Paper, TablesAgreeWithEachOther) {
  constexpr double last_digit = 0.005 + 1e-9;
  EXPECT_NEAR(mean_over(paper::texture_pairs, &paper::TexturePair::stein), printed_for(paper::brodatz_pairs, "SK:knn"),
              last_digit);
  // The paper's average, 80.85, differs by more than rounding from the mean of its column, 80.84.
  EXPECT_NEAR(mean_over(paper::texture_pairs, &paper::TexturePair::aligned),
              printed_for(paper::brodatz_pairs, "DSK-KA-p:knn"), 0.03);
  for (const paper::Corrections& one : paper::corrections) {
    const paper::Table table = one.data == "brodatz"   ? paper::brodatz_all
                               : one.data == "faces"   ? paper::faces
                               : one.data == "objects" ? paper::objects
                                                       : paper::brain;
    EXPECT_EQ(one.sample, printed_for(table, "SK:svm")) << one.data;
    double best = 0;
    for (const std::string_view learned : {"DSK-RM-p:svm", "DSK-RM-c:svm", "DSK-TM-p:svm", "DSK-TM-c:svm"})
      best = std::max(best, printed_for(table, learned));
    EXPECT_EQ(one.learned, best) << one.data;
  }
}

}  // namespace
}  // namespace dsk::test
