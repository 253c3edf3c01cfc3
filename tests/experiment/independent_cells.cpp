#include <dsk/files.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/train.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "evaluate/choose.hpp"
#include "experiment/experiment.hpp"
#include "files/scratch.hpp"
#include "learn/learn.hpp"
#include "support/python.hpp"

namespace dsk::test {
namespace {

using IndependentCells = Scratch;

std::vector<double> as_list(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

/// What a method does on a split, as `evaluate` computes it for a table, and the kernel that it chose.
nlohmann::json cell_of(const Dataset& data, const Split& split, const std::string& method,
                       const SelectionOptions& selection) {
  const Dataset train = data.select(split.train), test = data.select(split.test);
  const ChosenMethod chosen =
      choose_settings(train, Method::parse(method), detail::selection_for(Method::parse(method), selection));
  const std::vector<int> predicted = predict_classes(chosen, train, test.matrices());
  nlohmann::json cell{{"theta", chosen.theta},
                      {"setting", chosen.neighbours_or_c},
                      {"penalty", chosen.penalty},
                      {"accuracy", accuracy(Labels(test.labels().names(), predicted, false), test.labels())}};
  if (chosen.comparison.learned) {
    cell["theta"] = chosen.comparison.learned->theta();
    cell["alpha"] = as_list(chosen.comparison.learned->adjustment().alpha);
    cell["value"] = chosen.fit->criterion;
    cell["C"] = chosen.fit->c;
  }
  return cell;
}

nlohmann::json as_json(const std::vector<Split>& splits) {
  nlohmann::json list = nlohmann::json::array();
  for (const Split& split : splits) list.push_back({{"train", split.train}, {"test", split.test}});
  return list;
}

/// On one pair of generated classes that overlap.
TEST_F(IndependentCells, AgreeWithNumPyAndScikitLearn) {
  if (run_python(DSK_PYTHON, "import sklearn, scipy") != 0) GTEST_SKIP() << "no Python with scikit-learn";
  const Dataset drawn = wishart_classes({.per_class = 24, .dim = 3, .degrees = 12, .tau = 0.9, .seed = 8});
  const Dataset data(drawn.matrices(),
                     Labels({"one", "two"}, {drawn.labels().codes().begin(), drawn.labels().codes().end()}, false));
  const Split split = make_splits(data, random_halves(1), 3).front();
  const Dataset train = data.select(split.train);
  SelectionOptions selection;
  selection.seed = 3;
  selection.neighbours = {5};
  selection.relative_penalties = {0.3, 3};
  selection.tolerance = 1e-9;
  const auto values = data.matrices().values();
  nlohmann::json given{{"n", data.size()},
                       {"d", data.dim()},
                       {"X", std::vector<double>(values.begin(), values.end())},
                       {"y", data.labels().codes()},
                       {"train", split.train},
                       {"test", split.test},
                       {"folds", as_json(stratified_folds(train, selection.folds, selection.seed))},
                       {"relative_thetas", selection.relative_thetas},
                       {"relative_penalties", selection.relative_penalties},
                       {"C", selection.svm_cs},
                       {"neighbours", 5}};
  given["SK:svm"] = cell_of(data, split, "SK:svm", selection);
  given["KA-p"] = cell_of(data, split, "DSK-KA-p-printed:knn", selection);
  given["RM-p"] = cell_of(data, split, "DSK-RM-p-printed:svm", selection);
  const PlainKernel plain = best_plain_kernel(train, {.criterion = Criterion::radius_margin});
  given["RM-p"]["plain"] = plain.value;
  given["RM-p"]["plain_C"] = plain.c;
  save_text(given.dump(), *this / "given.json");
  const std::string log = (*this / "log.txt").string();
  const int status = std::system(
      fmt::format("'{}' '{}' '{}' > '{}' 2>&1", DSK_PYTHON, DSK_INDEPENDENT, folder().string(), log).c_str());
  std::ifstream stream(log);
  std::stringstream said;
  said << stream.rdbuf();
  EXPECT_EQ(status, 0) << said.str();
}

}  // namespace
}  // namespace dsk::test
