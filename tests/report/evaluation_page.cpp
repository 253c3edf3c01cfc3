#include <dsk/matrices.hpp>
#include <dsk/report.hpp>

#include <gtest/gtest.h>

namespace dsk::test {
namespace {

TEST(EvaluationPage, ShowsAllMethodsTheLearnedKernelAndTheSettings) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 12, .dim = 3, .degrees = 12, .tau = 1, .seed = 5});
  EvaluationOptions options;
  options.methods = Method::parse_list("SK:knn,DSK-KA-p:knn");
  options.protocol = Protocol::parse("halves:2");
  options.selection.penalty = 1e-3;
  const Evaluation evaluation = evaluate(data, options);
  const std::string page = evaluation_page(data, evaluation, options, {{"protocol", "halves:2"}, {"seed", "0"}});
  for (const std::string& text : {answer(evaluation), std::string("SK:knn"), std::string("DSK-KA-p:knn"),
                                  std::string("The learned kernel"), std::string("halves:2")})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(EvaluationPage, AnswersThatOneMethodHasNothingBesideIt) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 6, .dim = 2, .degrees = 10, .seed = 1});
  EvaluationOptions options;
  options.methods = Method::parse_list("SK:knn");
  options.protocol = Protocol::parse("halves:2");
  EXPECT_EQ(answer(evaluate(data, options)), "Nothing to compare: one method, or one split only.");
}

}  // namespace
}  // namespace dsk::test
