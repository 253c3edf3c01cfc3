// The lists behind a confusion matrix: the matrices of each class, by what was predicted for them.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk::drawing {
namespace {

/// In one row of a list; a page of thousands would be slow to open.
constexpr std::size_t most_listed = 500;

long predictions_of(const PredictedMatrix& matrix) {
  long sum = 0;
  for (const auto& [code, times] : matrix.times) sum += times;
  return sum;
}

/// Matrices for which the same class was predicted at least once.
struct Row {
  std::size_t predicted = 0;
  long times = 0;
  std::vector<std::string> numbers = {};
};

std::vector<Row> rows_of(const std::vector<PredictedMatrix>& members, std::size_t own, std::size_t classes) {
  std::map<std::size_t, Row> by_class;
  for (const PredictedMatrix& matrix : members) {
    const long predictions = predictions_of(matrix);
    for (const auto& [code, times] : matrix.times) {
      if (code < 0 || static_cast<std::size_t>(code) >= classes) continue;
      Row& row = by_class[static_cast<std::size_t>(code)];
      row.predicted = static_cast<std::size_t>(code);
      row.times += times;
      row.numbers.push_back(times < predictions
                                ? fmt::format("{}\u00a0({}\u00a0of\u00a0{})", matrix.number, times, predictions)
                                : std::to_string(matrix.number));
    }
  }
  std::vector<Row> rows;
  for (auto& entry : by_class) rows.push_back(std::move(entry.second));
  // Mistakes are what a reader looks for, the most frequent first.
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return std::pair(a.predicted == own, -a.times) < std::pair(b.predicted == own, -b.times);
  });
  return rows;
}

std::string joined(const std::vector<std::string>& numbers) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most_listed, numbers.size()); ++k)
    text += (text.empty() ? "" : ", ") + numbers[k];
  if (numbers.size() > most_listed) text += fmt::format(" and {} more", numbers.size() - most_listed);
  return text;
}

std::string list_of_class(const ConfusionMatrix& matrix, std::size_t own) {
  const std::vector<PredictedMatrix>& members = matrix.members[own];
  const auto is_mistaken = [&](const PredictedMatrix& one) {
    return std::any_of(one.times.begin(), one.times.end(),
                       [&](const auto& entry) { return entry.first != static_cast<int>(own); });
  };
  const auto mistaken = std::count_if(members.begin(), members.end(), is_mistaken);
  std::string rows;
  for (const Row& row : rows_of(members, own, matrix.names.size()))
    rows += fmt::format("<tr id=\"{}\"><td>{}{}</td><td>{}</td><td>{}</td></tr>\n", cell_id(own, row.predicted),
                        escaped(matrix.names[row.predicted]), row.predicted == own ? " (correct)" : "", row.times,
                        joined(row.numbers));
  return fmt::format(
      "<details class=\"members\"><summary>{}: {} {}, {} misclassified at least once</summary><div id=\"{}\">\n"
      "<div class=\"scroll\" tabindex=\"0\"><table class=\"list\">\n<thead><tr><th>predicted as</th><th>times</th>"
      "<th>matrices</th></tr></thead><tbody>\n{}</tbody></table></div>\n"
      "<p><a href=\"#confusion-matrix\">Back to the confusion matrix</a></p></div></details>\n",
      escaped(matrix.names[own]), members.size(), members.size() == 1 ? "matrix" : "matrices",
      mistaken == 0 ? "none" : std::to_string(mistaken), class_id(own), rows);
}

}  // namespace

std::string class_id(std::size_t row) {
  return fmt::format("class-{}", row);
}

std::string cell_id(std::size_t row, std::size_t column) {
  return fmt::format("c{}-{}", row, column);
}

std::string class_lists(const ConfusionMatrix& matrix, bool are_many) {
  std::string links, lists;
  std::size_t count = 0;
  for (std::size_t c = 0; c < std::min(matrix.members.size(), matrix.names.size()); ++c) {
    if (matrix.members[c].empty()) continue;
    ++count;
    links += fmt::format("{}<a href=\"#{}\">{}</a>", links.empty() ? "" : ", ", class_id(c), escaped(matrix.names[c]));
    lists += list_of_class(matrix, c);
  }
  if (lists.empty()) return {};
  const std::string hint =
      "<p class=\"hint\">Matrices are numbered from 0, in the order of the data. \"7 (2 of 5)\": matrix 7 was "
      "predicted so in 2 of the 5 splits that test it; without brackets: in all of them.</p>\n";
  if (!are_many) return hint + lists;
  return fmt::format(
      "<p class=\"classes\">Classes: {}</p>\n<details class=\"members\"><summary>Matrices of all {} "
      "classes</summary>\n{}{}</details>\n",
      links, count, hint, lists);
}

}  // namespace dsk::drawing
