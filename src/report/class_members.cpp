#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/evaluation_page.hpp"
#include "report/figure.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using drawing::escaped;

/// Of one class in a list; a page of thousands would be slow to open.
constexpr std::size_t most_listed = 500;

std::string listed(const std::vector<Index>& numbers) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most_listed, numbers.size()); ++k)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[k]);
  if (numbers.size() > most_listed) text += fmt::format(" and {} more", numbers.size() - most_listed);
  return text;
}

std::string rows_of_mistakes(const std::vector<PredictedMatrix>& matrices, const std::vector<std::string>& names) {
  std::string rows;
  std::size_t shown = 0;
  for (const PredictedMatrix& matrix : matrices) {
    if (matrix.mistakes.empty() || shown++ >= most_listed) continue;
    std::string taken_for;
    for (const auto& [code, times] : matrix.mistakes)
      taken_for += fmt::format("{}{}{}", taken_for.empty() ? "" : ", ", escaped(names[static_cast<std::size_t>(code)]),
                               matrix.predictions > 1 ? fmt::format(" ({})", times) : "");
    rows += fmt::format("<tr><td class=\"words\">{}</td><td>{} of {}</td><td class=\"words\">{}</td></tr>\n",
                        matrix.number, matrix.correct, matrix.predictions, taken_for);
  }
  return rows;
}

}  // namespace

std::vector<std::vector<PredictedMatrix>> pages::matrices_by_class(const Evaluation& evaluation,
                                                                   const MethodResult& method) {
  if (std::ssize(evaluation.classes) != evaluation.samples) return {};
  std::map<Index, PredictedMatrix> found;
  for (const SplitResult& result : evaluation.results) {
    if (result.method != method.method.full_name()) continue;
    const std::vector<Index>& test = evaluation.splits[static_cast<std::size_t>(result.split)].test;
    for (std::size_t i = 0; i < test.size(); ++i) {
      PredictedMatrix& matrix = found[test[i]];
      matrix.number = test[i];
      ++matrix.predictions;
      if (result.predicted[i] == evaluation.classes[static_cast<std::size_t>(test[i])])
        ++matrix.correct;
      else
        ++matrix.mistakes[result.predicted[i]];
    }
  }
  std::vector<std::vector<PredictedMatrix>> classes(found.empty() ? 0 : evaluation.class_names.size());
  for (const auto& [number, matrix] : found)
    classes[static_cast<std::size_t>(evaluation.classes[static_cast<std::size_t>(number)])].push_back(matrix);
  return classes;
}

void Page::add_class_members(const std::vector<std::string>& names,
                             const std::vector<std::vector<PredictedMatrix>>& classes) {
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].empty()) continue;
    std::vector<Index> correct;
    for (const PredictedMatrix& matrix : classes[c])
      if (matrix.mistakes.empty()) correct.push_back(matrix.number);
    body_ += fmt::format(
        "<details class=\"members\"><summary>{}: {} {}, {} ever misclassified</summary><div id=\"class-{}\">\n",
        escaped(names[c]), classes[c].size(), classes[c].size() == 1 ? "matrix" : "matrices",
        classes[c].size() - correct.size(), c);
    const std::string rows = rows_of_mistakes(classes[c], names);
    if (!rows.empty())
      body_ += fmt::format(
          "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th class=\"words\">matrix</th><th>correct</th><th "
          "class=\"words\">taken for</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
          rows);
    if (!correct.empty()) body_ += fmt::format("<p>Always correct: {}</p>\n", listed(correct));
    body_ += "</div></details>\n";
  }
}

}  // namespace dsk
