#include <dsk/learn.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "experiment/small_runs.hpp"
#include "learn/learn.hpp"
#include "support/made_pictures.hpp"

namespace dsk::test {
namespace {

/// More people than in the largest panel, each with a face of their own and some noise.
class FacePanels : public SmallRuns {
 protected:
  FacePanels() {
    for (int person = 0; person < people; ++person) {
      const std::filesystem::path place = folder() / "orl" / fmt::format("s{}", person);
      std::filesystem::create_directories(place);
      const Matrix face = made_texture(24, 24, static_cast<std::uint64_t>(person));
      for (int picture = 0; picture < pictures; ++picture) {
        const Matrix noise = made_texture(24, 24, static_cast<std::uint64_t>(100 + pictures * person + picture));
        write_picture(place / fmt::format("{}.png", picture), as_pixels(0.98 * face + 0.02 * noise));
      }
    }
  }

  static constexpr int people = 42, pictures = 4;
};

const std::vector<std::string> of_panels = {
    "AIRM", "CHK", "EUK", "LEK", "PEK", "SK", "DSK-KA-p-printed", "DSK-KA-c-printed", "DSK-KA-p", "DSK-KA-c"};

std::set<std::string> classes_in(const Study& study) {
  std::set<std::string> names;
  for (Index i = 0; i < study.data.size(); ++i)
    names.insert(study.data.labels().names()[static_cast<std::size_t>(study.data.labels()[i])]);
  return names;
}

/// A different number of hits for each method, number of neighbours, number of classes and choice.
Index hits(std::size_t method, Index neighbours, std::size_t classes, Index choice) {
  return static_cast<Index>(method) + neighbours / 2 + static_cast<Index>(classes / 10) * choice;
}

std::optional<Index> hits_or_half(const Asked& asked) {
  if (asked.neighbours == 0) return asked.tested / 2;
  const std::string name = asked.method.substr(0, asked.method.find(':'));
  const auto method = std::find(of_panels.begin(), of_panels.end(), name) - of_panels.begin();
  const Index choice = asked.study.name.ends_with("choice 1") ? 1 : 0;
  return hits(static_cast<std::size_t>(method), asked.neighbours, asked.study.data.labels().names().size(), choice);
}

/// Means over the two choices.
void expect_hits(const OutcomeSection& panel, std::size_t classes) {
  EXPECT_EQ(panel.heading, fmt::format("{} classes, by the number of neighbours", classes));
  EXPECT_EQ(row_names(panel), of_panels);
  EXPECT_NEAR(share_in(cell(panel, "majority", "k = 5")), 1.0 / static_cast<double>(classes), printed_share);
  ASSERT_EQ(panel.table[0].size(), 7u);
  ASSERT_EQ(panel.lines.at(0).series.size(), of_panels.size());
  for (std::size_t m = 0; m < of_panels.size(); ++m)
    for (std::size_t k = 0; k < 6; ++k) {
      const auto neighbours = static_cast<Index>(2 * k + 1);
      const auto right = static_cast<double>(hits(m, neighbours, classes, 0) + hits(m, neighbours, classes, 1)) / 2;
      const double share = right / static_cast<double>(2 * classes);
      EXPECT_NEAR(share_in(cell(panel, of_panels[m], fmt::format("k = {}", neighbours))), share, printed_share);
      EXPECT_NEAR(panel.lines[0].series[m].y.at(k), 100 * share, 1e-12);
      EXPECT_EQ(panel.lines[0].series[m].x.at(k), static_cast<double>(neighbours));
    }
  EXPECT_EQ(panel.text.at(0), "There are too few choices of classes and halves to compare.");
}

/// Expects two charts of three alphas; the powers of the first panel are learned from the training part of its first
/// choice.
void expect_alphas(const OutcomeSection& learned, const Study& first) {
  ASSERT_EQ(learned.lines.size(), 2u);
  EXPECT_TRUE(learned.lines[0].caption.starts_with("alpha as power"));
  EXPECT_TRUE(learned.lines[1].caption.starts_with("alpha as coefficient"));
  for (const LineChart& chart : learned.lines) {
    ASSERT_EQ(chart.series.size(), 3u);
    for (std::size_t p = 0; p < 3; ++p) {
      const LineSeries& alpha = chart.series[p];
      EXPECT_EQ(alpha.name, fmt::format("{} classes", 10 << p));
      ASSERT_EQ(alpha.y.size(), 43u);
      EXPECT_EQ(alpha.x.front(), 1);
      EXPECT_EQ(alpha.x.back(), 43);
      EXPECT_NE(*std::min_element(alpha.y.begin(), alpha.y.end()), *std::max_element(alpha.y.begin(), alpha.y.end()));
    }
  }
  const Dataset train = first.data.select(make_splits(first.data, first.options.protocol, first.options.seed)[0].train);
  const double penalty = 0.01 * std::abs(best_plain_kernel(train).value);
  const Eigen::VectorXd wanted = fit_kernel(train, {.penalty = penalty}).kernel.adjustment().alpha;
  const std::vector<double>&few = learned.lines[0].series[0].y, &many = learned.lines[0].series[2].y;
  const Eigen::Map<const Eigen::ArrayXd> a(few.data(), 43), b(many.data(), 43);
  EXPECT_EQ(a.matrix(), wanted);
  const double correlation = ((a - a.mean()) * (b - b.mean())).sum() /
                             std::sqrt((a - a.mean()).square().sum() * (b - b.mean()).square().sum());
  EXPECT_NE(learned.text.at(0).find(fmt::format("10 and 40 classes have a correlation of {:.2f}", correlation)),
            std::string::npos)
      << learned.text[0] << " " << correlation;
}

TEST_F(FacePanels, ReportClassesNeighboursAndAlphas) {
  const Outcome outcome = run_answered("faces-neighbours", whole(2), hits_or_half);
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 3u * 2u);
  std::set<std::set<std::string>> choices;
  std::set<std::uint64_t> seeds;
  for (std::size_t s = 0; s < 6; ++s) {
    const Study& study = studies()[s];
    const std::size_t wanted = s < 2 ? 10 : s < 4 ? 20 : 40;
    EXPECT_EQ(study.name, fmt::format("{} classes, choice {}", wanted, s % 2));
    EXPECT_EQ(classes_in(study).size(), wanted);
    EXPECT_EQ(study.data.labels().names().size(), wanted);
    EXPECT_EQ(study.data.size(), static_cast<Index>(wanted) * pictures);
    EXPECT_EQ(study.data.dim(), 43);
    EXPECT_EQ(study.options.protocol.text(), "halves:2");
    choices.insert(classes_in(study));
    seeds.insert(study.options.seed);
  }
  EXPECT_EQ(choices.size(), 6u);
  EXPECT_EQ(seeds.size(), 2u);

  ASSERT_EQ(outcome.sections.size(), 4u);
  for (std::size_t p = 0; p < 3; ++p) expect_hits(outcome.sections.at(p), std::size_t{10} << p);
  expect_alphas(outcome.sections.at(3), studies()[0]);
  EXPECT_TRUE(outcome.answer.starts_with("With 10 classes: There are too few")) << outcome.answer;
}

TEST_F(FacePanels, AreApartFromTheTableOfAllPeople) {
  const Outcome outcome = run_answered("faces", whole(2), [](const Asked& asked) { return asked.tested / 2; });
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 1u);
  EXPECT_EQ(studies()[0].name, "all classes");
  EXPECT_EQ(classes_in(studies()[0]).size(), 42u);
  EXPECT_EQ(studies()[0].options.protocol.text(), "halves:2");
  ASSERT_EQ(outcome.sections.size(), 1u);
  EXPECT_EQ(outcome.sections[0].heading, "42 people");
  EXPECT_EQ(row_names(outcome.sections[0]).size(), 32u);
  EXPECT_EQ(cell(outcome.sections[0], "SK:knn", "ours, %"), "50.00 ± 0.00");
}

TEST_F(FacePanels, HaveTenChoicesOfClassesAndTenHalvesOfEach) {
  const Outcome outcome = run_answered("faces-neighbours", whole(0), hits_or_half);
  ASSERT_EQ(studies().size(), 3u * 10u);
  for (std::size_t s = 0; s < 30; ++s) EXPECT_EQ(studies()[s].options.protocol.text(), "halves:10");
  EXPECT_EQ(outcome.sections.at(0).text.at(0),
            "DSK-KA-p, learned as printed, is above SK for 6 of 6 numbers of neighbours and equal for 0; in the paper, "
            "above for all. Its penalty was chosen for each number of neighbours.");
  EXPECT_EQ(outcome.sections[0].text.at(1), "All classes are equally large, so that balanced accuracies are the same.");
  EXPECT_NE(outcome.sections[0].lines.at(0).caption.find("mean over 10 choices of classes and 10 halves of each"),
            std::string::npos);
}

TEST_F(FacePanels, AreSmallerInQuickRuns) {
  const Answer half = [](const Asked& asked) { return asked.tested / 2; };
  const Outcome neighbours = run_answered("faces-neighbours", quick(0), half);
  ASSERT_EQ(studies().size(), 3u * 2u);
  for (std::size_t s = 0; s < 6; ++s) {
    EXPECT_EQ(studies()[s].options.protocol.text(), "halves:5");
    EXPECT_EQ(studies()[s].data.labels().names().size(), 4 * (s / 2 + 1));
  }
  EXPECT_TRUE(neighbours.sections[0].text[0].starts_with("This quick run uses 2 choices of 4, 8 and 12 people"));
  const Outcome all = run_answered("faces", quick(0), half);
  EXPECT_EQ(classes_in(studies()[0]).size(), 10u);
  EXPECT_EQ(studies()[0].options.protocol.text(), "halves:5");
  EXPECT_EQ(all.sections[0].heading, "10 people");
}

}  // namespace
}  // namespace dsk::test
