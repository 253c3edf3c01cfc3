#include <dsk/files.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstdio>

#include "experiment/experiment.hpp"
#include "experiment/small_runs.hpp"
#include "learn/learn.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class Runs : public SmallRuns {};

Outcome run_named(std::string_view name, const RunOptions& options) {
  return experiment::run(name, options);
}

/// A different number of hits for every method, study and split.
std::optional<Index> some_hits(const Asked& asked) {
  Index sum = asked.split;
  for (const char c : asked.method + asked.study.name) sum += c;
  return sum % (asked.tested + 1);
}

/// "66.2 and 0.55": the mean of the largest and smallest eigenvalue of 40 over ten draws.
std::string mean_extremes(Index samples, std::uint64_t seed) {
  const Dataset white =
      wishart_classes({.classes = 1, .per_class = 10, .dim = 40, .degrees = samples - 1, .seed = seed});
  const Eigen::VectorXd scale = Eigen::VectorXd::LinSpaced(40, 1, 40).cwiseSqrt();
  double largest = 0, smallest = 0;
  for (Index i = 0; i < 10; ++i) {
    const Eigen::MatrixXd covariance = scale.asDiagonal() * Eigen::MatrixXd(white.matrices()[i]) * scale.asDiagonal();
    const Eigen::VectorXd values = covariance.selfadjointView<Eigen::Lower>().eigenvalues();
    largest += values.maxCoeff() / 10;
    smallest += values.minCoeff() / 10;
  }
  return fmt::format("{:.1f} and {:.2f}", largest, smallest);
}

TEST_F(Runs, EigenvalueBias) {
  RunOptions options = quick();
  options.seed = 2;
  const Outcome outcome = run_named("eigenvalue-bias", options);
  expect_tables(outcome);
  const OutcomeSection& table = outcome.sections[0];
  EXPECT_EQ(row_names(table), (std::vector<std::string>{"100", "1000", "10000", "100000"}));
  for (const Index samples : {100, 1000, 10000})
    EXPECT_EQ(cell(table, std::to_string(samples), "sample covariance"), mean_extremes(samples, 2));
  // The true value is 40, and the corrections of Mestre and of Efron & Morris reduce the bias.
  const auto bias = [&](std::string_view estimator) { return std::abs(std::stod(cell(table, "100", estimator)) - 40); };
  EXPECT_LT(bias("Mestre"), bias("sample covariance"));
  EXPECT_LT(bias("Efron & Morris"), bias("sample covariance"));
  EXPECT_NE(outcome.answer.find("This agrees with the paper."), std::string::npos) << outcome.answer;
}

TEST_F(Runs, Timing) {
  const Outcome outcome = run_named("timing", quick());
  expect_tables(outcome);
  const OutcomeSection& table = outcome.sections[0];
  EXPECT_EQ(row_names(table), (std::vector<std::string>{"5", "20", "100"}));
  const auto milliseconds = [&](std::string_view row, std::string_view method) {
    return std::stod(cell(table, row, method));
  };
  for (const std::string method : {"AIRM", "CHK", "EUK", "LEK", "PEK", "SK", "DSK"}) {
    EXPECT_GT(milliseconds("5", method), 0) << method;
    EXPECT_GT(milliseconds("100", method), milliseconds("5", method)) << method;
  }
  const double airm = milliseconds("100", "AIRM"), stein = milliseconds("100", "SK"),
               learned = milliseconds("100", "DSK");
  double printed[2] = {};
  ASSERT_EQ(std::sscanf(outcome.answer.c_str(),
                        "AIRM takes %lf times as long as DSK at d = 100 (paper: 15); DSK takes %lf times", &printed[0],
                        &printed[1]),
            2)
      << outcome.answer;
  EXPECT_NEAR(printed[0], airm / learned, 0.05 + 1e-3 * airm / learned);
  EXPECT_NEAR(printed[1], learned / stein, 0.05 + 1e-3 * learned / stein);
}

TEST_F(Runs, Objects) {
  for (const std::string kind : {"cup", "dog"})
    for (const std::string object : {"1", "2", "3", "4"})
      for (const std::string view : {"000", "022", "045"})
        write_texture(folder() / "eth80" / kind / (kind + object + "-" + view + "-000.png"), 24, 24,
                      std::hash<std::string>()(kind + object + view));
  const Outcome outcome = run_answered("objects", quick(2), some_hits);
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 2u);
  EXPECT_FALSE(studies()[0].data.has_groups());
  ASSERT_TRUE(studies()[1].data.has_groups());
  EXPECT_EQ(studies()[1].data.groups().names().size(), 8u);
  for (const std::size_t s : {0u, 1u}) {
    const OutcomeSection& table = outcome.sections.at(s);
    EXPECT_EQ(row_names(table).size(), 32u);
    EXPECT_EQ(table.table.back()[0], "majority");
    for (const std::string& method : row_names(table))
      EXPECT_NEAR(share_in(cell(table, method, s == 0 ? "ours, %" : "accuracy, %")),
                  mean_of_answers(studies()[s], method, some_hits), printed_share)
          << method;
  }
  EXPECT_NE(outcome.sections[0].text.back().find("Warning"), std::string::npos);
  EXPECT_EQ(cell(outcome.sections[0], "DSK-TM-p-printed:svm", "paper, %"), "82.70 ± 1.05");
  EXPECT_EQ(cell(outcome.sections[0], "DSK-TM-p:svm", "paper, %"), "") << "ours are not the paper's";
  EXPECT_EQ(cell(outcome.sections[0], "DSK-TM-p:svm", "origin"), "guarded");
  EXPECT_EQ(outcome.answer,
            "Split by image, as in the paper: Too few splits to compare. Split by object: Too few "
            "splits to compare.");
  for (const OutcomeSection& section : outcome.sections)
    EXPECT_NE(
        experiment::as_text({.title = "", .sections = {section}}).find("informed by results on SSVEP, ETH-80 and FNC"),
        std::string::npos);
}

TEST_F(Runs, Brain) {
  std::filesystem::create_directories(folder() / "fnc");
  save(wishart_classes({.per_class = 10, .dim = 3, .degrees = 9, .tau = 1}), folder() / "fnc" / "fnc.npz");
  const Answer all_but_stein = [](const Asked& asked) {
    return asked.method == "SK:knn" ? std::nullopt : some_hits(asked);
  };
  const Outcome outcome = run_answered("brain", quick(), all_but_stein);
  expect_tables(outcome);
  const OutcomeSection& table = outcome.sections[0];
  EXPECT_EQ(cell(table, "AIRM:knn", "paper, %"), "56.10");
  EXPECT_EQ(studies().at(0).options.protocol.text(), "kfold:5");
  for (const std::string method : {"AIRM:knn", "DSK-RM-p-printed:svm", "DSK-RM-p:svm", "MDM", "TS:lr", "auto"})
    EXPECT_NEAR(share_in(cell(table, method, "ours, %")), mean_of_answers(studies()[0], method, some_hits),
                printed_share)
        << method;
  EvaluationOptions plain = studies()[0].options;
  plain.methods = Method::parse_list("SK:knn");
  EXPECT_NEAR(share_in(cell(table, "SK:knn", "ours, %")), evaluate(studies()[0].data, plain).methods[0].accuracy.mean,
              printed_share);
}

/// The SVM with the plain Stein kernel always answers with the first of two classes, which has 12 of 20 members.
TEST_F(Runs, BrainTellsWhereThePlainKernelIsTheMajorityClass) {
  std::filesystem::create_directories(folder() / "fnc");
  const Dataset drawn = wishart_classes({.per_class = 12, .dim = 3, .degrees = 9, .tau = 1});
  std::vector<Index> kept;
  for (Index i = 0; i < 20; ++i) kept.push_back(i);
  save(drawn.select(kept), folder() / "fnc" / "fnc.npz");
  RunOptions options = quick();
  options.finished = [](const Study& study) {
    const std::vector<Split> splits = make_splits(study.data, study.options.protocol, study.options.seed);
    std::vector<SplitResult> results;
    for (std::size_t s = 0; s < splits.size(); ++s)
      for (const Method& method : study.options.methods) {
        SplitResult result;
        result.method = result.chosen = method.full_name();
        result.split = static_cast<Index>(s);
        for (const Index i : splits[s].test)
          result.predicted.push_back(method.full_name() == "SK:svm"    ? 0
                                     : method.full_name() == "LEK:svm" ? study.data.labels()[i]
                                                                       : static_cast<int>(i) % 2);
        results.push_back(std::move(result));
      }
    return results;
  };
  const Outcome outcome = run_named("brain", options);
  const std::string told =
      fmt::format("SK:svm answers with one class whatever it is shown: its {} % are those of the majority class.",
                  fmt::format("{:.2f}", std::stod(cell(outcome.sections[0], "majority", "ours, %"))));
  const std::string where = " of the plain metrics, LEK:svm has 100.00 %.";
  EXPECT_NE(outcome.answer.find(told), std::string::npos) << outcome.answer;
  EXPECT_NE(outcome.sections[0].text[1].find(told), std::string::npos);
  EXPECT_NE(outcome.sections[0].text[1].find(where), std::string::npos) << outcome.sections[0].text[1];
  EXPECT_EQ(share_in(cell(outcome.sections[0], "SK:svm", "balanced, %")), 0.5);
}

TEST_F(Runs, Eeg) {
  std::filesystem::create_directories(folder() / "ssvep");
  const Dataset drawn = wishart_classes({.per_class = 40, .dim = 3, .degrees = 9, .tau = 1});
  std::vector<std::string> subjects;
  for (Index i = 0; i < drawn.size(); ++i) subjects.emplace_back(1, "abcd"[i % 4]);
  save(Dataset(drawn.matrices(), drawn.labels(), Labels(subjects)), folder() / "ssvep" / "ssvep_covariances.npz");
  const Outcome outcome = run_answered("eeg", quick(2), some_hits);
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 5u);
  const OutcomeSection &means = outcome.sections[0], &each = outcome.sections[1], &across = outcome.sections[2];
  EXPECT_EQ(row_names(each), (std::vector<std::string>{"subject a", "subject b", "subject c", "subject d"}));
  for (std::size_t c = 1; c < each.table[0].size(); ++c) {
    const std::string& method = each.table[0][c];
    double mean = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      const Study& study = studies()[s];
      EXPECT_EQ(study.data.size(), 20);
      const double expected = mean_of_answers(study, method, some_hits);
      mean += expected / 4;
      EXPECT_NEAR(share_in(cell(each, study.name, method)), expected, printed_share) << study.name << ", " << method;
    }
    EXPECT_NEAR(share_in(cell(means, method, "accuracy, %")), mean, printed_share) << method;
  }

  // Quick runs leave out each of at most five subjects.
  const Study& study = studies()[4];
  EXPECT_EQ(study.data.groups().names(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(study.data.size(), 80);
  EXPECT_EQ(study.options.protocol.text(), "logo");
  EXPECT_EQ(study.options.selection.recentre, Recentring::groups);
  EXPECT_EQ(row_names(across),
            (std::vector<std::string>{"MDM", "TS:lr", "PEK:knn", "SK:knn", "DSK-CA-s:mean", "auto"}));
  for (const std::string& method : row_names(across))
    EXPECT_NEAR(share_in(cell(across, method, "accuracy, %")), mean_of_answers(study, method, some_hits), printed_share)
        << method;
  EXPECT_TRUE(outcome.answer.ends_with("Leave one subject out: too few subjects to compare.")) << outcome.answer;
}

TEST_F(Runs, EegNamesTheBestMethodsWithoutAndWithLearning) {
  std::filesystem::create_directories(folder() / "ssvep");
  const Dataset drawn = wishart_classes({.per_class = 30, .dim = 2, .degrees = 9, .tau = 1});
  std::vector<std::string> subjects;
  for (Index i = 0; i < drawn.size(); ++i) subjects.emplace_back(1, "abcde"[i % 5]);
  save(Dataset(drawn.matrices(), drawn.labels(), Labels(subjects)), folder() / "ssvep" / "ssvep_covariances.npz");
  RunOptions options = quick(1);
  options.quick = false;
  const Outcome outcome = run_answered("eeg", options, [](const Asked& asked) {
    const bool across = asked.study.data.has_groups();
    return !across ? asked.tested / 2 : asked.method == "TS:lr" ? 9 : asked.method == "auto" ? 10 : 8;
  });
  EXPECT_TRUE(outcome.answer.ends_with(
      "Leave one subject out: without learning a kernel, TS:lr (75.0 %); ours, auto (83.3 %)."))
      << outcome.answer;
}

TEST_F(Runs, EegAcrossSubjectsIsAnEvaluationOfRecentredMatrices) {
  std::filesystem::create_directories(folder() / "ssvep");
  const Dataset drawn = wishart_classes({.per_class = 15, .dim = 3, .degrees = 9, .tau = 1});
  std::vector<std::string> subjects;
  for (Index i = 0; i < drawn.size(); ++i) subjects.emplace_back(1, "abc"[i % 3]);
  const Dataset data(drawn.matrices(), drawn.labels(), Labels(subjects));
  save(data, folder() / "ssvep" / "ssvep_covariances.npz");
  const Answer all_but_some = [](const Asked& asked) -> std::optional<Index> {
    const bool computed = asked.study.data.has_groups() && (asked.method == "MDM" || asked.method == "auto");
    return computed ? std::nullopt : some_hits(asked);
  };
  const Outcome outcome = run_answered("eeg", quick(1), all_but_some);
  const Dataset recentred(recentre_groups(data.matrices(), &data.groups()), data.labels(), data.groups());
  const Evaluation by_hand =
      evaluate(recentred, {.methods = Method::parse_list("MDM,auto"), .protocol = {.kind = Protocol::Kind::logo}});
  for (const MethodResult& method : by_hand.methods)
    EXPECT_NEAR(share_in(cell(outcome.sections[2], method.method.full_name(), "accuracy, %")), method.accuracy.mean,
                printed_share)
        << method.method.full_name();
}

TEST_F(Runs, Convergence) {
  for (const int texture : {30, 31})
    write_texture(folder() / "brodatz" / fmt::format("D{}.png", texture), 256, 256,
                  static_cast<std::uint64_t>(texture));
  const Outcome outcome = run_named("convergence", quick());
  expect_tables(outcome);
  const OutcomeSection& section = outcome.sections[0];
  ASSERT_EQ(section.table.size(), 9u);
  const Dataset task = experiment::of_classes(experiment::brodatz(quick()), {"D30", "D31"});
  const Dataset train = task.select(make_splits(task, {.count = 1}, 0).front().train);
  const Fit fit = fit_kernel(train, {.penalty = 0.01 * std::abs(best_plain_kernel(train).value)}).fit;
  EXPECT_EQ(section.table[1],
            (std::vector<std::string>{"alignment", "power", "10", std::to_string(fit.iterations),
                                      std::to_string(fit.evaluations), fmt::format("{:.4g}", fit.history.front()),
                                      fmt::format("{:.4g}", fit.history.back()), std::string(name(fit.stop))}));
  EXPECT_EQ(section.lines.at(0).series.at(0).y, fit.history);
  int within = 0;
  for (std::size_t r = 1; r < section.table.size(); ++r)
    within += std::stoi(section.table[r][3]) <= std::stoi(section.table[r][2]) ? 1 : 0;
  EXPECT_TRUE(outcome.answer.starts_with(fmt::format("{} of 8 optimisations", within))) << outcome.answer;
  EXPECT_EQ(message_of([&] { run_named("brodatz-samples", quick()); }), "the data set has no class D43");
}

TEST_F(Runs, NameMissingData) {
  EXPECT_EQ(message_of([&] { run_named("faces", {}); }), "this experiment needs a data folder that contains orl/");
  EXPECT_NE(
      message_of([&] { run_named("brain", quick()); }).find("fnc.npz not found; the data folder must contain fnc/"),
      std::string::npos);
}

}  // namespace
}  // namespace dsk::test
