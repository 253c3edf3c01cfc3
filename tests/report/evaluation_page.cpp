#include <dsk/matrices.hpp>
#include <dsk/report.hpp>

#include <gtest/gtest.h>

#include "report/report.hpp"

namespace dsk::test {
namespace {

Dataset page_classes() {
  return wishart_classes({.classes = 2, .per_class = 14, .dim = 3, .degrees = 12, .tau = 1, .seed = 5});
}

EvaluationOptions page_options(const std::string& methods) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse("halves:2");
  return options;
}

TEST(EvaluationPage, ShowsAllMethodsTheLearnedKernelAndTheSettings) {
  EvaluationOptions options = page_options("SK:knn,DSK-KA-p:knn");
  options.selection.penalty = 1e-3;
  const Evaluation evaluation = evaluate(page_classes(), options);
  const std::string page = evaluation_page(evaluation);
  for (const std::string& text :
       {answer(evaluation), std::string("SK:knn"), std::string("DSK-KA-p:knn"), std::string("The learned kernel"),
        std::string("halves:2"), std::string("Confusion matrix"), std::string("Reproduce this report")})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

/// The drawing of these bars, as a page has it.
std::string drawn_alpha(const EigenvalueAdjustment& adjustment) {
  const auto page_with = [&](double first) {
    Page page("");
    BarChart bars;
    bars.x_axis = "eigenvalue, largest first";
    bars.y_axis = "alpha";
    bars.values.assign(adjustment.alpha.begin(), adjustment.alpha.end());
    bars.values[0] = first;
    bars.reference = 1;
    page.add_bar_chart(bars);
    return page.html();
  };
  const std::string page = page_with(adjustment.alpha[0]);
  EXPECT_NE(page, page_with(adjustment.alpha[0] + 0.5));
  const std::size_t begin = page.find("<svg");
  return page.substr(begin, page.find("</svg>") - begin);
}

TEST(EvaluationPage, ShowsAlphaOfTheKernelThatWasEvaluated) {
  for (const std::string method : {"DSK-CA-p:knn", "DSK-CA-p:svm"}) {
    EvaluationOptions options = page_options(method);
    options.selection.penalty = 1e-3;
    options.selection.learn_on = 8;
    const Evaluation evaluation = evaluate(page_classes(), options);
    const Dataset train = page_classes().select(evaluation.splits[0].train);
    const ChosenMethod chosen = choose_settings(train, options.methods[0], options.selection);
    EXPECT_NE(evaluation_page(evaluation).find(drawn_alpha(chosen.comparison.learned->adjustment())), std::string::npos)
        << method;
  }
}

TEST(EvaluationPage, ShowsNotesAboutTheData) {
  const Dataset drawn = page_classes();
  std::vector<std::string> groups;
  for (Index i = 0; i < drawn.size(); ++i) groups.push_back(i < 14 ? "one" : std::to_string(i));
  const Evaluation evaluation =
      evaluate(Dataset(drawn.matrices(), drawn.labels(), Labels(groups)), page_options("LEK:knn"));
  EXPECT_NE(evaluation_page(evaluation).find("Note: 1 of 2 classes lies in a single group"), std::string::npos);
}

TEST(EvaluationPage, AnswersThatOneMethodHasNothingBesideIt) {
  EXPECT_EQ(answer(evaluate(page_classes(), page_options("SK:knn"))),
            "Nothing to compare: there is only one method, or only one split.");
}

}  // namespace
}  // namespace dsk::test
