#include <dsk/matrices.hpp>

#include "files/scratch.hpp"

namespace dsk::test {
namespace {

class RoundTrip : public Scratch, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string extension() const { return GetParam(); }
  bool keeps_labels() const { return extension() != ".npy"; }
  bool keeps_groups() const { return keeps_labels() && extension() != ".csv"; }

  void expect_same_after_saving(const Dataset& original) const {
    const auto path = *this / ("data" + extension());
    save(original, path);
    EXPECT_EQ(file_count(), 1u);
    const Dataset copy = load(path);
    ASSERT_EQ(copy.size(), original.size());
    ASSERT_EQ(copy.dim(), original.dim());
    EXPECT_TRUE(std::ranges::equal(copy.matrices().values(), original.matrices().values()));
    ASSERT_EQ(copy.has_labels(), original.has_labels() && keeps_labels());
    if (copy.has_labels()) expect_same(copy.labels(), original.labels());
    ASSERT_EQ(copy.has_groups(), original.has_groups() && keeps_groups());
    if (copy.has_groups()) expect_same(copy.groups(), original.groups());
  }

 private:
  static void expect_same(const Labels& copy, const Labels& original) {
    EXPECT_EQ(copy.integral(), original.integral());
    EXPECT_EQ(copy.names(), original.names());
    EXPECT_EQ(copy.codes(), original.codes());
  }
};

SpdBatch some_matrices(Index count, Index dim) {
  return random_spd({.count = count, .dim = dim, .condition = 50, .scale = 3, .seed = 7});
}

TEST_P(RoundTrip, Unlabelled) {
  expect_same_after_saving(Dataset(some_matrices(7, 4)));
}

TEST_P(RoundTrip, OneMatrix) {
  expect_same_after_saving(Dataset(some_matrices(1, 3)));
}

TEST_P(RoundTrip, OneByOne) {
  expect_same_after_saving(Dataset(some_matrices(5, 1), Labels(std::vector<long long>{1, 2, 1, 2, 1})));
  expect_same_after_saving(Dataset(some_matrices(1, 1)));
}

TEST_P(RoundTrip, AsManyMatricesAsRows) {
  expect_same_after_saving(Dataset(some_matrices(4, 4)));
}

TEST_P(RoundTrip, IntegerLabelsAndGroups) {
  expect_same_after_saving(Dataset(some_matrices(4, 3), Labels(std::vector<long long>{10, 9, -3, 10}),
                                   Labels(std::vector<long long>{1, 1, 2, 2})));
}

TEST_P(RoundTrip, TextLabelsAndGroups) {
  expect_same_after_saving(Dataset(some_matrices(5, 2),
                                   Labels(std::vector<std::string>{"brick", "wood, dark", "# \"oak\"", "17", "été 🌲"}),
                                   Labels(std::vector<std::string>{"a", "bb", "a", "bb", "ccc"})));
}

TEST_P(RoundTrip, ReplacesAnExistingFile) {
  put("data" + extension(), "something old");
  expect_same_after_saving(Dataset(some_matrices(2, 2)));
}

TEST_P(RoundTrip, UpperCaseExtension) {
  save(Dataset(some_matrices(2, 2)), *this / "data.NPZ");
  EXPECT_EQ(load(*this / "data.NPZ").size(), 2);
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, ::testing::Values(".npy", ".npz", ".mat", ".csv"),
                         [](const auto& test) { return std::string(test.param + 1); });

using SaveMatrix = Scratch;

TEST_F(SaveMatrix, CsvIsExact) {
  Matrix matrix(2, 3);
  matrix << 0.1, 1.0 / 3, 5e-324, 1e308, -2, 12345678.9;
  save(matrix, *this / "m.csv");
  EXPECT_EQ(get("m.csv"), "0.1,0.3333333333333333,5e-324\n1e+308,-2,12345678.9\n");
}

TEST_F(SaveMatrix, NpyHasTheHeaderOfNumPy) {
  save(Matrix::Ones(3, 1), *this / "m.npy");
  const std::string bytes = get("m.npy");
  EXPECT_EQ(bytes.size(), 128u + 3 * 8);
  EXPECT_SAYS(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }");
}

TEST_F(SaveMatrix, UnknownExtensionsAreRejected) {
  EXPECT_THROW(save(Matrix::Ones(1, 1), *this / "m.txt"), InvalidInput);
  EXPECT_THROW(check_output_name("m"), InvalidInput);
  EXPECT_EQ(file_count(), 0u);
}

}  // namespace
}  // namespace dsk::test
