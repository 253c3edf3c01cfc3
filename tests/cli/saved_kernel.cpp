#include <dsk/files.hpp>

#include <cli/program.hpp>
#include <nlohmann/json.hpp>

namespace dsk::test {
namespace {

/// As Program, with a learned kernel for matrices of that size in k.dsk.
class SavedKernelProgram : public Program {
 protected:
  SavedKernelProgram() { save(SavedKernel{kernel}, *this / "k.dsk"); }

  /// The bytes of a result, written as the program writes it.
  std::string file_of(const Matrix& matrix) const {
    save(matrix, *this / "expected.npy");
    return get("expected.npy");
  }

  static LearnedKernel make_kernel() {
    EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(2);
    adjustment.alpha << 1.2, 0.7;
    return {adjustment, 0.75};
  }

  const LearnedKernel kernel = make_kernel();
};

TEST_F(SavedKernelProgram, KernelValuesAreTheLibrarys) {
  const SpdBatch x = load(*this / "x.npz").matrices();
  const Outcome outcome = run("kernel x.npz --kernel k.dsk -o K.npy --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(get("K.npy"), file_of(kernel_matrix(kernel, x)));
  const auto facts = nlohmann::json::parse(get("facts.json"));
  EXPECT_EQ(facts["learned"], "k.dsk");
  EXPECT_EQ(facts["adjustment"], "power");
  EXPECT_EQ(facts["theta"], 0.75);
  EXPECT_EQ(run("kernel x.npz x.npz --kernel k.dsk -o K.npy").status, 0);
  EXPECT_EQ(get("K.npy"), file_of(kernel_matrix(kernel, x, x)));
}

TEST_F(SavedKernelProgram, DistancesAreRootsOfTheDivergences) {
  const SpdBatch x = load(*this / "x.npz").matrices();
  ASSERT_EQ(run("distance x.npz --kernel k.dsk --squared -o S.npy").status, 0);
  EXPECT_EQ(get("S.npy"), file_of(pairwise_divergences(kernel, x)));
  ASSERT_EQ(run("distance x.npz x.npz --kernel k.dsk -o D.npy").status, 0);
  EXPECT_EQ(get("D.npy"), file_of(pairwise_divergences(kernel, x, x).cwiseSqrt()));
}

TEST_F(SavedKernelProgram, LeavesNothingElseToChoose) {
  for (const std::string option : {"--theta 1", "--metric stein", "--zeta 0.5", "--allow-indefinite"})
    EXPECT_SAYS(refusal("kernel x.npz --kernel k.dsk -o K.npy " + option), option.substr(0, option.find(' ')));
  EXPECT_SAYS(refusal("distance x.npz --kernel k.dsk -o D.npy --metric airm"), "--metric");
  EXPECT_SAYS(refusal("kernel x.npz -o K.npy"), "--theta or --kernel is required");
  EXPECT_FALSE(std::filesystem::exists(*this / "K.npy"));
}

TEST_F(SavedKernelProgram, BadKernelFiles) {
  EXPECT_SAYS(refusal("kernel x.npz --kernel none.dsk -o K.npy"), "none.dsk: cannot be opened");
  EXPECT_SAYS(refusal("kernel x.npz --kernel '' -o K.npy"), "--kernel: must not be empty");
  EXPECT_SAYS(refusal("distance x.npz --kernel '' -o D.npy"), "--kernel: must not be empty");
  EXPECT_SAYS(refusal("distance x.npz --kernel x.npz -o D.npy"), "x.npz: is not a .dsk file");
  std::filesystem::copy_file(*this / "k.dsk", *this / "k.npy");
  EXPECT_SAYS(refusal("kernel x.npz --kernel k.npy -o k.npy"), "is an input");
}

TEST_F(SavedKernelProgram, MatricesOfAnotherSize) {
  save(SavedKernel{LearnedKernel::plain(3, 1)}, *this / "three.dsk");
  save(Dataset(random_spd({.count = 2, .dim = 3})), *this / "three.npy");
  const std::string complaint = "holds matrices of size 2, but the kernel is for size 3";
  EXPECT_SAYS(refusal("kernel x.npz --kernel three.dsk -o K.npy"), "x.npz: " + complaint);
  EXPECT_SAYS(refusal("distance three.npy x.npz --kernel three.dsk -o D.npy"), "x.npz: " + complaint);
}

TEST_F(SavedKernelProgram, HelpTellsOfIt) {
  EXPECT_SAYS(run("kernel --help").out, "dsk kernel test.npz train.npz --kernel k.dsk -o K.npy");
  EXPECT_SAYS(run("distance --help").out, "dsk distance train.npz --kernel k.dsk");
}

}  // namespace
}  // namespace dsk::test
