#include <dsk/files.hpp>
#include <dsk/model.hpp>

#include <limits>
#include <random>

#include "classify/classify.hpp"
#include "files/kernel_file.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Dataset pipeline_data(std::uint64_t seed = 0) {
  const Dataset numbered = made_classes({.sizes = {5, 4, 3}, .seed = seed});
  return Dataset(numbered.matrices(), Labels({"W\u00e4lder", "brick", "sand"}, numbered.labels().codes(), false));
}

Projection narrow() {
  Projection projection{Matrix(3, 2)};
  projection.w << 1, 0.1, 0, 1.0 / 3, -0.7, 0.3;
  return projection;
}

EigenvalueAdjustment adjusted(Index size) {
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(size, Adjustment::affine);
  adjustment.alpha.setConstant(1.0 / 3);
  adjustment.beta.setConstant(0.1);
  adjustment.centre.setConstant(-0.7);
  adjustment.scale = 0.3;
  return adjustment;
}

Pipeline::Member member(const Transform& before, const SimpleModel& classifier, const SpdBatch& x) {
  return {before, classifier, score_scale(classifier, before.apply(x))};
}

/// All steps of transforms, a kernel with its own projection, and all classifiers with class scores.
Pipeline whole_pipeline(Recentring recentring = Recentring::groups) {
  const Dataset train = pipeline_data();
  const SpdBatch& x = train.matrices();
  const Transform three = Transform(adjusted(3)).then(Transform(narrow())).then(Transform(adjusted(2)));
  const LearnedKernel learned(Transform(narrow()), adjusted(2), 0.4);
  const Dataset small(three.apply(x), train.labels());
  return Pipeline({member(three, train_mean(Comparison{}, small, {.theta = 0.1 + 0.2}), x),
                   member({}, train_mean(learned, train), x),
                   member(three, train_mdm(small, {.metric = Metric::powereuclidean, .zeta = 0.3}), x),
                   member({}, train_logistic(train, {.c = 3}), x)},
                  recentring);
}

/// The pipeline of the golden file.
Pipeline golden_pipeline() {
  const Dataset train = pipeline_data();
  const Transform before(narrow());
  const Dataset small(before.apply(train.matrices()), train.labels());
  return Pipeline({member(before, train_mean(Comparison{}, small, {.theta = 0.25}), train.matrices()),
                   member({}, train_logistic(train), train.matrices())},
                  Recentring::none);
}

/// Of classifiers that vote.
Pipeline voting_pipeline() {
  const Dataset train = pipeline_data();
  const Dataset small(Transform(narrow()).apply(train.matrices()), train.labels());
  return Pipeline({{Transform(narrow()), train_knn(Comparison{}, small, {.neighbours = 3}), 0.7},
                   {Transform(), train_svm(Comparison{}, train, {.theta = 3}), 0.1 + 0.2},
                   {Transform(), train_tangent_svm(train), 2}});
}

std::vector<SavedModel> new_kinds() {
  const Dataset train = pipeline_data();
  const LearnedKernel learned(Transform(narrow()), adjusted(2), 0.4);
  return {{train_mdm(train)},
          {train_mean(learned, train, {.theta = 0.05}), {.samples = 12}},
          {train_logistic(train)},
          {train_tangent_svm(train, {.c = 2})},
          {train_knn(learned, train)},
          {Pipeline({{Transform(narrow()),
                      train_knn(Comparison{}, Dataset(Transform(narrow()).apply(train.matrices()), train.labels()))}},
                    Recentring::all)},
          {whole_pipeline(), {.repair = "clip", .samples = 12}},
          {voting_pipeline()}};
}

class PipelineFile : public KernelFile {
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
  std::string says_of_array(const SavedModel& saved, const std::string& array, const std::string& shape,
                            const std::vector<double>& values) const {
    return says_of(saved,
                   [&](Members& members, auto&) { members.at(array + ".npy") = npy("<f8", shape, bytes_of(values)); });
  }
};

TEST_F(PipelineFile, LoadedModelsGiveIdenticalPredictions) {
  const SpdBatch test = pipeline_data(1).matrices();
  const Labels groups(std::vector<long long>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
  for (const SavedModel& saved : new_kinds()) {
    save(saved, *this / "m.dsk");
    const SavedModel loaded = load_model(*this / "m.dsk");
    EXPECT_EQ(kind(loaded.model), kind(saved.model));
    EXPECT_EQ(loaded.origin, saved.origin);
    const Prediction before = predict(saved.model, test, &groups, {}), after = predict(loaded.model, test, &groups, {});
    EXPECT_EQ(after.labels.codes(), before.labels.codes()) << kind(saved.model);
    EXPECT_EQ(after.labels.names(), before.labels.names()) << kind(saved.model);
    EXPECT_TRUE(same_bits(after.scores.reshaped(), before.scores.reshaped())) << kind(saved.model);
    const std::string bytes = get("m.dsk");
    save(loaded, *this / "m.dsk");
    EXPECT_EQ(get("m.dsk"), bytes) << kind(saved.model);
  }
}

TEST_F(PipelineFile, HasTheOldestVersionThatReadsIt) {
  const auto version = [&](const SavedModel& saved) {
    save(saved, *this / "m.dsk");
    long long found = 0;
    edited_copy(*this / "m.dsk", [&](Members&, nlohmann::json& meta) { found = meta["version"]; });
    return found;
  };
  EXPECT_EQ(version({whole_pipeline()}), 1);
  EXPECT_EQ(version({voting_pipeline()}), 5);
  EXPECT_EQ(version({Pipeline({voting_pipeline().members()[2]})}), 1);
}

TEST_F(PipelineFile, KernelsKeepTheirProjections) {
  Projection turn{Matrix(2, 2)};
  turn.w << 0.6, 0.8, -0.8, 0.6;
  const LearnedKernel kernel(Transform(narrow()).then(Transform(turn)), adjusted(2), 0.4);
  save(SavedKernel{kernel}, *this / "k.dsk");
  const LearnedKernel loaded = load_kernel(*this / "k.dsk").kernel;
  const SpdBatch x = pipeline_data().matrices();
  EXPECT_EQ(loaded.dim(), 3);
  EXPECT_EQ(kernel_matrix(loaded, x), kernel_matrix(kernel, x));
}

TEST_F(PipelineFile, SettingsAreKept) {
  save(whole_pipeline(Recentring::groups), *this / "m.dsk");
  const auto loaded = std::get<Pipeline>(load_model(*this / "m.dsk").model);
  EXPECT_EQ(loaded.recentring(), Recentring::groups);
  ASSERT_EQ(loaded.members().size(), 4u);
  EXPECT_EQ(loaded.members()[0].before.steps().size(), 3u);
  EXPECT_EQ(std::get<MeanClassifier>(loaded.members()[0].classifier).theta(), 0.1 + 0.2);
  EXPECT_EQ(std::get<MdmClassifier>(loaded.members()[2].classifier).comparison().zeta, 0.3);
  EXPECT_EQ(detail::parts_of(std::get<TangentClassifier>(loaded.members()[3].classifier)).c, 3);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_TRUE(same_bits(loaded.members()[k].scale, whole_pipeline().members()[k].scale));
}

TEST_F(PipelineFile, FilesOfTheFirstVersionGiveTheRecordedPredictions) {
  EXPECT_LE(std::filesystem::file_size(DSK_GOLDEN_PIPELINE), 20000u);
  const std::vector<double> values{2, 1, 0, 1, 3, 1, 0, 1, 4, 5, -1, 0, -1, 1, 0, 0, 0, 2, 1, 0, 0, 0, 8, 2, 0, 2, 1};
  const SpdBatch test(values, 3, 3);
  const Prediction found = predict(load_model(DSK_GOLDEN_PIPELINE).model, test);
  const Prediction expected = predict(golden_pipeline(), test);
  EXPECT_EQ(found.labels.codes(), expected.labels.codes());
  EXPECT_LT((found.scores - expected.scores).cwiseAbs().maxCoeff(), 1e-5) << "not to the bit: SIMD targets differ";
  const std::vector<double> recorded{0.423994207604767, 0.00997400719019424,  0.566031785205039,
                                     0.356591770245517, 0.000778756216967581, 0.642629473537515,
                                     0.100365049336425, 0.836118091909713,    0.0635168587538624};
  for (std::size_t k = 0; k < recorded.size(); ++k) EXPECT_NEAR(found.scores.data()[k], recorded[k], 1e-10) << k;
}

TEST_F(PipelineFile, FlippedBitsAreDetectedOrHarmless) {
  const SpdBatch test = pipeline_data(1).matrices();
  for (const SavedModel& saved : new_kinds()) {
    save(saved, *this / "good.dsk");
    const std::string good = get("good.dsk");
    const Matrix expected = predict(saved.model, test).scores;
    for (std::size_t i = 0; i < good.size(); i += 11) {
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

TEST_F(PipelineFile, TruncationIsDetected) {
  for (const SavedModel& saved : new_kinds()) {
    save(saved, *this / "good.dsk");
    const std::string good = get("good.dsk");
    for (std::size_t length = 0; length < good.size(); length += 31)
      ASSERT_NE(says(put("broken.dsk", good.substr(0, length))), "");
  }
}

TEST_F(PipelineFile, EachMissingFieldOrArrayIsNamed) {
  for (const SavedModel& saved : new_kinds()) {
    save(saved, *this / "good.dsk");
    Members members = members_of(*this / "good.dsk");
    const auto whole = nlohmann::json::parse(members.extract("meta.json").mapped());
    for (const auto& [field, value] : whole.items())
      EXPECT_SAYS(says_of(saved, [&, key = field](Members&, nlohmann::json& meta) { meta.erase(key); }),
                  field + " is missing");
    for (const auto& [array, bytes] : members)
      EXPECT_SAYS(says_of(saved, [&, key = array](Members& all, nlohmann::json&) { all.erase(key); }),
                  "no member '" + array + "'");
    if (!whole.contains("members")) continue;
    for (std::size_t k = 0; k < whole["members"].size(); ++k)
      for (const auto& [field, value] : whole["members"][k].items())
        EXPECT_SAYS(says_of(saved, [&, key = field](Members&, nlohmann::json& meta) { meta["members"][k].erase(key); }),
                    field + " is missing");
  }
}

/// Random values in the place of fields, with checksums that match: one line of complaint, or a model.
TEST_F(PipelineFile, ChangedFieldsGiveAModelOrOneLine) {
  std::mt19937_64 random(7);
  const std::vector<nlohmann::json> values{nullptr,
                                           -1,
                                           0,
                                           1,
                                           2,
                                           1000000000,
                                           1e300,
                                           "none",
                                           "groups",
                                           nlohmann::json::array(),
                                           nlohmann::json::object(),
                                           9223372036854775807LL};
  for (const SavedModel& saved : new_kinds()) {
    save(saved, *this / "m.dsk");
    Members members = members_of(*this / "m.dsk");
    const auto flat = nlohmann::json::parse(members.extract("meta.json").mapped()).flatten();
    for (const auto& [pointer, old] : flat.items()) {
      const nlohmann::json& value = values[random() % values.size()];
      const auto file = edited_copy(*this / "m.dsk", [&, key = pointer](Members&, nlohmann::json& meta) {
        meta[nlohmann::json::json_pointer(key)] = value;
      });
      try {
        load_model(file);
      } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST_F(PipelineFile, InvalidFieldsAreRejected) {
  const SavedModel saved{whole_pipeline()};
  EXPECT_SAYS(says_of_field(saved, "/recentring", "some"), "unknown recentring 'some'");
  EXPECT_SAYS(says_of_field(saved, "/members", nlohmann::json::array()), "a pipeline needs at least one classifier");
  EXPECT_SAYS(says_of_field(saved, "/members", 3), "members is not a list");
  EXPECT_SAYS(says_of_field(saved, "/members/0", 3), "members 0: is not a JSON object");
  EXPECT_SAYS(says_of_field(saved, "/members/0/kind", "pipeline"), "contains a model of kind 'pipeline'; supported");
  EXPECT_SAYS(says_of_field(saved, "/members/1/member_scale", 0), "the scale 0 of member 1");
  EXPECT_SAYS(says_of_field(saved, "/members/1/score_scale", -1), "the scale -1 of the scores");
  EXPECT_SAYS(says_of_field(saved, "/members/0/before/0/step", "turn"), "step 'turn' of a transform is unknown");
  EXPECT_SAYS(says_of_field(saved, "/members/0/before/0/dim", 1000000000),
              "member0_step0_alpha.npy: has shape (3,), not (1000000000,)");
  EXPECT_SAYS(says_of_field(saved, "/members/0/before/1/result_dim", 3),
              "member0_step1_w.npy: has shape (3, 2), not (3, 3)");
  EXPECT_SAYS(says_of_field(saved, "/members/1/kernel/before", nlohmann::json::array()), "size");
  EXPECT_SAYS(says_of_field(saved, "/members/3/present", 4000000000), "codes.npy: has shape (3,)");
  EXPECT_SAYS(says_of_field(saved, "/members/3/dim", 9223372036854775807LL), "reference.npy: has shape (3, 3)");
  EXPECT_SAYS(says_of_field(saved, "/members/3/c", 0), "C 0 must be finite and above 0");
}

TEST_F(PipelineFile, NumbersThatAreNotFiniteAreRejected) {
  const SavedModel saved{whole_pipeline()};
  const auto with_nan = [](std::size_t count) {
    std::vector<double> values(count, 1);
    values.back() = not_a_number;
    return values;
  };
  EXPECT_NE(says_of_array(saved, "member0_step1_w", "(3, 2)", with_nan(6)), "");
  EXPECT_NE(says_of_array(saved, "member0_step0_alpha", "(3,)", with_nan(3)), "");
  EXPECT_SAYS(says_of_array(saved, "member0_step1_w", "(3, 2)", std::vector<double>(6, 1)), "independent");
  EXPECT_NE(says_of_array(saved, "member1_kernel_step0_w", "(3, 2)", with_nan(6)), "");
  EXPECT_SAYS(says_of_array(saved, "member0_within", "(3,)", with_nan(3)), "a kernel mean is not a finite number");
  EXPECT_SAYS(says_of_array(saved, "member3_weights", "(6, 3)", with_nan(18)), "not a finite number");
  EXPECT_SAYS(says_of_array(saved, "member3_offsets", "(3,)", with_nan(3)), "not a finite number");
  EXPECT_NE(says_of_array(saved, "member3_reference", "(3, 3)", with_nan(9)), "");
  EXPECT_NE(says_of_array(saved, "member2_X", "(3, 2, 2)", with_nan(12)), "");
  EXPECT_SAYS(says_of_array(saved, "member2_codes", "(3,)", {0, 2, 1}), "ascending order");
  EXPECT_SAYS(says_of_array(saved, "member3_codes", "(3,)", {0, 1, 1}), "ascending order");
}

}  // namespace
}  // namespace dsk::test
