#include <dsk/matrices.hpp>
#include <dsk/report.hpp>
#include <dsk/version.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>

#include "evaluate/choose.hpp"
#include "report/markup.hpp"
#include "report/page_classes.hpp"
#include "report/report.hpp"

namespace dsk::test {
namespace {

/// The page without tags, and with plain spaces.
std::string as_read(const std::string& page) {
  return std::regex_replace(std::regex_replace(page, std::regex("<[^>]*>"), ""), std::regex("\u00a0"), " ");
}

TEST(EvaluationPage, ShowsAllMethodsTheLearnedKernelAndTheSettings) {
  EvaluationOptions options = page_options("SK:knn,DSK-KA-p:knn");
  options.selection.penalty = 1e-3;
  const Evaluation evaluation = evaluate(page_classes(), options);
  const std::string page = evaluation_page(evaluation);
  for (const std::string& text :
       {std::string("methods</dt><dd>SK:knn, <span>DSK-KA-p:knn</span></dd>"), std::string("SK:knn"),
        std::string("DSK-KA-p:knn"), std::string("The learned kernel"), std::string("halves:2"),
        std::string("Confusion matrix"), std::string("Reproduce this report")})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_NE(as_read(page).find(answer(evaluation)), std::string::npos) << answer(evaluation);
}

TEST(EvaluationPage, ShowsTheWeightsOfCombinedKernels) {
  const Evaluation evaluation = evaluate(page_classes(), page_options("SK:svm,MK:svm,MK-average:svm,MK-aligned:svm"));
  const std::string page = evaluation_page(evaluation);
  EXPECT_EQ(fault_in_markup(page), "");
  for (const std::string text : {"Settings chosen by MK:svm", "<th>weight on split", "<th>mean weight</th>"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  for (const SplitResult& result : evaluation.results) {
    if (result.method == "MK-aligned:svm") {
      for (const CombinedKernel::Share& one : result.kernels)
        EXPECT_NE(page.find(one.name), std::string::npos) << one.name;
    }
    if (result.method == "MK-average:svm") {
      const std::string text = fmt::format("All {} kernels have the same weight.", result.kernels.size());
      EXPECT_NE(page.find(text), std::string::npos) << text;
    }
  }
}

TEST(EvaluationPage, ShowsTheSettingsOfEveryMethod) {
  EvaluationOptions options = page_options("SK:knn,SK:svm,DSK-KA-p:knn,TS:lr,MDM");
  options.protocol = Protocol::parse("halves:3");
  const Evaluation evaluation = evaluate(page_classes(), options);
  const std::string page = evaluation_page(evaluation);
  EXPECT_EQ(fault_in_markup(page), "");
  const auto of_three = [&](const std::string& method, double SplitResult::*setting) {
    std::vector<double> values;
    for (const SplitResult& result : evaluation.results)
      if (result.method == method) values.push_back(result.*setting);
    const auto [low, high] = std::minmax({values.at(0), values.at(1), values.at(2)});
    const double median = std::max(std::min(values[0], values[1]), std::min(std::max(values[0], values[1]), values[2]));
    return low == high ? fmt::format("{:.3g}", median) : fmt::format("{:.3g} [{:.3g}, {:.3g}]", median, low, high);
  };
  const auto row = [](const std::string& method, const std::string& settings) {
    return fmt::format("<td class=\"words\">{}</td><td class=\"words\">{}", method, settings);
  };
  EXPECT_NE(page.find(row("SK:knn", "neighbours " + of_three("SK:knn", &SplitResult::neighbours_or_c) + "</td>")),
            std::string::npos);
  EXPECT_NE(page.find(row("SK:svm", "C " + of_three("SK:svm", &SplitResult::neighbours_or_c) + ", theta " +
                                        of_three("SK:svm", &SplitResult::theta) + "</td>")),
            std::string::npos);
  EXPECT_NE(page.find(row("DSK-KA-p:knn", "neighbours ")), std::string::npos);
  EXPECT_NE(page.find(row("TS:lr", "TS:lr, C ")), std::string::npos);
  // There is nothing to choose for class means.
  EXPECT_EQ(page.find(row("MDM", ""), page.find("<h2>Settings")), std::string::npos);
}

TEST(EvaluationPage, SaysHowOftenEigenvaluesWereLeftAlone) {
  Evaluation evaluation = evaluate(page_classes(), page_options("SK:knn,DSK-KA-p:knn"));
  for (SplitResult& result : evaluation.results)
    result.penalty = result.split == 1 ? std::numeric_limits<double>::infinity() : 0.25;
  EXPECT_NE(evaluation_page(evaluation).find("eigenvalues not adjusted on 1 of 2 splits"), std::string::npos);
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

Dataset subspace_classes() {
  return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
}

TEST(EvaluationPage, ShowsPatternsAndPicturesOfTheSubspace) {
  EvaluationOptions options = page_options("DSK-CA-s:mean");
  options.selection.project = Projecting::parse("2");
  const std::vector<std::string> channels{"Fz", "C3", "Cz", "C4", "Pz", "Oz"};
  const Evaluation evaluation = evaluate(subspace_classes().with_channels(channels), options);
  const Evaluation::Subspace& subspace = evaluation.subspace.value();
  const std::string page = evaluation_page(evaluation);
  EXPECT_NE(page.find("DSK-CA-s:mean on split 1 compares matrices in a subspace of 2 of 6 dimensions."),
            std::string::npos);
  const auto drawings = [&](std::size_t changed, double factor) {
    Page alone("");
    BarPanels panels{.x_axis = "channel", .y_axis = "weight", .names = channels};
    for (Index c = 0; c < 2; ++c)
      for (const Matrix* const columns : {&subspace.projection.w, &subspace.patterns}) {
        const Eigen::VectorXd column = columns->col(c) / columns->col(c).cwiseAbs().maxCoeff();
        panels.titles.push_back(
            fmt::format("component {}: {}", c + 1, columns == &subspace.patterns ? "pattern" : "weights"));
        panels.values.emplace_back(column.begin(), column.end());
      }
    panels.values[changed][3] *= factor;
    alone.add_bar_panels(panels);
    const std::string html = alone.html();
    const std::size_t begin = html.find("<div class=\"pair\">");
    return html.substr(begin, html.rfind("</svg>") - begin);
  };
  EXPECT_NE(page.find(drawings(0, 1)), std::string::npos);
  for (const std::size_t changed : {0u, 1u, 2u, 3u}) EXPECT_EQ(page.find(drawings(changed, -1)), std::string::npos);
  EXPECT_NE(page.find("<p>before: all 6 dimensions</p>"), std::string::npos);
  EXPECT_NE(page.find("<p>after: 2 components</p>"), std::string::npos);
  expect_sound(page);
}

TEST(EvaluationPage, ShowsWhatAutoChose) {
  const Evaluation evaluation = evaluate(subspace_classes(), page_options("auto,MDM"));
  const std::string page = evaluation_page(evaluation);
  EXPECT_NE(page.find("<h2>Settings chosen by auto</h2>"), std::string::npos);
  for (const SplitResult& result : evaluation.results) {
    if (result.method != "auto") continue;
    const std::string row =
        fmt::format("<td class=\"words\">{}</td><td class=\"words\">{}</td><td>{:.1f}</td><td>{:.1f}</td>",
                    result.split + 1, result.chosen, 100 * result.validation_accuracy, 100 * result.accuracy);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  // Counted anew; members of an average are chosen with it.
  for (const std::string kind : {"MDM", "TS:lr", "ladder of subspaces", "average of several"}) {
    double sum = 0;
    int listed = 0, chosen = 0;
    for (const SplitResult& result : evaluation.results) {
      if (result.method != "auto") continue;
      const bool averaged = result.chosen.starts_with("average of ");
      const auto is_kind = [&](std::string_view name) {
        return kind.starts_with("average") ? name.starts_with("average of ") : name.substr(0, name.find(',')) == kind;
      };
      const auto found = std::find_if(result.candidates.begin(), result.candidates.end(),
                                      [&](const CandidateScore& one) { return is_kind(one.name); });
      if (found != result.candidates.end()) {
        sum += found->accuracy;
        ++listed;
      }
      std::string members = (averaged ? result.chosen.substr(11) : result.chosen) + "; ";
      bool is_chosen = averaged && is_kind(result.chosen);
      for (std::size_t end; (end = members.find("; ")) != std::string::npos; members.erase(0, end + 2))
        is_chosen = is_chosen || is_kind(std::string_view(members).substr(0, end));
      chosen += is_chosen ? 1 : 0;
    }
    if (listed == 0 && chosen == 0) continue;
    const std::string row = fmt::format("<td class=\"words\">{}</td><td>{}</td><td>{}</td><td>{}</td>", kind,
                                        listed > 0 ? fmt::format("{:.1f}", 100 * sum / listed) : "-", chosen, listed);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_NE(page.find("<td class=\"words\">average of several</td>"), std::string::npos);
  Page alone("");
  LineChart chart{.x_axis = "components", .y_axis = "accuracy, %", .series = {{"auto", {}, {}}}};
  for (const CandidateScore& one : evaluation.results[0].by_components) {
    chart.series[0].x.push_back(static_cast<double>(one.components));
    chart.series[0].y.push_back(100 * one.accuracy);
    chart.series[0].error.push_back(100 * one.standard_error);
  }
  alone.add_line_chart(chart);
  const std::string html = alone.html();
  const std::size_t begin = html.find("<svg");
  EXPECT_NE(page.find(html.substr(begin, html.find("</svg>") - begin)), std::string::npos);
  expect_sound(page);
}

TEST(EvaluationPage, ShowsTheRunnersUpOfASingleSplitWithTheirSettings) {
  EvaluationOptions options = page_options("auto");
  options.protocol = Protocol::parse("halves:1");
  const Evaluation evaluation = evaluate(subspace_classes(), options);
  const std::string page = evaluation_page(evaluation);
  for (const CandidateScore& one : evaluation.results[0].candidates) {
    const std::string row = fmt::format(">{}</td><td>{:.1f} ± {:.1f}</td><td>{}</td>", one.name, 100 * one.accuracy,
                                        100 * one.standard_error, one.folds);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(EvaluationPage, SaysWhatTheNamesOfMethodsStandFor) {
  for (const auto& [method, words] : {std::pair{"SK:knn", "k nearest neighbours by the Stein distance"},
                                      {"LEK:svm", "support vector machine with the log-Euclidean kernel"},
                                      {"TS:lr", "logistic regression on the tangent space"},
                                      {"MDM", "nearest class mean by the affine-invariant distance"},
                                      {"DSK-CA-a:knn", "eigenvalues adjusted (affine) by centred kernel alignment"},
                                      {"DSK-KA-s:mean", "in a subspace learned by kernel alignment"},
                                      {"MK-average:svm", "several kernels, equal weights"},
                                      {"auto", "by cross-validation"},
                                      {"majority", "always the most frequent class"}})
    EXPECT_NE(in_words(Method::parse(method)).find(words), std::string::npos) << method;
  const std::string page = evaluation_page(evaluate(page_classes(), page_options("SK:knn")));
  EXPECT_NE(page.find("<td class=\"words\">SK:knn</td><td class=\"words\">k nearest neighbours"), std::string::npos);
}

TEST(EvaluationPage, ListsNoChoiceWhereThereWasNone) {
  const std::string page = evaluation_page(evaluate(page_classes(), page_options("SK:knn,MDM")));
  for (const std::string text : {"Settings chosen by auto", "Size of the subspace", "The learned subspace"})
    EXPECT_EQ(page.find(text), std::string::npos) << text;
}

TEST(EvaluationPage, ShowsNotesAboutTheData) {
  const Dataset drawn = page_classes();
  std::vector<std::string> groups;
  for (Index i = 0; i < drawn.size(); ++i) groups.push_back(i < 14 ? "one" : std::to_string(i));
  const Evaluation evaluation =
      evaluate(Dataset(drawn.matrices(), drawn.labels(), Labels(groups)), page_options("LEK:knn"));
  EXPECT_NE(evaluation_page(evaluation).find("Note: 1 of 2 classes lies in a single group"), std::string::npos);
}

TEST(EvaluationPage, NamesItsSource) {
  const Evaluation evaluation = evaluate(page_classes(), page_options("SK:knn"));
  const std::string page =
      evaluation_page(evaluation, {.data = "eeg.npz", .command = "dsk evaluate eeg.npz", .date = "2026-01-02 03:04"});
  EXPECT_NE(page.find("eeg.npz: 28 matrices of size 3 x 3 in 2 classes; 2 random halves."), std::string::npos);
  for (const std::string& text :
       {std::string("<dt>command</dt><dd>dsk evaluate eeg.npz</dd>"), std::string("<dt>data file</dt><dd>eeg.npz</dd>"),
        std::string("<dt>shape</dt><dd>28 x 3 x 3</dd>"), std::string("<dt>date</dt><dd>2026-01-02 03:04</dd>"),
        std::string("<dt>version</dt><dd>") + DSK_VERSION})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(evaluation_page(evaluation).find("<dt>command</dt>"), std::string::npos);
}

TEST(EvaluationPage, SaysWhichTestItShows) {
  const Dataset drawn = page_classes();
  EvaluationOptions options = page_options("SK:knn,LEK:knn");
  EXPECT_NE(evaluation_page(evaluate(drawn, options)).find("corrected resampled t-test"), std::string::npos);
  std::vector<std::string> groups;
  for (Index i = 0; i < drawn.size(); ++i) groups.push_back("subject " + std::to_string(i % 4));
  options.protocol = Protocol::parse("logo");
  const std::string page =
      evaluation_page(evaluate(Dataset(drawn.matrices(), drawn.labels(), Labels(groups)), options));
  EXPECT_NE(page.find("leave one subject out (4 groups)"), std::string::npos);
  EXPECT_NE(page.find("paired t-test over the 4 groups"), std::string::npos);
  EXPECT_EQ(page.find("paired over splits"), std::string::npos);
  expect_sound(page);
}

TEST(EvaluationPage, ShowsTheMajorityClass) {
  const std::string page = evaluation_page(evaluate(page_classes(), page_options("SK:knn")));
  EXPECT_NE(page.find("<td class=\"words\">majority</td><td>50.00 ± 0.00</td>"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test
