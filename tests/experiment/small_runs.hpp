#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "experiment/experiment.hpp"
#include "files/scratch.hpp"

namespace dsk::test {

using experiment::Outcome;
using experiment::OutcomeSection;
using experiment::RunOptions;
using experiment::Study;

/// A request for the predictions of a method on one split of a study.
struct Asked {
  const Study& study;
  std::string method;  ///< full name
  Index split = 0;
  Index neighbours = 0;  ///< 0 means the number that the method chose
  Index tested = 0;      ///< number of test matrices
};

/// The number of correct predictions, or nothing if the method should be computed.
using Answer = std::function<std::optional<Index>(const Asked&)>;

/// Runs whole experiments on small generated data sets with the names of the real ones.
class SmallRuns : public Scratch {
 protected:
  RunOptions quick(Index splits = 1) const {
    RunOptions options;
    options.data = folder();
    options.quick = true;
    options.splits = splits;
    return options;
  }

  /// As quick, but with tasks as large as in the whole experiment.
  RunOptions whole(Index splits) const {
    RunOptions options = quick(splits);
    options.quick = false;
    return options;
  }

  /// Runs the whole experiment with `answer` in place of the predictions of methods. Keeps its studies.
  Outcome run_answered(std::string_view name, RunOptions options, const Answer& answer) {
    studies_.clear();
    options.finished = [&](const Study& study) {
      studies_.push_back(study);
      return answers_to(study, answer);
    };
    return experiment::run(name, options);
  }

  const std::vector<Study>& studies() const { return studies_; }

  /// Expects an answer, sections with a table or a chart, and rows as long as the header.
  static void expect_tables(const Outcome& outcome) {
    EXPECT_FALSE(outcome.answer.empty());
    ASSERT_FALSE(outcome.sections.empty());
    for (const OutcomeSection& section : outcome.sections) {
      ASSERT_FALSE(section.table.empty() && section.lines.empty()) << section.heading;
      for (const auto& row : section.table) EXPECT_EQ(row.size(), section.table[0].size()) << row[0];
    }
    EXPECT_GT(as_page(outcome).size(), 1000u);
  }

 private:
  static std::vector<int> predictions(const Study& study, const Split& split, Index right) {
    const int classes = static_cast<int>(study.data.labels().names().size());
    std::vector<int> codes;
    for (const Index i : split.test) {
      const int truth = study.data.labels()[i];
      codes.push_back(right-- > 0 ? truth : (truth + 1) % classes);
    }
    return codes;
  }

  static std::vector<SplitResult> answers_to(const Study& study, const Answer& answer) {
    const std::vector<Split> splits = make_splits(study.data, study.options.protocol, study.options.seed);
    std::vector<SplitResult> results;
    for (std::size_t s = 0; s < splits.size(); ++s)
      for (const Method& method : study.options.methods) {
        Asked asked{study, method.full_name(), static_cast<Index>(s), 0, static_cast<Index>(splits[s].test.size())};
        const std::optional<Index> right = answer(asked);
        if (!right) continue;
        SplitResult result;
        result.method = asked.method;
        result.split = asked.split;
        result.chosen = asked.method;
        result.predicted = predictions(study, splits[s], *right);
        for (const Index k : study.options.other_neighbours) {
          asked.neighbours = k;
          result.by_neighbours[k] = predictions(study, splits[s], answer(asked).value());
        }
        results.push_back(std::move(result));
      }
    return results;
  }

  std::vector<Study> studies_;
};

/// The accuracy of a method over the splits of a study, from the answers that stand in for its predictions.
inline double mean_of_answers(const Study& study, const std::string& method, const Answer& answer) {
  const std::vector<Split> splits = make_splits(study.data, study.options.protocol, study.options.seed);
  double sum = 0;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const auto tested = static_cast<Index>(splits[s].test.size());
    sum += static_cast<double>(answer({study, method, static_cast<Index>(s), 0, tested}).value()) /
           static_cast<double>(tested);
  }
  return sum / static_cast<double>(splits.size());
}

/// The first cell of every row below the header, without the majority class, which tables of methods have as their last
/// row.
inline std::vector<std::string> row_names(const OutcomeSection& section) {
  std::vector<std::string> names;
  for (std::size_t r = 1; r < section.table.size(); ++r) names.push_back(section.table[r][0]);
  if (!names.empty() && names.back() == "majority") names.pop_back();
  return names;
}

/// The cell in the row with this first cell, below this heading.
inline std::string cell(const OutcomeSection& section, std::string_view row, std::string_view column) {
  const auto& header = section.table.at(0);
  const auto c = static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin());
  for (const auto& cells : section.table)
    if (cells[0] == row) return cells.at(c);
  ADD_FAILURE() << "no row " << row;
  return "";
}

/// "88.24" or "88.24 ± 1.00" as a fraction.
inline double share_in(const std::string& text) {
  return std::stod(text) / 100;
}

/// Rounding error of a fraction printed in per cent with two decimals.
constexpr double printed_share = 0.5e-4 + 1e-12;

}  // namespace dsk::test
