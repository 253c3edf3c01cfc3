#include <fmt/format.h>

#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include "support/made_pictures.hpp"
#include "support/made_samples.hpp"

namespace dsk::test {
namespace {

class Describe : public Program {
 protected:
  void make_pictures() const {
    for (std::uint64_t k = 0; k < 6; ++k)
      write_texture(*this / "in" / (k < 3 ? "bark" : "sand") / fmt::format("p{}.png", k), 32, 24, k);
  }
  /// An array (trials, channels, samples).
  void make_trials(Index trials, Index channels, Index samples) const {
    const Matrix values = normal_samples(trials, Eigen::VectorXd::Ones(channels * samples), 1);
    const std::string shape = fmt::format("({}, {}, {})", trials, channels, samples);
    put("trials.npy", npy("<f8", shape, bytes_of(std::vector<double>(values.data(), values.data() + values.size()))));
  }
  nlohmann::json facts() const { return nlohmann::json::parse(get("facts.json")); }
};

TEST_F(Describe, EachKindHasHelpWithAnExample) {
  for (const std::string kind : {"texture", "gabor", "series"}) {
    const Outcome outcome = run("describe " + kind + " --help");
    EXPECT_EQ(outcome.status, 0);
    for (const char* const part :
         {"Example: dsk describe", "--json", "--threads", "--estimator", "--skip-bad", "--preview"})
      EXPECT_SAYS(outcome.out, part);
  }
  EXPECT_SAYS(run("describe texture --help").out, "abs-dxx");
  EXPECT_SAYS(refusal("describe"), "describe needs a kind: texture, gabor or series");
  EXPECT_SAYS(refusal("describe sounds in -o X.npz"), "sounds");
}

TEST_F(Describe, WhatIsReadIsNotOverwritten) {
  make_pictures();
  const std::string before = get("in/bark/p0.png");
  EXPECT_SAYS(refusal("describe texture in -o X.npz --preview in/bark/p0.png"), "already exists in the input folder");
  EXPECT_SAYS(refusal("describe texture in -o X.npz --json in/bark/p0.png"), "already exists in the input folder");
  EXPECT_EQ(get("in/bark/p0.png"), before);
  EXPECT_EQ(run("describe texture in -o in/X.npz").status, 0);
}

TEST_F(Describe, PicturesBecomeADataSetToTrainOn) {
  make_pictures();
  const Outcome outcome =
      run("describe texture in -o X.npz --tiles 4x3 --resize 32x24 --preview look.png --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Dataset data = load(*this / "X.npz");
  EXPECT_EQ(data.size(), 72);
  EXPECT_EQ(data.dim(), 5);
  EXPECT_EQ(data.labels().names(), (std::vector<std::string>{"bark", "sand"}));
  EXPECT_EQ(data.groups().names().size(), 6u);
  EXPECT_TRUE(get("look.png").starts_with("\x89PNG"));
  const auto said = facts();
  EXPECT_EQ(said["n"], 72);
  EXPECT_EQ(said["pictures"], 6);
  EXPECT_EQ(said["groups"], 6);
  EXPECT_EQ(said["range"], 1);
  EXPECT_EQ(said["features"].size(), 5);
  EXPECT_TRUE(said["left_out"].empty());
  ASSERT_EQ(run("train X.npz -o model.dsk").status, 0);
  EXPECT_EQ(run("predict model.dsk X.npz -o labels.csv").status, 0);
}

TEST_F(Describe, TilesOfClassesOfOnePictureAreAnErrorOrAWarning) {
  for (const std::string name : {"bark/a.png", "sand/b.png", "wood/c.png"})
    write_texture(*this / "in" / name, 32, 24, static_cast<std::uint64_t>(name[0]));
  const std::string describe = "describe texture in -o X.npz --tiles 4x3",
                    evaluate = "evaluate X.npz --methods SK --protocol halves:2";
  ASSERT_EQ(run(describe).status, 0);
  EXPECT_SAYS(refusal(evaluate), "each class lies in a single group ('bark', 'sand', 'wood')");
  EXPECT_SAYS(refusal(evaluate), "ignore the groups with --ignore-groups");
  EXPECT_EQ(run(evaluate + " --ignore-groups").status, 0);
  write_texture(*this / "in" / "wood" / "d.png", 32, 24, 9);
  write_texture(*this / "in" / "sand" / "e.png", 32, 24, 8);
  ASSERT_EQ(run(describe).status, 0);
  const Outcome some = run(evaluate);
  EXPECT_EQ(some.status, 0);
  EXPECT_SAYS(some.err, "dsk: note: 1 of 3 classes lies in a single group ('bark')");
  EXPECT_SAYS(some.err, "ignore the groups with --ignore-groups");
}

TEST_F(Describe, TheFileSaysHowItWasMade) {
  make_pictures();
  const auto description = [&](const std::string& flags) {
    EXPECT_EQ(run("describe texture in -o X.npz " + flags).status, 0);
    std::string text;
    const std::string bytes = get("X.npz");
    // Four bytes per character, behind the name of the array and its header.
    const auto at = bytes.find("description.npy");
    for (const char c : bytes.substr(std::min(at, bytes.size())))
      if (c != '\0') text += c;
    return text;
  };
  EXPECT_SAYS(description(""), R"("range":1.0,"estimator":"sample")");
  EXPECT_SAYS(description("--range 255 --estimator oas --sample 0.5 --seed 3"),
              R"("range":255.0,"sample":0.5,"seed":3,"estimator":"oas")");
  EXPECT_SAYS(description("--features intensity,magnitude"), R"("features":["intensity","magnitude"])");
}

TEST_F(Describe, RangeScalesTheMatrices) {
  make_pictures();
  ASSERT_EQ(run("describe texture in -o a.npz").status, 0);
  ASSERT_EQ(run("describe texture in -o b.npz --range 255").status, 0);
  const Matrix a = load(*this / "a.npz").matrices()[0], b = load(*this / "b.npz").matrices()[0];
  EXPECT_LT((b - 255.0 * 255.0 * a).cwiseAbs().maxCoeff(), 1e-9 * b.cwiseAbs().maxCoeff());
}

TEST_F(Describe, SameBytesForAnyNumberOfThreads) {
  make_pictures();
  ASSERT_EQ(run("describe gabor in -o a.npz --threads 1").status, 0);
  ASSERT_EQ(run("describe gabor in -o b.npz --threads 3").status, 0);
  EXPECT_EQ(load(*this / "a.npz").dim(), 43);
  EXPECT_EQ(get("a.npz"), get("b.npz"));
}

TEST_F(Describe, UnreadablePicturesStopOrAreLeftOut) {
  make_pictures();
  put("in/bark/broken.png", "no picture");
  std::string cut = get("in/sand/p4.png");
  put("in/sand/cut.png", cut.substr(0, cut.size() / 2));
  const std::string said = refusal("describe texture in -o X.npz");
  EXPECT_SAYS(said, "2 of 8 pictures cannot be used: in/bark/broken.png: is not a png");
  EXPECT_SAYS(said, "in/sand/cut.png: is truncated");
  EXPECT_SAYS(said, "--skip-bad");
  EXPECT_FALSE(std::filesystem::exists(*this / "X.npz"));
  const Outcome outcome = run("describe texture in -o X.npz --skip-bad --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, "skipped: 2");
  EXPECT_SAYS(outcome.out, "in/bark/broken.png");
  EXPECT_EQ(facts()["left_out"].size(), 2);
  EXPECT_EQ(load(*this / "X.npz").size(), 6);
}

TEST_F(Describe, DamageInsideAJpegPrintsNothingOfTheDecoder) {
  make_pictures();
  write_texture(*this / "in" / "bark" / "odd.jpg", 64, 64, 1);
  std::string bytes = get("in/bark/odd.jpg");
  for (std::size_t k = bytes.size() - 300; k < bytes.size() - 100; ++k) bytes[k] = 'a';
  put("in/bark/odd.jpg", bytes);
  EXPECT_EQ(run("describe texture in -o X.npz").err, "");
}

TEST_F(Describe, TooFewSamplesNameTheFlagThatHelps) {
  write_texture(*this / "in" / "a.png", 4, 3, 1);
  EXPECT_SAYS(refusal("describe gabor in -o X.npz"), "in/a.png: 12 samples for 43 features: use --estimator oas");
  EXPECT_EQ(run("describe gabor in -o X.npz --estimator oas").status, 0);
  make_trials(2, 43, 12);
  EXPECT_SAYS(refusal("describe series trials.npy -o X.npz"), "12 samples for 43 features: use --estimator oas");
  for (const std::string estimator : {"oas", "lwf"})
    EXPECT_EQ(run("describe series trials.npy -o X.npz --estimator " + estimator).status, 0);
}

TEST_F(Describe, SeriesWithLabelsBandsAndPreview) {
  make_trials(6, 3, 200);
  put("y.csv", "rest\nmove\nrest\nmove\nrest\nmove\n");
  const Outcome outcome =
      run("describe series trials.npy --labels y.csv --bands 8-12,12-30 --rate 128 --preview look.png -o X.npz --json "
          "facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Dataset data = load(*this / "X.npz");
  EXPECT_EQ(data.dim(), 6);
  EXPECT_EQ(data.labels().names().size(), 2u);
  EXPECT_EQ(facts()["bands"], "8-12,12-30");
  EXPECT_TRUE(get("look.png").starts_with("\x89PNG"));
  ASSERT_EQ(run("describe series trials.npy --estimator correlation -o C.npz").status, 0);
  EXPECT_EQ(load(*this / "C.npz").matrices()[0](1, 1), 1);
}

TEST_F(Describe, SkippedTrialsTakeTheirLabelsAlong) {
  std::vector<double> values;
  const Matrix noise = normal_samples(3, Eigen::VectorXd::Ones(2 * 20), 1);
  values.assign(noise.data(), noise.data() + noise.size());
  values[40] = std::numeric_limits<double>::quiet_NaN();  // in the second trial
  put("trials.npy", npy("<f8", "(3, 2, 20)", bytes_of(values)));
  put("y.csv", "a\nb\nc\n");
  EXPECT_SAYS(refusal("describe series trials.npy --labels y.csv -o X.npz"), "trial 1: feature 0 contains NaN or Inf");
  const Outcome outcome = run("describe series trials.npy --labels y.csv -o X.npz --skip-bad");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, "trial 1: feature 0 contains NaN or Inf");
  const Dataset data = load(*this / "X.npz");
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.labels().names()[static_cast<std::size_t>(data.labels()[1])], "c");
}

TEST_F(Describe, BadUsageIsOneLine) {
  make_pictures();
  make_trials(2, 2, 20);
  for (const auto& [flags, part] :
       {std::pair<std::string, std::string>{"texture missing -o X.npz", "no such folder"},
        {"texture . -o X.txt", "extension"},
        {"texture in -o X.npz --tiles 8", "--tiles '8' is not a size"},
        {"texture in -o X.npz --tiles 99x1", "cannot be cut into 99 x 1 tiles"},
        {"texture in -o X.npz --windows 8x8", "32x32:8"},
        {"texture in -o X.npz --windows 8x8:4 --tiles 2x2", "not both"},
        {"texture in -o X.npz --features colour", "unknown; use intensity"},
        {"texture in -o X.npz --features x,x", "is listed twice"},
        {"texture in -o X.npz --estimator best", "unknown estimator 'best'"},
        {"texture in -o X.npz --range 0", "--range 0 must be above 0"},
        {"texture in -o X.npz --range nan", "--range"},
        {"texture in -o X.npz --sample 2", "--sample 2 must be"},
        {"texture in -o X.npz --threads -1", "--threads"},
        {"texture in -o X.npz --preview look.jpg", ".png"},
        {"texture in -o none/X.npz", "there is no folder"},
        {"texture in", "--output"},
        {"series trials.npy -o trials.npy", "is an input"},
        {"series trials.npy -o X.npz --bands 8-12", "--bands needs --rate"},
        {"series trials.npy -o X.npz --bands 8 --rate 100", "not a range"},
        {"series trials.npy -o X.npz --bands 8-60 --rate 100", "must satisfy 0 < low < high < 50"},
        {"series trials.npy -o X.npz --layout sideways", "--layout"},
        {"series x.npz -o X.npz --labels missing.csv", "missing.csv"}})
    EXPECT_SAYS(refusal("describe " + flags), part);
  EXPECT_EQ(run("describe texture in -o X.npz --windows 16x16:4").status, 0);
}

}  // namespace
}  // namespace dsk::test
