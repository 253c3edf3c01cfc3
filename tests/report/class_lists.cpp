#include <dsk/report.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "report/markup.hpp"
#include "report/page_classes.hpp"
#include "report/report.hpp"

namespace dsk::test {
namespace {

/// The row of the lists for this true and this predicted class.
std::string row_of_cell(const std::string& page, int own, int predicted) {
  const auto begin = page.find(fmt::format("<tr id=\"c{}-{}\">", own, predicted));
  return begin == std::string::npos ? "no such row" : page.substr(begin, page.find("</tr>", begin) - begin);
}

TEST(ClassLists, HoldTheMatricesOfEachClassWithTheirPredictions) {
  const Dataset data = page_classes();
  const Evaluation evaluation = evaluate(data, page_options("SK:knn"));
  const std::string page = evaluation_page(evaluation);
  EXPECT_EQ(fault_in_markup(page), "");
  // Counted anew from the predictions of every split.
  std::vector<int> tested(static_cast<std::size_t>(data.size())), correct(tested.size());
  for (const SplitResult& result : evaluation.results) {
    const auto& test = evaluation.splits[static_cast<std::size_t>(result.split)].test;
    for (std::size_t i = 0; i < test.size(); ++i) {
      ++tested[static_cast<std::size_t>(test[i])];
      correct[static_cast<std::size_t>(test[i])] += result.predicted[i] == data.labels()[test[i]];
    }
  }
  std::size_t mistaken = 0;
  for (std::size_t k = 0; k < tested.size(); ++k) {
    if (correct[k] == tested[k]) continue;
    ++mistaken;
    const int own = data.labels()[static_cast<Index>(k)], wrong = tested[k] - correct[k];
    const std::string entry =
        correct[k] == 0 ? std::to_string(k) : fmt::format("{}\u00a0({}\u00a0of\u00a0{})", k, wrong, tested[k]);
    const std::string row = row_of_cell(page, own, 1 - own);
    EXPECT_TRUE(row.find(">" + entry) != std::string::npos || row.find(" " + entry) != std::string::npos) << k << row;
  }
  EXPECT_GT(mistaken, 0u);
}

/// The parts of the page between these.
std::set<std::string> all_between(const std::string& page, const std::string& begin, const std::string& end) {
  std::set<std::string> found;
  for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const auto from = at + begin.size();
    found.insert(page.substr(from, page.find(end, from) - from));
  }
  return found;
}

TEST(ClassLists, AreReachedFromClassesAndCells) {
  // As a matrix of printed counts, and as an image.
  for (const int classes : {5, 20}) {
    const Dataset data =
        wishart_classes({.classes = classes, .per_class = 8, .dim = 3, .degrees = 12, .tau = 0.5, .seed = 5});
    const Evaluation evaluation = evaluate(data, page_options("SK:knn"));
    const std::string page = evaluation_page(evaluation);
    expect_sound(page);
    const std::set<std::string> links = all_between(page, "href=\"#", "\""), places = all_between(page, " id=\"", "\"");
    for (const std::string& link : links) EXPECT_TRUE(places.count(link)) << link;
    const Matrix& counts = evaluation.methods[evaluation.ranking.best].confusion;
    for (Index r = 0; r < classes; ++r) {
      EXPECT_TRUE(links.count(fmt::format("class-{}", r))) << r;
      for (Index c = 0; c < classes; ++c)
        EXPECT_EQ(links.count(fmt::format("c{}-{}", r, c)), counts(r, c) > 0 ? 1u : 0u) << r << ' ' << c;
    }
  }
}

TEST(ClassLists, AreSmallForAHundredClasses) {
  constexpr std::size_t classes = 112;
  ConfusionMatrix matrix{.names = std::vector<std::string>(classes, "D100"),
                         .counts = std::vector<long>(classes * classes, 1),
                         .members = std::vector<std::vector<PredictedMatrix>>(classes)};
  for (std::vector<PredictedMatrix>& members : matrix.members)
    for (int c = 0; c < static_cast<int>(classes); ++c) members.push_back({1000 + c, {{c, 1}}});
  Page page("");
  page.add_confusion_matrix(matrix);
  expect_sound(page.html());
  EXPECT_LT(page.html().size(), 1'500'000u);  // though each cell has a matrix
}

}  // namespace
}  // namespace dsk::test
