#include <dsk/matrices.hpp>

#include <support/python.hpp>

#include <cmath>
#include <limits>

#include "files/kernel_file.hpp"

namespace dsk::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_F(KernelFile, RoundTripIsExact) {
  for (const Adjustment kind : {Adjustment::power, Adjustment::coefficient, Adjustment::affine}) {
    const SavedKernel before = example_kernel(kind);
    save(before, *this / "k.dsk");
    EXPECT_TRUE(same_bits(load_kernel(*this / "k.dsk"), before)) << name(kind);
  }
}

TEST_F(KernelFile, RoundTripOfExtremeNumbers) {
  for (const double value : {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0, 1e23, 0.1 + 0.2,
                             std::nextafter(1.0, 2.0), 9007199254740993.0}) {
    SavedKernel before = example_kernel();
    EigenvalueAdjustment adjustment = before.kernel.adjustment();
    adjustment.scale = value;
    before.kernel = LearnedKernel(adjustment, value);
    before.origin.value = -value;
    save(before, *this / "k.dsk");
    EXPECT_TRUE(same_bits(load_kernel(*this / "k.dsk"), before)) << value;
  }
}

TEST_F(KernelFile, RoundTripOfInfinitiesAndNegativeZeroInTheOrigin) {
  SavedKernel before = example_kernel();
  before.origin.penalty = infinity;
  before.origin.value = -infinity;
  before.origin.c = -0.0;
  before.origin.history = {-infinity, -0.0, 1};
  save(before, *this / "k.dsk");
  EXPECT_TRUE(same_bits(load_kernel(*this / "k.dsk"), before));
}

TEST_F(KernelFile, TheOriginIsOptional) {
  const SavedKernel before{LearnedKernel::plain(1, 0.5)};
  save(before, *this / "k.dsk");
  EXPECT_TRUE(same_bits(load_kernel(*this / "k.dsk"), before));
  EXPECT_EQ(get("k.dsk").find("00000000"), std::string::npos) << "the checksum of an empty array covers its header";
}

TEST_F(KernelFile, LoadedKernelGivesTheSameMatrix) {
  const SpdBatch x = random_spd({.count = 5, .dim = 4});
  EigenvalueAdjustment adjustment = EigenvalueAdjustment::none(4);
  adjustment.alpha << 1.1, 0.9, 1.3, 0.7;
  const LearnedKernel kernel(adjustment, 1.5);
  save(SavedKernel{kernel}, *this / "k.dsk");
  EXPECT_EQ(kernel_matrix(load_kernel(*this / "k.dsk").kernel, x), kernel_matrix(kernel, x));
}

TEST_F(KernelFile, SameKernelGivesTheSameBytes) {
  EXPECT_EQ(good_file(), good_file());
}

TEST_F(KernelFile, CompressedArchivesAreRead) {
  good_file();
  const Members members = members_of(*this / "good.dsk");
  make_zip(*this / "tight.dsk", {members.begin(), members.end()}, true);
  EXPECT_TRUE(same_bits(load_kernel(*this / "tight.dsk"), example_kernel()));
}

TEST_F(KernelFile, UnknownFieldsAndArraysAreIgnored) {
  const auto file = edited([](Members& members, nlohmann::json& meta) {
    meta["colour"] = "blue";
    members["colour.npy"] = "blue";
  });
  EXPECT_TRUE(same_bits(load_kernel(file), example_kernel()));
}

TEST_F(KernelFile, FilesOfTheFirstVersionAreReadExactly) {
  EXPECT_LE(std::filesystem::file_size(DSK_GOLDEN), 20000u);
  EXPECT_TRUE(same_bits(load_kernel(DSK_GOLDEN), example_kernel()));
}

TEST_F(KernelFile, NumPyReadsIt) {
  std::string interpreter;
  for (const std::string candidate : {DSK_PYTHON, "python3"})
    if (interpreter.empty() && run_python(candidate, "import numpy") == 0) interpreter = candidate;
  if (interpreter.empty()) GTEST_SKIP() << "no Python with NumPy";
  good_file();
  const std::string program = R"(
import json, sys, zipfile, numpy
arrays = numpy.load(sys.argv[1])
assert arrays["alpha"].tolist() == [0.1, 1 / 3, 1e300]
assert arrays["beta"].tolist() == [-0.0, 5e-324, -0.7]
assert arrays["centre"].tolist() == [1e-5, 2 / 3, -123456.789]
assert arrays["history"].shape == (3,)
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
meta = json.loads(archive.read("meta.json"))
assert meta["theta"] == 1.7 and meta["scale"] == 0.1 + 0.2 and meta["adjustment"] == "affine" and meta["dim"] == 3
assert meta["origin"]["classes"][0] == "brick"
)";
  EXPECT_EQ(run_python(interpreter, program, (*this / "good.dsk").string()), 0);
}

}  // namespace
}  // namespace dsk::test
