#include <dsk/matrices.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>

#include "experiment/small_runs.hpp"

namespace dsk::test {
namespace {

class WishartSweeps : public SmallRuns {};

std::optional<Index> all_but_machine(const Asked& asked) {
  if (asked.method == "SK:svm") return {};
  return asked.tested / 2;
}

bool says(const OutcomeSection& section, const std::string& words) {
  return std::any_of(section.text.begin(), section.text.end(),
                     [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

std::optional<Index> half_right(const Asked& asked) {
  return asked.tested / 2;
}

/// Expects the matrices of the study to be the drawn ones times their degrees of freedom, up to rounding.
void expect_scatter(const Study& study, const WishartClasses& source) {
  const Dataset drawn = wishart_classes(source);
  ASSERT_EQ(study.data.size(), drawn.size());
  ASSERT_EQ(study.data.dim(), 5);
  EXPECT_EQ(study.data.labels().codes(), drawn.labels().codes());
  const auto degrees = static_cast<double>(source.degrees);
  Matrix sums[2] = {Matrix::Zero(5, 5), Matrix::Zero(5, 5)};
  for (Index i = 0; i < drawn.size(); ++i) {
    const Matrix wanted = degrees * drawn.matrices()[i];
    EXPECT_LE((study.data.matrices()[i] - wanted).norm(), 1e-15 * wanted.norm());
    sums[study.data.labels()[i]] += study.data.matrices()[i];
  }
  // E S = degrees (1 + c tau) I. The trace of class c is (1 + c tau) times a chi-square variable with degrees * dim
  // degrees of freedom, whose variance is twice that number.
  for (const int c : {0, 1}) {
    const auto count = static_cast<double>(source.per_class);
    const double scale = 1 + c * source.tau;
    const double deviation = scale * std::sqrt(2 * degrees * 5 / count);
    EXPECT_NEAR(sums[c].trace() / count, 5 * degrees * scale, 4 * deviation) << "class " << c;
  }
}

TEST_F(WishartSweeps, UseScatterMatricesNotDividedByTheirDegrees) {
  RunOptions options = quick();
  options.seed = 3;
  run_answered("wishart-tau", options, half_right);
  ASSERT_EQ(studies().size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const double tau = std::pow(10, std::vector<double>{-2, -1.4, -1, -0.6}[k]);
    expect_scatter(studies()[k], {.per_class = 200, .dim = 5, .degrees = 200, .tau = tau, .seed = 3});
  }
  run_answered("wishart-dof", options, half_right);
  ASSERT_EQ(studies().size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const Index degrees = std::vector<Index>{6, 50, 200, 1000}[k];
    expect_scatter(studies()[k], {.per_class = 200, .dim = 5, .degrees = degrees, .tau = 0.1, .seed = 3});
  }
}

/// Expects the varied values in the first column, to the three digits printed.
void expect_varied(const OutcomeSection& section, const std::vector<double>& values) {
  ASSERT_EQ(section.table.size(), values.size() + 1);
  for (std::size_t k = 0; k < values.size(); ++k)
    EXPECT_NEAR(std::stod(section.table[k + 1][0]), values[k], 0.005 * values[k]);
}

/// The accuracy of the best threshold on the trace, by trying many: the trace is chi-square distributed with 5 *
/// degrees degrees of freedom in the first class, and 1 + tau times as large in the second.
double best_accuracy(double degrees, double tau) {
  const boost::math::chi_squared trace(5 * degrees);
  double best = 0;
  constexpr int tried = 10'000;
  for (int k = 0; k <= tried; ++k) {
    const double threshold = 5 * degrees * (1 + tau * k / tried);  // between the means of the two classes
    best = std::max(best, (cdf(trace, threshold) + cdf(complement(trace, threshold / (1 + tau)))) / 2);
  }
  return best;
}

/// Expects an accuracy that is not above the best possible one and, with only 200 matrices to learn from, at most 7
/// points below it, each up to three standard deviations.
void expect_near_best(const OutcomeSection& section, const std::string& row, double degrees, double tau) {
  const double best = best_accuracy(degrees, tau), found = share_in(cell(section, row, "SK"));
  const double deviation = std::sqrt(best * (1 - best) / (2 * 200));
  EXPECT_NEAR(share_in(cell(section, row, "best possible")), best, printed_share) << row;
  EXPECT_LT(found, best + 3 * deviation) << row;
  EXPECT_GT(found, std::max(0.5, best - 0.07) - 3 * deviation) << row;
}

TEST_F(WishartSweeps, ComeCloseToTheBestPossibleAccuracy) {
  const Outcome by_tau = run_answered("wishart-tau", quick(2), all_but_machine);
  expect_tables(by_tau);
  expect_varied(by_tau.sections[0], {0.01, 0.0398, 0.1, 0.251});
  const std::vector<double> exponents = {-2, -1.4, -1, -0.6};
  for (std::size_t k = 0; k < exponents.size(); ++k)
    expect_near_best(by_tau.sections[0], row_names(by_tau.sections[0])[k], 200, std::pow(10, exponents[k]));
  const Outcome by_degrees = run_answered("wishart-dof", quick(2), all_but_machine);
  expect_tables(by_degrees);
  expect_varied(by_degrees.sections[0], {6, 50, 200, 1000});
  for (const std::string& row : row_names(by_degrees.sections[0]))
    expect_near_best(by_degrees.sections[0], row, std::stod(row), 0.1);
}

/// 1000 matrices are tested. In the named studies, DSK-RM-p has about 20 more correct than SK.
Answer better_at(const std::vector<std::string>& names) {
  return [=](const Asked& asked) -> Index {
    const bool better = std::find(names.begin(), names.end(), asked.study.name) != names.end();
    const Index plain = 500 + asked.split % 3;
    return asked.method == "DSK-RM-p-printed:svm" ? plain + (better ? 20 + asked.split % 2 : 0)
           : asked.method == "DSK-CA-a:svm"       ? plain - 50 + asked.split % 2
                                                  : plain;
  };
}

TEST_F(WishartSweeps, ReportInAFullRunWhereTheyAgreeWithThePaper) {
  const RunOptions full = whole(6);
  const Outcome by_degrees = run_answered("wishart-dof", full, better_at({"6", "8"}));
  EXPECT_EQ(studies()[0].data.size(), 2000);
  const OutcomeSection& table = by_degrees.sections[0];
  expect_varied(table, {6, 8, 50, 200, 750, 1500});
  const std::vector<std::string> printed = {"-", "better", "better", "better", "better", "-"};
  const std::vector<std::string> here = {"better", "better", "-", "-", "-", "-"};
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string& row = table.table[k + 1][0];
    EXPECT_EQ(cell(table, row, "paper"), printed[k]) << row;
    EXPECT_EQ(cell(table, row, "here"), here[k]) << row;
    EXPECT_EQ(cell(table, row, "majority"), "50.00") << row;
    EXPECT_EQ(table.table[k + 1][13], "worse") << row << ", DSK-CA-a";
  }
  const OutcomeSection& others = by_degrees.sections[1];
  EXPECT_EQ(others.table[0], (std::vector<std::string>{"degrees of freedom", "SK:svm", "PEK:svm", "here", "MDM", "here",
                                                       "TS:lr", "here", "auto", "here"}));
  EXPECT_EQ(cell(others, "6", "MDM"), cell(others, "6", "SK:svm"));
  EXPECT_EQ(others.table[1][5], "-");
  EXPECT_TRUE(says(table, "All classes are equally large, so that balanced accuracies are the same."));
  EXPECT_TRUE(says(table, "Rows as printed are learned from whole training parts"));
  for (const Method& method : studies()[0].options.methods)
    EXPECT_EQ(studies()[0].options_for(method).selection.learn_on,
              method.full_name() == "DSK-RM-p:svm" || method.full_name() == "DSK-CA-a:svm" ? 400 : 0)
        << method.full_name();
  EXPECT_EQ(cell(table, "6", "vs. SK"), "+2.05");
  EXPECT_EQ(by_degrees.answer,
            "DSK-RM-p, learned as printed, is significantly better than SK at 2 of 6 points and significantly worse at "
            "0. 2 of the points agree with the paper.");

  const Outcome by_tau = run_answered("wishart-tau", full, better_at({}));
  const std::vector<std::string> better_in_print = {"-", "better", "better", "better", "better", "-"};
  expect_varied(by_tau.sections[0], {0.01, 0.0158, 0.0398, 0.1, 0.148, 0.251});
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(by_tau.sections[0].table.at(k + 1)[7], better_in_print[k]);
}

/// The best accuracies at 6, 8, 50, 200, 750 and 1500 degrees of freedom are 57.3, 58.4, 70.3, 85.7, 98.1 and 99.8 %.
TEST_F(WishartSweeps, SayThatThereIsNoGainOnlyWhereThePlainKernelIsAtTheBound) {
  const auto near_the_bound = [](const Asked& asked) {
    const double degrees = std::stod(asked.study.name);
    const double below = degrees < 100 ? 0.01 : 0.001;
    return std::optional<Index>(std::lround(static_cast<double>(asked.tested) * (best_accuracy(degrees, 0.1) - below)) +
                                asked.split % 2);
  };
  RunOptions full = whole(5);
  const Outcome enough = run_answered("wishart-dof", full, near_the_bound);
  EXPECT_TRUE(says(enough.sections[0],
                   "At degrees of freedom = 200, 750 and 1500, SK is less than half a point below "
                   "the best possible accuracy: there is no gain to be had. At degrees of freedom "
                   "= 6, 8 and 50, SK is below it by more."));
  full.splits = 4;
  const Outcome few = run_answered("wishart-dof", full, near_the_bound);
  EXPECT_FALSE(says(few.sections[0], "no gain"));
  EXPECT_EQ(few.answer, "Too few splits to compare.");
}

}  // namespace
}  // namespace dsk::test
