#include <matio.h>
#include <zlib.h>

#include "files/made_files.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

using MatFile = Scratch;
using Names = std::vector<std::string>;

const std::string y = mat_doubles({1, 2}, "y", {2, 1});

std::string mat_text(const std::string& name, const std::string& text) {
  return mat_matrix(4, {1, static_cast<std::int32_t>(text.size())}, name, mat_element(16, text));
}

std::string compressed(const std::string& matrix) {
  uLongf size = compressBound(matrix.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(matrix.data()),
           matrix.size());
  packed.resize(size);
  return word(15) + word(static_cast<std::uint32_t>(size)) + packed;
}

TEST_F(MatFile, BothOrdersOfAxesAreRead) {
  const std::vector<double> three{2, 1, 1, 2, 3, 1, 1, 5, 4, 1, 1, 4};
  const std::vector<double> three_first{2, 3, 4, 1, 1, 1, 1, 1, 1, 2, 5, 4};
  EXPECT_TRUE(
      std::ranges::equal(load(put("a.mat", mat_file(mat_doubles({2, 2, 3}, "X", three)))).matrices().values(), three));
  EXPECT_TRUE(std::ranges::equal(
      load(put("b.mat", mat_file(mat_doubles({3, 2, 2}, "X", three_first)))).matrices().values(), three));
  const Dataset cube = load(put("c.mat", mat_file(mat_doubles({2, 2, 2}, "X", two_matrices) + y)));
  EXPECT_TRUE(std::ranges::equal(cube.matrices().values(), two_matrices));
  EXPECT_EQ(cube.labels().codes(), (std::vector<int>{1, 0}));
  EXPECT_EQ(load(put("d.mat", mat_file(mat_doubles({2, 2}, "X", {2, 1, 1, 2})))).size(), 1);
}

TEST_F(MatFile, CompressedAndUnderAnotherName) {
  const Dataset data =
      load(put("a.mat", mat_file(compressed(y) + compressed(mat_doubles({2, 2, 2}, "C", two_matrices)) +
                                 mat_matrix(2, {1, 1}, "info", "a struct that is ignored"))));
  EXPECT_TRUE(std::ranges::equal(data.matrices().values(), two_matrices));
  EXPECT_TRUE(data.has_labels());
}

TEST_F(MatFile, TrainAndTestCellsAreRead) {
  const auto cells = [](const std::string& name, double scale) {
    return mat_matrix(1, {1, 2}, name,
                      mat_doubles({2, 2}, "", {2 * scale, 1, 1, 2}) + mat_doubles({2, 2}, "", {3, 1, 1, 5}));
  };
  const auto path =
      put("a.mat", mat_file(cells("train_data", 1) + cells("test_data", 7) +
                            mat_doubles({2, 1}, "train_label", {1, 2}) + mat_doubles({2, 1}, "test_label", {3, 3})));
  EXPECT_EQ(load(path).matrices()[0](0, 0), 2);
  EXPECT_EQ(load(path).labels().names(), (Names{"1", "2"}));
  const Dataset test = load(path, {.labels = {}, .repair = {}, .part = LoadOptions::Part::test});
  EXPECT_EQ(test.matrices()[0](0, 0), 14);
  EXPECT_EQ(test.labels().names(), (Names{"3"}));
}

TEST_F(MatFile, TextLabels) {
  const std::string x = mat_doubles({2, 2, 2}, "X", two_matrices);
  const std::string cell = mat_matrix(1, {2, 1}, "y", mat_text("", "wood") + mat_text("", "oak"));
  EXPECT_EQ(load(put("a.mat", mat_file(x + cell))).labels().names(), (Names{"oak", "wood"}));
  const std::string rows = mat_matrix(4, {2, 3}, "y", mat_element(16, "aobxk "));
  EXPECT_EQ(load(put("a.mat", mat_file(x + rows))).labels().names(), (Names{"abk", "ox"}));
}

TEST_F(MatFile, InvalidFilesAreRejected) {
  const auto says = [&](const std::string& variables) { return complaint(put("bad.mat", mat_file(variables))); };
  const std::string x = mat_doubles({2, 2, 2}, "X", two_matrices);
  EXPECT_SAYS(complaint(put("bad.mat", "")), "not a MAT-file");
  EXPECT_SAYS(complaint(put("bad.mat", std::string(500, 'x'))), "not a MAT-file");
  EXPECT_SAYS(says(""), "no variable X or train_data");
  EXPECT_SAYS(says(y), "no variable X");
  EXPECT_SAYS(says(x.substr(0, x.size() - 8)), "truncated");
  EXPECT_SAYS(says(x.substr(0, 20)), "truncated");
  EXPECT_SAYS(says(compressed(x).substr(0, 40)), "truncated");
  EXPECT_SAYS(says(mat_doubles({2, 3, 4}, "X", std::vector<double>(24))), "(2, 3, 4), not (d, d, n)");
  EXPECT_SAYS(says(mat_doubles({2, 4}, "X", two_matrices)), "not (d, d, n)");
  EXPECT_SAYS(says(mat_doubles({2, 2, 1000000000}, "X", two_matrices)), "contains 8 values");
  EXPECT_SAYS(says(mat_doubles({-2, -2, 2}, "X", two_matrices)), "negative size (-2)");
  EXPECT_SAYS(says(mat_doubles({0, 0, 2}, "X", {})), "no matrices");
  EXPECT_SAYS(says(mat_text("X", "text")), "real numbers");
  EXPECT_SAYS(says(mat_matrix(2, {1, 1}, "X", "")), "real numbers");
  EXPECT_SAYS(says(mat_matrix(1, {1, 2}, "X", mat_doubles({2, 2}, "", {2, 1, 1, 2}) + mat_doubles({1, 1}, "", {1}))),
              "cell 2 has size 1 x 1, but the first cell has size 2 x 2");
  EXPECT_SAYS(says(mat_matrix(1, {1, 1}, "X", mat_doubles({1, 2}, "", {2, 1}))), "not a square matrix");
  EXPECT_SAYS(says(mat_matrix(1, {40000, 40000}, "X", "")), "more than the file can hold");
  EXPECT_SAYS(says(mat_matrix(1, {0, 0}, "X", "")), "no matrices");
  EXPECT_SAYS(says(x + mat_doubles({1, 3}, "y", {1, 2, 3})), "3 labels for 2 matrices");
  EXPECT_SAYS(says(x + mat_doubles({1, 2}, "y", {1, 2.5})), "must be integers or text, but entry 1 is 2.5");
  EXPECT_SAYS(complaint(put("bad.mat", mat_file(x)), {.labels = {}, .repair = {}, .part = LoadOptions::Part::test}),
              "test_data");
}

/// As MATLAB's "save -v7.3" writes it.
void write_hdf5(const std::filesystem::path& path) {
  mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT73);
  std::size_t dims[3] = {2, 2, 2};
  std::vector<double> values = two_matrices;
  matvar_t* const variable = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values.data(), 0);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  Mat_Close(file);
}

TEST_F(MatFile, Version73) {
  if (!reads_matlab73()) GTEST_SKIP() << "built without HDF5";
  write_hdf5(*this / "a.mat");
  EXPECT_TRUE(std::ranges::equal(load(*this / "a.mat").matrices().values(), two_matrices));
}

TEST_F(MatFile, WithoutHdf5Version73IsRefused) {
  if (reads_matlab73()) GTEST_SKIP() << "built with HDF5";
  write_hdf5(*this / "a.mat");
  EXPECT_SAYS(complaint(*this / "a.mat"), "is a MAT-file of version 7.3, which this build of dsk cannot read");
}

TEST_F(MatFile, AWrongVersionInTheHeaderIsHandled) {
  std::string bytes = mat_file(mat_doubles({2, 2, 2}, "X", two_matrices));
  bytes.replace(0, 10, "MATLAB 7.3");
  EXPECT_EQ(load(put("a.mat", bytes)).size(), 2);
  bytes[125] = 2;
  EXPECT_SAYS(complaint(put("b.mat", bytes)), "not a complete MAT-file");
}

TEST_F(MatFile, TruncatedVersion73IsRejected) {
  write_hdf5(*this / "a.mat");
  const std::string whole = get("a.mat");
  for (const std::size_t length : {200u, 520u, 1000u, 2000u}) {
    complaint(put("b.mat", whole.substr(0, std::min(length, whole.size() - 100))));
  }
}

TEST_F(MatFile, IntegersAreNumbers) {
  const std::vector<std::int32_t> integers{2, 1, 1, 2, 3, 1, 1, 5};
  const std::string x = mat_matrix(12, {2, 2, 2}, "X", mat_element(5, bytes_of(integers)));
  EXPECT_TRUE(std::ranges::equal(load(put("a.mat", mat_file(x))).matrices().values(), two_matrices));
}

/// Three matrices with labels, written by other programs than MATLAB.
TEST_F(MatFile, FilesOfH5pyAndHdf5storageAreRead) {
  if (!reads_matlab73()) GTEST_SKIP() << "built without HDF5";
  const std::vector<double> three{2, 1, 1, 2, 3, 1, 1, 5, 4, 0, 0, 1};
  for (const auto& [file, names] : {std::pair<std::string, Names>{"h5py.mat", {"1", "2"}},
                                    {"h5py_text.mat", {"a", "b"}},
                                    {"hdf5storage.mat", {"a", "bc"}}}) {
    const Dataset data = load(std::filesystem::path(DSK_TEST_FILES) / file);
    EXPECT_TRUE(std::ranges::equal(data.matrices().values(), three)) << file;
    EXPECT_EQ(data.labels().names(), names) << file;
    EXPECT_EQ(data.labels().codes(), (std::vector<int>{0, 1, 0})) << file;
  }
  const Dataset unlabelled = load(std::filesystem::path(DSK_TEST_FILES) / "h5py_int.mat");
  EXPECT_TRUE(std::ranges::equal(unlabelled.matrices().values(), three));
  EXPECT_FALSE(unlabelled.has_labels());
}

TEST_F(MatFile, TruncatedHdf5IsRefused) {
  std::ifstream whole(std::filesystem::path(DSK_TEST_FILES) / "h5py.mat", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  for (const std::size_t size : {8u, 100u, 600u, 1000u, 1500u, 2000u})
    complaint(put("short.mat", bytes.substr(0, size)));
}

TEST_F(MatFile, MessagesNameTheLayout) {
  EXPECT_SAYS(complaint(put("a.mat", mat_file(y))),
              "it must have X (d, d, n) with labels y, or cell arrays train_data");
}

}  // namespace
}  // namespace dsk::test
