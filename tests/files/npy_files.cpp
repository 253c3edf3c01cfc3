#include <dsk/matrices.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>

#include "files/made_files.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

using NpyFile = Scratch;

std::vector<double> values_of(const std::filesystem::path& path) {
  const Dataset data = load(path);
  return {data.matrices().values().begin(), data.matrices().values().end()};
}

TEST_F(NpyFile, EveryFloatingTypeAndVersion) {
  const std::vector<float> singles(two_matrices.begin(), two_matrices.end());
  EXPECT_EQ(values_of(put("a.npy", two_matrices_npy())), two_matrices);
  EXPECT_EQ(values_of(put("b.npy", npy("<f4", "(2, 2, 2)", bytes_of(singles)))), two_matrices);
  EXPECT_EQ(values_of(put("c.npy", npy(">f8", "(2, 2, 2)", bytes_of(two_matrices, true)))), two_matrices);
  EXPECT_EQ(values_of(put("d.npy", npy(">f4", "(2, 2, 2)", bytes_of(singles, true)))), two_matrices);
  EXPECT_EQ(values_of(put("e.npy", npy("<f8", "(2,2,2)", bytes_of(two_matrices), false, 2))), two_matrices);
  EXPECT_EQ(values_of(put("f.npy", npy("<f8", "(2,2,2)", bytes_of(two_matrices), false, 3))), two_matrices);
}

TEST_F(NpyFile, SinglePrecisionMayBeAsymmetricUpToItsRounding) {
  const std::string data = bytes_of(std::vector<float>{2, 1, 1.000001f, 2});
  const Dataset single = load(put("a.npy", npy("<f4", "(1, 2, 2)", data)));
  EXPECT_EQ(single.matrices()[0](0, 1), single.matrices()[0](1, 0));
  const std::string wide = bytes_of(std::vector<double>{2, 1, 1.000001, 2});
  EXPECT_SAYS(complaint(put("b.npy", npy("<f8", "(1, 2, 2)", wide))), "matrix 0 is not symmetric");
}

TEST_F(NpyFile, ColumnMajor) {
  const std::vector<double> stored{2, 3, 1, 1, 1, 1, 2, 5};
  EXPECT_EQ(values_of(put("a.npy", npy("<f8", "(2, 2, 2)", bytes_of(stored), true))), two_matrices);
}

TEST_F(NpyFile, ComplexMatricesBecomeRealOnesOfTwiceTheSize) {
  // [[2, i], [-i, 3]] and, in column-major order, its transpose.
  const std::vector<double> rows{2, 0, 0, 1, 0, -1, 3, 0}, columns{2, 0, 0, -1, 0, 1, 3, 0};
  const std::vector<float> singles(rows.begin(), rows.end());
  const std::vector<double> expected{2, 0, 0, -1, 0, 2, 1, 0, 0, 1, 3, 0, -1, 0, 0, 3};
  for (const std::string& bytes :
       {npy("<c16", "(1, 2, 2)", bytes_of(rows)), npy(">c16", "(1, 2, 2)", bytes_of(rows, true)),
        npy("<c8", "(1, 2, 2)", bytes_of(singles)), npy("<c16", "(1, 2, 2)", bytes_of(columns), true)}) {
    const auto path = put("x.npy", bytes);
    bool is_complex = false;
    const Dataset data = load(path, {.on_complex = [&] { is_complex = true; }});
    EXPECT_TRUE(is_complex);
    EXPECT_EQ(std::vector<double>(data.matrices().values().begin(), data.matrices().values().end()), expected);
    EXPECT_SAYS(complaint(path), "holds complex matrices");
  }
}

TEST_F(NpyFile, ComplexMatricesMustBeHermitian) {
  const LoadOptions taking{.on_complex = [] {}};
  const auto path = put("x.npy", npy("<c16", "(1, 2, 2)", bytes_of(std::vector<double>{2, 0, 0, 1, 0, 1, 3, 0})));
  EXPECT_SAYS(complaint(path, taking), "matrix 0 is not Hermitian: entry (1, 0) is 0+1i, but entry (0, 1) is 0+1i");
  const auto indefinite =
      put("z.npy", npy("<c16", "(1, 2, 2)", bytes_of(std::vector<double>{1, 0, 0, 2, 0, -2, 1, 0})));
  EXPECT_SAYS(complaint(indefinite, taking), "matrix 0");
  const LoadOptions labelled{.labels = put("y.npy", npy("<c16", "(1,)", bytes_of(std::vector<double>{1, 0})))};
  EXPECT_SAYS(complaint(put("w.npy", npy("<f8", "(1, 1, 1)", bytes_of(std::vector<double>{1}))), labelled),
              "only matrices may be complex");
}

TEST_F(NpyFile, LabelsOfEveryType) {
  const LoadOptions with{.labels = *this / "y.npy", .repair = {}, .part = {}};
  const auto path = put("x.npy", two_matrices_npy());
  const auto names = [&](const std::string& descr, const std::string& data, const std::string& shape = "(2,)") {
    put("y.npy", npy(descr, shape, data));
    return load(path, with).labels().names();
  };
  const std::vector<std::string> numbers{"9", "10"};
  EXPECT_EQ(names("<i8", bytes_of(std::vector<std::int64_t>{10, 9})), numbers);
  EXPECT_EQ(names(">i4", bytes_of(std::vector<std::int32_t>{10, 9}, true)), numbers);
  EXPECT_EQ(names("|u1", "\x0a\x09"), numbers);
  EXPECT_EQ(names("<f8", bytes_of(std::vector<double>{10, 9}), "(2, 1)"), numbers);
}

TEST_F(NpyFile, TextLabels) {
  const auto path = put("x.npy", two_matrices_npy());
  const LoadOptions with{.labels = *this / "y.npy", .repair = {}, .part = {}};
  put("y.npy", npy("|S3", "(2,)", std::string("redab\0", 6)));
  EXPECT_EQ(load(path, with).labels().names(), (std::vector<std::string>{"ab", "red"}));
  put("y.npy", npy("<U2", "(2,)", bytes_of(std::vector<std::uint32_t>{0x1f332, 0, 0xe9, 0x62})));
  EXPECT_EQ(load(path, with).labels().names(), (std::vector<std::string>{"éb", "🌲"}));
  put("y.npy", npy("<U1", "(2,)", bytes_of(std::vector<std::uint32_t>{0xd800, 0x110000})));
  EXPECT_SAYS(complaint(path, with), "not valid Unicode");
}

TEST_F(NpyFile, InvalidLabelsAreRejected) {
  const auto path = put("x.npy", two_matrices_npy());
  const LoadOptions with{.labels = *this / "y.npy", .repair = {}, .part = {}};
  put("y.npy", npy("<i8", "(3,)", bytes_of(std::vector<std::int64_t>{1, 2, 3})));
  EXPECT_SAYS(complaint(path, with), "3 labels for 2 matrices");
  put("y.npy", npy("<f8", "(2,)", bytes_of(std::vector<double>{1, 0.5})));
  EXPECT_SAYS(complaint(path, with), "must be integers or text, but entry 1 is 0.5");
  put("y.npy", npy("<f8", "(2,)", bytes_of(std::vector<double>{1, std::nan("")})));
  EXPECT_SAYS(complaint(path, with), "must be integers or text, but entry 1 is nan");
  put("y.npy", npy("<i8", "(2, 2)", bytes_of(std::vector<std::int64_t>{1, 2, 3, 4})));
  EXPECT_SAYS(complaint(path, with), "shape (2, 2)");
  put("y.npy", npy("<u8", "(2,)", bytes_of(std::vector<std::uint64_t>{1, ~std::uint64_t{0}})));
  EXPECT_SAYS(complaint(path, with), "above 2^63");
  put("y.npy", npy("<i8", "(0,)", ""));
  EXPECT_SAYS(complaint(path, with), "empty");
  EXPECT_SAYS(complaint(path, {.labels = *this / "none.npy", .repair = {}, .part = {}}), "No such file");
  EXPECT_SAYS(complaint(path, {.labels = *this / "y.mat", .repair = {}, .part = {}}), ".npy or .csv");
}

struct BadNpy {
  const char* name;
  std::string bytes;
  std::string says;
};

class BadNpyFile : public Scratch, public ::testing::WithParamInterface<BadNpy> {};

TEST_P(BadNpyFile, IsRejected) {
  EXPECT_SAYS(complaint(put("bad.npy", GetParam().bytes)), GetParam().says);
}

const std::string eight = bytes_of(two_matrices);

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadNpyFile,
    ::testing::Values(
        BadNpy{"empty", "", "not a .npy array"}, BadNpy{"garbage", "hello world, this is text", "not a .npy array"},
        BadNpy{"truncated_data", two_matrices_npy().substr(0, two_matrices_npy().size() - 1), "truncated"},
        BadNpy{"truncated_header", two_matrices_npy().substr(0, 30), "invalid .npy header"},
        BadNpy{"trailing_data", two_matrices_npy() + "x", "extra data"},
        BadNpy{"claims_1e18", npy("<f8", "(1000000000000, 1000, 1000)", eight), "truncated"},
        BadNpy{"claims_overflow", npy("<f8", "(9000000000000000000, 3, 3)", eight), "exceeds any memory"},
        BadNpy{"claims_2_to_70", npy("<f8", "(1180591620717411303424, 1, 1)", eight), "exceeds any memory"},
        BadNpy{"negative", npy("<f8", "(2, -2, -2)", eight), "negative size (-2)"},
        BadNpy{"objects", npy("|O", "(2, 2, 2)", eight), "pickles"},
        BadNpy{"complex", npy("<c32", "(1, 2, 2)", eight), "'<c32'"},
        BadNpy{"half", npy("<f2", "(2, 2, 2)", eight.substr(0, 16)), "'<f2'"},
        BadNpy{"text", npy("|S8", "(2, 2, 2)", eight), "not numbers"},
        BadNpy{"records", npy_with_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,), }", eight),
               "records"},
        BadNpy{"two_dimensions", npy("<f8", "(2, 4)", eight), "shape (2, 4), not (n, d, d)"},
        BadNpy{"four_dimensions", npy("<f8", "(2, 2, 2, 1)", eight), "not (n, d, d)"},
        BadNpy{"not_square", npy("<f8", "(2, 4, 1)", eight), "not square"},
        BadNpy{"no_matrices", npy("<f8", "(0, 2, 2)", ""), "no matrices"},
        BadNpy{"no_rows", npy("<f8", "(2, 0, 0)", ""), "no matrices"},
        BadNpy{"future_version", npy("<f8", "(2, 2, 2)", eight, false, 9), "format version 9"},
        BadNpy{"no_shape", npy_with_header("{'descr': '<f8', 'fortran_order': False}", eight), "invalid .npy header"},
        BadNpy{"open_dictionary", npy_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2", eight),
               "invalid .npy header"},
        BadNpy{"nan", npy("<f8", "(1, 1, 1)", bytes_of(std::vector{std::nan("")})), "matrix 0 contains NaN or Inf"},
        BadNpy{"indefinite", npy("<f8", "(1, 2, 2)", bytes_of(std::vector<double>{1, 2, 2, 1})),
               "matrix 0 is indefinite"}),
    [](const auto& test) { return std::string(test.param.name); });

using BadPath = Scratch;

TEST_F(BadPath, MessageStaysOnOneLine) {
  try {
    load(*this / "line\nbreak.npy");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST_F(BadPath, MissingDirectoryUnreadableOrPipe) {
  EXPECT_SAYS(complaint(*this / "none.npy"), "No such file");
  EXPECT_SAYS(complaint(*this / "none.npz"), "No such file");
  EXPECT_SAYS(complaint(*this / "none.mat"), "No such file");
  EXPECT_SAYS(complaint(*this / "none.csv"), "No such file");
  std::filesystem::create_directory(*this / "folder.npy");
  EXPECT_SAYS(complaint(*this / "folder.npy"), "is a directory");
  EXPECT_SAYS(complaint(*this / "data.parquet"), "not .npy, .npz, .mat or .csv");
  ASSERT_EQ(::mkfifo((*this / "pipe.npy").c_str(), 0600), 0);
  EXPECT_SAYS(complaint(*this / "pipe.npy"), "not a regular file");
  const auto path = put("secret.npy", two_matrices_npy());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const OrdinaryUser user(folder());
  EXPECT_SAYS(complaint(path), "Permission denied");
}

TEST_F(NpyFile, RowsSelectARange) {
  const Dataset all = wishart_classes({.classes = 2, .per_class = 4, .dim = 3});
  const LoadOptions some{.labels = {}, .repair = {}, .part = {}, .rows = [](Index count) {
                           return std::pair<Index, Index>(count - 5, count - 2);
                         }};
  for (const std::string name : {"x.npy", "x.npz", "x.csv", "x.mat"}) {
    save(all, *this / name);
    const Dataset part = load(*this / name, some);
    const Dataset wanted = all.select(std::vector<Index>{3, 4, 5});
    EXPECT_TRUE(std::equal(part.matrices().values().begin(), part.matrices().values().end(),
                           wanted.matrices().values().begin(), wanted.matrices().values().end()))
        << name;
    EXPECT_EQ(part.has_labels(), name != "x.npy");
    if (!part.has_labels()) continue;
    EXPECT_EQ(part.labels().codes(), wanted.labels().codes()) << name;
  }
  for (const auto& range : std::vector<std::pair<Index, Index>>{{2, 2}, {-1, 3}, {5, 9}}) {
    const LoadOptions none{.labels = {}, .repair = {}, .part = {}, .rows = [&](Index) { return range; }};
    EXPECT_SAYS(complaint(*this / "x.npy", none), "has 8 matrices");
    EXPECT_SAYS(complaint(*this / "x.npz", none), "has 8 matrices");
  }
}

TEST_F(NpyFile, IntegersAreNumbers) {
  const std::vector<std::int32_t> small{2, 1, 1, 2, 3, 1, 1, 5};
  const std::vector<std::uint64_t> large{2, 1, 1, 2, 3, 1, 1, 5};
  put("small.npy", npy("<i4", "(2, 2, 2)", bytes_of(small)));
  put("large.npy", npy("<u8", "(2, 2, 2)", bytes_of(large)));
  make_zip(*this / "both.npz", {{"X.npy", npy("<i4", "(2, 2, 2)", bytes_of(small))}});
  for (const std::string file : {"small.npy", "large.npy", "both.npz"})
    EXPECT_TRUE(std::ranges::equal(load(*this / file).matrices().values(), two_matrices)) << file;
}

}  // namespace
}  // namespace dsk::test
