#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/model.hpp>

#include <limits>
#include <numeric>

#include "classify/classify.hpp"
#include "files/kernel_file.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

LearnedKernel some_kernel() {
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(3, Adjustment::affine);
  adjustment.alpha << 1.1, 0.9, 1.0 / 3;
  adjustment.beta << 0.1, -0.2, 0.3;
  adjustment.centre << 0.5, 0.1, -0.7;
  return {adjustment, 1.5};
}

Dataset small(std::uint64_t seed = 0) {
  const Dataset numbered = made_classes({.sizes = {5, 4, 3}, .seed = seed});
  return Dataset(numbered.matrices(), Labels({"W\u00e4lder", "brick", "sand"}, numbered.labels().codes(), false));
}

struct Example {
  std::string name;
  SavedModel saved;
};

std::vector<Example> examples(const Dataset& train) {
  std::vector<Example> result;
  for (const Metric metric :
       {Metric::airm, Metric::cholesky, Metric::euclidean, Metric::logeuclidean, Metric::powereuclidean, Metric::stein})
    result.push_back({std::string(name(metric)), {train_knn({.metric = metric, .zeta = 0.3}, train)}});
  result.push_back({"learned", {train_knn(some_kernel(), train, {.neighbours = 3})}});
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
    const SvmTraining options{.c = 0.3, .margin = margin, .balanced = true, .probabilities = true};
    result.push_back({"svm", {train_svm(Comparison{}, train, options)}});
    result.push_back({"learned svm", {train_svm(some_kernel(), train, {.theta = 2, .margin = margin})}});
  }
  result.push_back({"airm svm",
                    {train_svm({.metric = Metric::airm}, train, {.theta = 0.1, .allow_indefinite = true}),
                     {.repair = "shrink:0.1", .criterion = "alignment", .samples = 12}}});
  return result;
}

SavedModel::Origin::Approximation example_approximation() {
  return {.landmarks = 4,
          .choice = "greedy",
          .residual_share = 0.1 + 0.2,
          .chosen_on = 9,
          .seed = std::numeric_limits<std::uint64_t>::max()};
}

SavedModel small_nystrom_knn() {
  const NystromMap map =
      fit_nystrom(some_kernel(), small(), {.landmarks = 4, .choice = Landmarks::greedy, .theta = 2.5}).map;
  return {NystromKnn(map, small(), {.neighbours = 3}), {.samples = 12, .approximation = example_approximation()}};
}
SavedModel small_nystrom_svm() {
  const NystromMap map = fit_nystrom(Comparison{}, small(), {.landmarks = 2, .theta = 2.5}).map;
  return {train_nystrom_svm(map, small(), {.c = 3}).classifier, {.approximation = example_approximation()}};
}

class ModelFile : public KernelFile {
 protected:
  static std::string says(const std::filesystem::path& file) {
    return complaint_of([](const auto& path) { return load_model(path); }, file);
  }
  std::string says_of(const SavedModel& saved, const Edit& edit) const {
    save(saved, *this / "m.dsk");
    return says(edited_copy(*this / "m.dsk", edit));
  }
  std::string says_of_field(const SavedModel& saved, const char* field, const nlohmann::json& value) const {
    return says_of(saved, [&](Members&, nlohmann::json& meta) { meta[nlohmann::json::json_pointer(field)] = value; });
  }
};

SavedModel small_knn() {
  return {train_knn(some_kernel(), small(), {.neighbours = 3}), {.repair = "clip", .samples = 12}};
}
SavedModel small_svm() {
  return {train_svm(Comparison{.metric = Metric::powereuclidean, .zeta = 0.3}, small(), {.probabilities = true})};
}

TEST_F(ModelFile, LoadedModelsGiveIdenticalPredictions) {
  const SpdBatch test = small(1).matrices();
  std::vector<Example> saved = examples(small());
  saved.push_back({"nearest in features", small_nystrom_knn()});
  saved.push_back({"machine in features", small_nystrom_svm()});
  for (const Example& example : saved) {
    save(example.saved, *this / "m.dsk");
    const SavedModel loaded = load_model(*this / "m.dsk");
    const Prediction before = predict(example.saved.model, test), after = predict(loaded.model, test);
    EXPECT_EQ(after.labels.codes(), before.labels.codes()) << example.name;
    EXPECT_EQ(after.labels.names(), before.labels.names()) << example.name;
    EXPECT_TRUE(same_bits(after.scores.reshaped(), before.scores.reshaped())) << example.name;
    EXPECT_EQ(loaded.origin, example.saved.origin);
    EXPECT_EQ(kind(loaded.model), kind(example.saved.model));
    EXPECT_EQ(comparison(loaded.model).metric, comparison(example.saved.model).metric);
    const std::string bytes = get("m.dsk");
    save(loaded, *this / "m.dsk");
    EXPECT_EQ(get("m.dsk"), bytes) << example.name;
  }
}

TEST_F(ModelFile, LoadedMachinesGiveIdenticalDecisions) {
  const SpdBatch test = small(1).matrices();
  const SvmClassifier before = train_svm(some_kernel(), small(), {.class_weights = {1, 2, 3}});
  save(before, *this / "m.dsk");
  const auto after = std::get<SvmClassifier>(load_model(*this / "m.dsk").model);
  EXPECT_EQ(decision_values(after, test), decision_values(before, test));
  EXPECT_EQ(after.theta(), 1.5);
  EXPECT_EQ(after.training().class_weights, (std::vector<double>{1, 2, 3}));
}

TEST_F(ModelFile, IntegerLabelsStayIntegers) {
  const Dataset train = made_classes({.sizes = {4, 4}});
  save(train_knn(Comparison{}, train), *this / "m.dsk");
  const Model loaded = load_model(*this / "m.dsk").model;
  EXPECT_TRUE(predict(loaded, train.matrices()).labels.integral());
  EXPECT_EQ(class_names(loaded), train.labels().names());
  EXPECT_EQ(accuracy(loaded, train), accuracy(train_knn(Comparison{}, train), train));
  EXPECT_EQ(dim(loaded), 3);
}

/// Predictions of a file that an earlier version wrote, for three fixed matrices.
struct Golden {
  const char* file;
  std::vector<int> codes;
  std::vector<double> scores;  ///< row by row, one column per class
};

TEST_F(ModelFile, FilesOfTheFirstVersionGiveTheRecordedPredictions) {
  const std::vector<double> values{2, 1, 0, 1, 3, 1, 0, 1, 4, 5, -1, 0, -1, 1, 0, 0, 0, 2, 1, 0, 0, 0, 8, 2, 0, 2, 1};
  const SpdBatch test(values, 3, 3);
  const Golden goldens[] = {
      {DSK_GOLDEN_KNN, {0, 2, 1}, {2. / 3, 0, 1. / 3, 1. / 3, 0, 2. / 3, 1. / 3, 2. / 3, 0}},
      {DSK_GOLDEN_SVM,
       {2, 2, 0},
       {0.241870074115721, 0.207910494181381, 0.550219431702898, 0.111336757842649, 0.175546029623052,
        0.713117212534299, 0.260103988398186, 0.266021448351913, 0.473874563249901}},
      {DSK_GOLDEN_NYSTROM_KNN, {0, 2, 1}, {2. / 3, 0, 1. / 3, 1. / 3, 0, 2. / 3, 0, 1, 0}}};
  for (const Golden& golden : goldens) {
    EXPECT_LE(std::filesystem::file_size(golden.file), 20000u) << golden.file;
    const Prediction found = predict(load_model(golden.file).model, test);
    EXPECT_EQ(found.labels.names(), (std::vector<std::string>{"W\u00e4lder", "brick", "sand"})) << golden.file;
    EXPECT_EQ(found.labels.codes(), golden.codes) << golden.file;
    ASSERT_EQ(static_cast<std::size_t>(found.scores.size()), golden.scores.size()) << golden.file;
    for (std::size_t k = 0; k < golden.scores.size(); ++k)
      EXPECT_NEAR(found.scores.data()[k], golden.scores[k], 1e-10) << golden.file << ", score " << k;
  }
}

TEST_F(ModelFile, FilesOfTheFirstVersionKeepTheirSettings) {
  const auto knn = std::get<KnnClassifier>(load_model(DSK_GOLDEN_KNN).model);
  EXPECT_EQ(knn.neighbours(), 3);
  EXPECT_EQ(knn.training_set().size(), 12);
  ASSERT_TRUE(knn.comparison().learned);
  EXPECT_EQ(knn.comparison().learned->adjustment().alpha, Eigen::Vector3d(1.1, 0.9, 1.0 / 3));
  EXPECT_EQ(knn.comparison().learned->adjustment().beta, Eigen::Vector3d(0.1, -0.2, 0.3));
  EXPECT_EQ(knn.comparison().learned->adjustment().centre, Eigen::Vector3d(0.5, 0.1, -0.7));
  EXPECT_EQ(knn.comparison().learned->theta(), 1.5);

  const auto svm = std::get<SvmClassifier>(load_model(DSK_GOLDEN_SVM).model);
  EXPECT_EQ(svm.comparison().metric, Metric::powereuclidean);
  EXPECT_EQ(svm.comparison().zeta, 0.3);
  EXPECT_EQ(svm.theta(), 1);
  EXPECT_EQ(svm.training().c, 1);
  EXPECT_TRUE(svm.has_probabilities());
  EXPECT_EQ(detail::parts_of(svm).sigmoids.size(), 3u);

  const auto nystrom = std::get<NystromKnn>(load_model(DSK_GOLDEN_NYSTROM_KNN).model);
  EXPECT_EQ(nystrom.neighbours(), 3);
  EXPECT_EQ(nystrom.map().theta(), 2.5);
  EXPECT_EQ(nystrom.map().size(), 4);
  EXPECT_EQ(nystrom.labels().size(), 12);
}

TEST_F(ModelFile, FilesOfTheFirstVersionPredictLikeNewModels) {
  const SpdBatch test = small(1).matrices();
  for (const auto& [file, example] : {std::pair(DSK_GOLDEN_KNN, small_knn()),
                                      {DSK_GOLDEN_SVM, small_svm()},
                                      {DSK_GOLDEN_NYSTROM_KNN, small_nystrom_knn()}}) {
    const SavedModel loaded = load_model(file);
    EXPECT_EQ(kind(loaded.model), kind(example.model));
    EXPECT_EQ(loaded.origin, example.origin);
    const Prediction found = predict(loaded.model, test), expected = predict(example.model, test);
    EXPECT_EQ(found.labels.codes(), expected.labels.codes());
    EXPECT_LT((found.scores - expected.scores).cwiseAbs().maxCoeff(), 1e-4) << "not to the bit: SIMD targets differ";
  }
}

TEST_F(ModelFile, RejectsFilesOfAnotherKind) {
  save(example_kernel(), *this / "k.dsk");
  EXPECT_EQ(says(*this / "k.dsk"), ": contains a kernel, not a classifier; use it to train a classifier");
  save(small_knn(), *this / "m.dsk");
  EXPECT_EQ(complaint(*this / "m.dsk"), ": contains a model of kind 'knn', not a kernel");
  save(small_svm(), *this / "m.dsk");
  EXPECT_EQ(complaint(*this / "m.dsk"), ": contains a model of kind 'svm', not a kernel");
  EXPECT_SAYS(says_of_field(small_knn(), "/kind", "forest"),
              "contains a model of kind 'forest'; supported are knn, svm, nystrom-knn, mdm, mean, logistic, "
              "tangent-svm, and pipeline");
  EXPECT_SAYS(says_of_field(small_knn(), "/version", 6), "was written by a newer dsk: its format version is 6");
}

TEST_F(ModelFile, FlippedBitsAreDetectedOrHarmless) {
  const SpdBatch test = small(1).matrices();
  for (const SavedModel& saved : {small_knn(), small_svm(), small_nystrom_knn()}) {
    save(saved, *this / "good.dsk");
    const std::string good = get("good.dsk");
    const Matrix expected = predict(saved.model, test).scores;
    for (std::size_t i = 0; i < good.size(); i += 3) {
      std::string broken = good;
      broken[i] = static_cast<char>(static_cast<unsigned char>(broken[i]) ^ (1u << (i % 8)));
      try {
        ASSERT_EQ(predict(load_model(put("broken.dsk", broken)).model, test).scores, expected) << "byte " << i;
      } catch (const InvalidInput& error) {
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST_F(ModelFile, TruncationIsDetected) {
  for (const SavedModel& saved : {small_knn(), small_svm(), small_nystrom_knn()}) {
    save(saved, *this / "good.dsk");
    const std::string good = get("good.dsk");
    for (std::size_t length = 0; length < good.size(); length += 7)
      ASSERT_NE(says(put("broken.dsk", good.substr(0, length))), "");
  }
}

TEST_F(ModelFile, EachMissingFieldOrArrayIsNamed) {
  for (const SavedModel& saved : {small_knn(), small_svm(), small_nystrom_knn()}) {
    save(saved, *this / "good.dsk");
    Members members = members_of(*this / "good.dsk");
    const auto whole = nlohmann::json::parse(members.extract("meta.json").mapped());
    for (const auto& [field, value] : whole.items())
      EXPECT_SAYS(says_of(saved, [&, key = field](Members&, nlohmann::json& meta) { meta.erase(key); }),
                  field + " is missing");
    for (const auto& [array, bytes] : members)
      EXPECT_SAYS(says_of(saved, [&, key = array](Members& all, nlohmann::json&) { all.erase(key); }),
                  "no member '" + array + "'");
  }
}

TEST_F(ModelFile, InvalidValuesAreRejected) {
  const SavedModel knn = small_knn(), svm = small_svm();
  EXPECT_SAYS(says_of_field(knn, "/neighbours", 0), "neighbours 0 must be 1 or more");
  EXPECT_SAYS(says_of_field(knn, "/metric", "taxi\ncab"), "unknown metric 'taxi?cab'");
  EXPECT_SAYS(says_of_field(knn, "/metric", "airm"), "the learned kernel compares by stein, not by airm");
  EXPECT_SAYS(says_of_field(knn, "/classes", {"b", "a", "c"}), "class names 0 and 1 are not in ascending order");
  EXPECT_SAYS(says_of_field(knn, "/classes", {"a", "b"}), "class code 2, but there are 2 classes");
  EXPECT_SAYS(says_of_field(knn, "/integral", true), "is not an integer");
  EXPECT_SAYS(says_of_field(knn, "/integral", 1), "integral is not true or false");
  EXPECT_SAYS(says_of_field(knn, "/samples", 11), "codes.npy: has shape (12,), not (11,)");
  EXPECT_SAYS(says_of_field(knn, "/dim", 4), "X.npy: has shape (12, 3, 3), not (12, 4, 4)");
  EXPECT_SAYS(says_of_field(knn, "/kernel/theta", -1), "theta -1 must be");
  EXPECT_SAYS(says_of_field(svm, "/zeta", 0), "zeta 0");
  EXPECT_SAYS(says_of_field(svm, "/theta", 0), "theta 0 must be");
  EXPECT_SAYS(says_of_field(svm, "/margin", "wide"), "margin 'wide' is unknown");

  const auto with = [&](const SavedModel& saved, const std::string& array, const std::string& bytes) {
    return says_of(saved, [&](Members& members, auto&) { members[array + ".npy"] = bytes; });
  };
  const auto codes_with = [](double bad) {
    std::vector<double> codes(12, 0);
    codes[7] = bad;
    return npy("<f8", "(12,)", bytes_of(codes));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, 0.5, 1e300, nan}) EXPECT_SAYS(with(knn, "codes", codes_with(bad)), "codes 7 is");
  EXPECT_SAYS(with(knn, "codes", codes_with(3)), "label 7 has class code 3, but there are 3 classes");
  EXPECT_SAYS(with(knn, "X", npy("<f8", "(12, 3, 3)", bytes_of(std::vector<double>(108, 1)))), "matrix 0");
  EXPECT_SAYS(with(svm, "offsets", npy("<f8", "(3,)", bytes_of(std::vector<double>{0, nan, 0}))), "not a finite");
  EXPECT_SAYS(with(svm, "sigmoids", npy("<f8", "(3, 2)", bytes_of(std::vector<double>{0, nan, 0, 0, 0, 0}))),
              "a sigmoid parameter is not a finite number");
}

TEST_F(ModelFile, InvalidNystromValuesAreRejected) {
  const SavedModel knn = small_nystrom_knn();
  EXPECT_SAYS(says_of_field(knn, "/theta", 0.7), "theta 0.7 is not valid");
  EXPECT_SAYS(says_of_field(knn, "/neighbours", 0), "neighbours 0 must be 1 or more");
  EXPECT_SAYS(says_of_field(knn, "/samples", 3), "codes.npy: has shape (4,), not (3,)");
  EXPECT_SAYS(says_of_field(knn, "/trained", 11), "feature_codes.npy: has shape (12,), not (11,)");
  EXPECT_SAYS(says_of_field(knn, "/origin/approximation/seed", "-1"), "seed '-1' is not an integer from 0");
  EXPECT_SAYS(says_of_field(knn, "/origin/approximation/landmarks", -1), "landmarks is not a non-negative integer");
  const auto with = [&](const std::string& array, const std::string& shape, const std::vector<double>& values) {
    return says_of(knn,
                   [&](Members& members, auto&) { members[array + ".npy"] = npy("<f8", shape, bytes_of(values)); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_SAYS(with("factor", "(4, 4)", std::vector<double>(16, 0)), "positive diagonal");
  EXPECT_SAYS(with("factor", "(3, 4)", std::vector<double>(12, 1)), "factor.npy: has shape (3, 4), not (4, 4)");
  EXPECT_SAYS(with("features", "(12, 4)", std::vector<double>(48, nan)), "not a finite number");
  EXPECT_SAYS(with("feature_codes", "(12,)", std::vector<double>(12, 3)), "class code 3, but there are 3 classes");
  EXPECT_SAYS(with("feature_codes", "(12,)", std::vector<double>(12, 0.5)), "feature_codes 0 is 0.5, not a class");
}

TEST_F(ModelFile, PredictionRejectsMatricesOfAnotherSize) {
  save(small_knn(), *this / "m.dsk");
  const Model loaded = load_model(*this / "m.dsk").model;
  try {
    predict(loaded, random_spd({.dim = 5}));
    ADD_FAILURE();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "the model is for 3 x 3 matrices, not for 5 x 5");
  }
}

TEST_F(ModelFile, ManyClassesAreStoredBySupport) {
  const Dataset data = wishart_classes({.classes = 60, .per_class = 2, .dim = 3, .degrees = 30, .tau = 0.5});
  // With the second theta the kernel matrix is indefinite.
  for (const double theta : {2.0, 0.05}) {
    const SvmClassifier model = train_svm(Comparison{}, data, {.theta = theta, .c = 10, .allow_indefinite = true});
    save(Model(model), *this / "m.dsk");
    EXPECT_LT(std::filesystem::file_size(*this / "m.dsk"), 600000u) << "a whole matrix would take 1.7 MB";
    const Model loaded = load_model(*this / "m.dsk").model;
    const Prediction expected = predict(model, data.matrices()), found = predict(loaded, data.matrices());
    EXPECT_EQ(found.labels.codes(), expected.labels.codes()) << theta;
    EXPECT_EQ(found.scores, expected.scores) << theta;
  }
}

}  // namespace
}  // namespace dsk::test
