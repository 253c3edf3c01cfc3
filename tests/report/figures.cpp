#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "report/markup.hpp"
#include "report/report.hpp"

namespace dsk::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

std::string page_of(const std::function<void(Page&)>& add) {
  Page page("t");
  add(page);
  return page.html();
}

std::vector<double> cycled(const std::vector<double>& values, std::size_t count) {
  std::vector<double> result(values.empty() ? 0 : count);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = values[k % values.size()];
  return result;
}

/// Every kind of figure with `count` entries that cycle through `values`; all texts are `text`.
std::string all_figures(const std::vector<double>& values, std::size_t count, const std::string& text) {
  const std::vector<double> numbers = cycled(values, count);
  const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(numbers.size())));
  IntervalChart intervals{.caption = text, .axis = text, .baseline = 0};
  ConfusionMatrix matrix{.caption = text, .names = std::vector<std::string>(edge, text)};
  std::vector<long> classes;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    intervals.rows.push_back({text, numbers[k], numbers[(k + 1) % count], numbers[(k + 2) % count]});
    matrix.counts.push_back(static_cast<long>(k * k % 1000) - 1);
    classes.push_back(static_cast<long>(k % 14) - 1);
  }
  const HeatMap map{text, numbers, static_cast<long>(edge), {-1, 0, 1, 1'000'000}};
  const Scatter scatter{text, numbers, cycled(values, count / 2 + 1), classes};
  Page page(text);
  page.add_interval_chart(intervals);
  page.add_difference_chart({.caption = text, .axis = text, .rows = {{text, numbers}, {text, {}}}});
  page.add_confusion_matrix(matrix);
  page.add_bar_chart({text, text, text, numbers, 1, std::vector<std::string>(numbers.size(), text)});
  page.add_bar_chart({text, text, text, numbers});
  page.add_bar_panels({text, text, text, {text}, {numbers, numbers}, std::vector<std::string>(numbers.size(), text)});
  for (const bool logarithmic : {false, true})
    page.add_line_chart({text,
                         text,
                         text,
                         {{text, numbers, numbers, numbers}, {text, {1}, {2}}, {text, {}, {1}}},
                         logarithmic,
                         logarithmic});
  page.add_heat_map(map);
  page.add_heat_map_pair({text, map, map});
  page.add_scatter_pair({text, std::vector<std::string>(12, text), scatter, {}});
  return page.html();
}

TEST(Figures, AreWellFormedForAnyNumbers) {
  const std::vector<double> cases[] = {{},
                                       {0},
                                       {1, 2, 3},
                                       {-5, 5},
                                       {nan},
                                       {infinity},
                                       {nan, infinity, -infinity, 1},
                                       {1e308, -1e308, 3},
                                       {1e-320, 2e-320},
                                       {1e300, -1e300},
                                       {1e15, 1e15 + 1},
                                       {-0.0, 0.0},
                                       {1e-12, 3e-12, 2.5e-12},
                                       {123456, 7e9}};
  for (const auto& values : cases)
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{400}}) {
      SCOPED_TRACE(testing::PrintToString(values) + " x " + std::to_string(count));
      const std::string page = all_figures(values, count, "name");
      expect_sound(page);
      EXPECT_EQ(count_of("<figure>", page), 11U);
      EXPECT_EQ(count_of("<figcaption>", page), 11U);
    }
}

TEST(Figures, EscapeAnyText) {
  for (const std::string& text :
       std::vector<std::string>{"<script>alert('x')</script>", "\" onload=\"x", "a&b;&amp", "\xff\xfe\x01\x1b[0m",
                                std::string("\0\n\t", 3), "]]>-->", std::string(5000, 'W'), ""}) {
    SCOPED_TRACE(text.substr(0, 40));
    const std::string page = all_figures({1, 2, 4}, 9, text);
    EXPECT_EQ(fault_in_markup(page), "");
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find("\" onload"), std::string::npos);
    EXPECT_EQ(page.find('\xff'), std::string::npos);
  }
}

TEST(Figures, StaySmallForManyPoints) {
  const std::string page = all_figures({1, 5, 2, 8, 3, 9.5, -2}, 10'000, "name");
  expect_sound(page);
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_NE(page.find("Each bar is the mean of 50 values."), std::string::npos);
  EXPECT_NE(page.find("The first 60 of 10000 rows are drawn."), std::string::npos);
  EXPECT_LT(page_of([](Page& p) { p.add_heat_map({"", std::vector<double>(1'000'000, 0.5), 1000}); }).size(), 20'000U);
}

TEST(Figures, AreReproducible) {
  EXPECT_EQ(all_figures({1, 5, nan, 8}, 500, "name"), all_figures({1, 5, nan, 8}, 500, "name"));
}

TEST(Figures, HaveLabelsForScreenReaders) {
  const std::string page = all_figures({1, 2}, 9, "name");
  EXPECT_EQ(count_of("<svg", page),
            count_of("role=\"img\" aria-label=\"", page) + count_of("aria-hidden=\"true\"", page));
  EXPECT_EQ(count_of("role=\"img\"", page), count_of("<title>", page) - 1);
}

TEST(IntervalChart, PrintsMeansAndIntervals) {
  const std::string page = page_of([](Page& p) {
    p.add_interval_chart(
        {.rows = {{"a", 90.42, 89.7, 91.1}, {"b", 93.5, nan, nan}, {"c", nan, nan, nan}}, .baseline = 0});
  });
  EXPECT_NE(page.find(">90.4 [89.7, 91.1]</text>"), std::string::npos);
  EXPECT_NE(page.find(">93.5</text>"), std::string::npos);
  EXPECT_NE(page.find(">n/a</text>"), std::string::npos);
  EXPECT_EQ(count_of("class=\"reference\"", page), 2U);  // wide and narrow
  EXPECT_EQ(count_of("<circle", page), 4U);
}

/// The numbers after each `key` in the drawing for phones.
std::vector<double> numbers_after(const std::string& key, const std::string& drawing) {
  std::vector<double> found;
  for (std::size_t at = drawing.find(key); at != std::string::npos; at = drawing.find(key, at + 1))
    found.push_back(std::stod(drawing.substr(at + key.size())));
  return found;
}

TEST(RowCharts, LinesDoNotStrikeThroughNamesOnAPhone) {
  for (const std::string line : {"reference", "zero"}) {
    const std::string page = page_of([&](Page& p) {
      if (line == "reference")
        p.add_interval_chart({.rows = {{"a", 50, 40, 60}, {"b", 55, 45, 65}}, .baseline = 0});
      else
        p.add_difference_chart({.rows = {{"a", {1, -2}}, {"b", {-1, 1.5}}}});
    });
    const std::string drawing = page.substr(page.find("<svg class=\"narrow\""));
    const std::size_t begin = drawing.find("class=\"" + line + "\"");
    const std::string path = drawing.substr(begin, drawing.find("/>", begin) - begin);
    std::size_t segments = 0;
    for (std::size_t at = path.find('M'); at != std::string::npos; at = path.find('M', at + 1), ++segments) {
      double from = 0, to = 0;
      ASSERT_EQ(std::sscanf(path.c_str() + at, "M%*f %lfV%lf", &from, &to), 2) << path;
      for (const double baseline : numbers_after("class=\"halo\" x=\"0\" y=\"", drawing))
        EXPECT_TRUE(baseline <= from || baseline - 12 >= to)
            << "text at " << baseline << ", line " << from << "-" << to;
    }
    EXPECT_EQ(segments, 2u);
  }
}

TEST(RowCharts, PrintValuesWithADecimalOnAnyAxis) {
  const std::string page = page_of([](Page& p) {
    p.add_interval_chart({.rows = {{"a", 12.34, 2, 97}}});
    p.add_difference_chart({.rows = {{"a", {-40, 63.4}}}});
  });
  EXPECT_NE(page.find(">12.3 [2.0, 97.0]</text>"), std::string::npos);
  EXPECT_NE(page.find(">+11.7</text>"), std::string::npos) << "the mean of -40 and 63.4";
}

TEST(IntervalChart, WorksWithoutABaseline) {
  for (const std::optional<std::size_t> baseline : {std::optional<std::size_t>{}, std::optional<std::size_t>{7}}) {
    const std::string page = page_of([&](Page& p) {
      p.add_interval_chart({.rows = {{"a", 1, 0, 2}}, .baseline = baseline});
    });
    EXPECT_EQ(page.find("class=\"reference\""), std::string::npos);
  }
}

TEST(DifferenceChart, DrawsEverySplitAndTheSignedMean) {
  const std::string page = page_of([](Page& p) {
    p.add_difference_chart({.rows = {{"a", {1, 2, 3, nan}}, {"b", {-1, -1.5}}}});
  });
  EXPECT_EQ(count_of("<circle", page), 2U * 5);
  EXPECT_NE(page.find(">+2.0</text>"), std::string::npos);
  EXPECT_NE(page.find(">−1.2</text>"), std::string::npos);
}

TEST(ConfusionMatrix, PrintsCountsUpToFifteenClasses) {
  const auto page_with = [](std::size_t classes) {
    return page_of([&](Page& p) {
      p.add_confusion_matrix({"", std::vector<std::string>(classes, "c"), std::vector<long>(classes * classes, 7)});
    });
  };
  EXPECT_EQ(count_of(">7</text>", page_with(15)), 2U * 225);
  EXPECT_EQ(count_of(">7</text>", page_with(16)), 0U);
  EXPECT_NE(page_with(16).find("<image"), std::string::npos);
}

TEST(LineChart, HasALegendOnlyForSeveralSeries) {
  const LineSeries one{"one", {1, 2}, {1, 2}}, two{"two", {1, 2}, {2, 1}};
  EXPECT_EQ(page_of([&](Page& p) { p.add_line_chart({.series = {one}}); }).find("<ul"), std::string::npos);
  EXPECT_NE(page_of([&](Page& p) { p.add_line_chart({.series = {one, two}}); }).find("two</li>"), std::string::npos);
}

TEST(LineChart, KeepsPeaksWhenThinned) {
  LineSeries series{"s", cycled({0}, 10'000), cycled({0}, 10'000)};
  for (std::size_t k = 0; k < series.x.size(); ++k) series.x[k] = static_cast<double>(k);
  series.y[4321] = 1;
  const std::string page = page_of([&](Page& p) { p.add_line_chart({.series = {series}}); });
  EXPECT_LT(page.size(), 40'000U);
  const std::string path = page.substr(page.find("class=\"line"));
  EXPECT_NE(path.substr(0, path.find("/>")).find(" 42.3"), std::string::npos);  // x coordinate of the largest value
}

/// The path of an element of a class, as the wide drawing has it.
std::string path_of(const std::string& page, const std::string& classes) {
  const std::string start = "class=\"" + classes + "\" d=\"";
  const auto begin = page.find(start);
  if (begin == std::string::npos) return "";
  return page.substr(begin + start.size(), page.find('"', begin + start.size()) - begin - start.size());
}

TEST(LineChart, DrawsErrorBarsInTheUnitsOfItsAxis) {
  const auto page_with = [](std::vector<double> error) {
    return page_of([&](Page& p) { p.add_line_chart({.series = {{"s", {1, 2}, {50, 60}, std::move(error)}}}); });
  };
  const std::string with = page_with({10, 10});
  // The line rises by as much as half an error bar is long.
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, bar_x = 0, low = 0, high = 0;
  ASSERT_EQ(std::sscanf(path_of(with, "line c0 d0").c_str(), "M%lf %lfL%lf %lf", &x1, &y1, &x2, &y2), 4);
  ASSERT_EQ(std::sscanf(path_of(with, "error c0").c_str(), "M%lf %lfV%lf", &bar_x, &low, &high), 3);
  EXPECT_EQ(bar_x, x1);
  EXPECT_NEAR(low - y1, y1 - y2, 0.2);
  EXPECT_NEAR(high, y2, 0.2);
  for (const std::string& without : {page_with({}), page_with({0, 0}), page_with({nan, infinity})})
    EXPECT_EQ(without.find("class=\"error"), std::string::npos);
}

TEST(BarPanels, ShareOneScale) {
  const std::string page = page_of([](Page& p) {
    p.add_bar_panels({.titles = {"a", "b"}, .values = {{1, 2}, {-4, 2}}});
  });
  EXPECT_NE(page.find("<p>b</p>"), std::string::npos);
  std::vector<double> lengths;
  for (auto place = page.find("class=\"bar\""); place != std::string::npos;
       place = page.find("class=\"bar\"", place + 1)) {
    const std::string path = path_of(page.substr(place), "bar");
    double zero = 0, end = 0;
    ASSERT_EQ(std::sscanf(path.c_str(), "M%*f %lfh%*fV%lf", &zero, &end), 2) << path;
    lengths.push_back(zero - end);
  }
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[1], -4 * lengths[0], 0.3);
}

TEST(ScatterPair, GivesAHundredClassesDistinctMarkers) {
  Scatter scatter{.caption = "s"};
  for (long k = 0; k < 100; ++k) {
    scatter.x.push_back(0);
    scatter.y.push_back(0);
    scatter.classes.push_back(k);
  }
  const std::string page =
      page_of([&](Page& p) { p.add_scatter_pair({.names = std::vector<std::string>(100, "c"), .left = scatter}); });
  std::vector<std::string> marks;
  for (auto place = page.find("<g class=\"c"); place != std::string::npos; place = page.find("<g class=\"c", place + 1))
    marks.push_back(page.substr(place, page.find("</g>", place) - place));
  EXPECT_EQ(marks.size(), 100U);
  std::sort(marks.begin(), marks.end());
  EXPECT_EQ(std::unique(marks.begin(), marks.end()), marks.end());
  EXPECT_NE(page.find("and 70 more"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test
