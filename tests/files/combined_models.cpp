#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/model.hpp>

#include "classify/classify.hpp"
#include "files/kernel_file.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

class CombinedFile : public KernelFile {
 protected:
  std::string says_of_field(const SavedModel& saved, const char* field, const nlohmann::json& value) const {
    save(saved, *this / "m.dsk");
    const auto edited = edited_copy(
        *this / "m.dsk", [&](Members&, nlohmann::json& meta) { meta[nlohmann::json::json_pointer(field)] = value; });
    return complaint_of([](const auto& path) { return load_model(path); }, edited);
  }
};

Dataset combined_classes(std::uint64_t seed = 0) {
  return made_classes({.sizes = {5, 4, 3}, .seed = seed});
}

SavedModel small_combined() {
  const Transform two(Projection{Matrix::Identity(3, 2)});
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(3, Adjustment::affine);
  adjustment.alpha << 1.1, 0.9, 1.0 / 3;
  const CombinedKernel kernel(
      {{{}, {{1, 0.25, 0.5, "SK, theta 1 / median"}, {2, 0, 1, "W\u00e4lder"}}},
       {{.metric = Metric::powereuclidean, .zeta = 0.3}, {{0.7, 0.5, 0.1 + 0.2, ""}}},
       {comparison_by({two, EigenvalueAdjustment::none(2), 1, Metric::logeuclidean}), {{3, 0.25, 0.9, "c"}}},
       {comparison_by({adjustment, 1.5}), {{0.2, 1e-3, 0.8, "d"}}}});
  return {train_svm(kernel, combined_classes(), {.probabilities = true, .allow_indefinite = true})};
}

TEST_F(CombinedFile, ACombinedKernelIsRestored) {
  const SpdBatch test = combined_classes(1).matrices();
  save(small_combined(), *this / "m.dsk");
  const SavedModel before = small_combined(), after = load_model(*this / "m.dsk");
  const auto& machine = std::get<SvmClassifier>(after.model);
  EXPECT_EQ(decision_values(machine, test), decision_values(std::get<SvmClassifier>(before.model), test));
  EXPECT_TRUE(same_bits(predict(after.model, test).scores.reshaped(), predict(before.model, test).scores.reshaped()));
  ASSERT_EQ(machine.combined()->parts().size(), 4u);
  EXPECT_EQ(machine.combined()->parts()[0].widths[1].name, "W\u00e4lder");
  EXPECT_EQ(machine.combined()->parts()[1].comparison.zeta, 0.3);
  const std::string bytes = get("m.dsk");
  save(after, *this / "m.dsk");
  EXPECT_EQ(get("m.dsk"), bytes);
}

TEST_F(CombinedFile, ABrokenCombinedKernelIsRefused) {
  const auto says = [&](const char* field, const nlohmann::json& value) {
    return says_of_field(small_combined(), field, value);
  };
  EXPECT_SAYS(says("/combined", nlohmann::json::array()), "needs at least one kernel");
  EXPECT_SAYS(says("/combined", 3), "combined");
  EXPECT_SAYS(says("/combined/0/metric", "round"), "unknown metric 'round'");
  EXPECT_SAYS(says("/combined/0/names", {"one"}), "has shape (2, 3), not (1, 3)");
  EXPECT_SAYS(says("/combined/0/names", 1), "names");
  EXPECT_SAYS(says("/combined/0/names/0", "one\ntwo"), "has control characters");
  EXPECT_SAYS(says("/combined/1/zeta", 0), "zeta 0 must be finite and above 0");
  EXPECT_SAYS(says("/version", 3), "has a combined kernel, which format version 3 does not have");
  EXPECT_SAYS(says("/combined/2/metric", "stein"), "compares by logeuclidean, not by stein");
  EXPECT_SAYS(says("/combined/1/metric", "kullback"), "is not symmetric and gives no kernel");
}

}  // namespace
}  // namespace dsk::test
