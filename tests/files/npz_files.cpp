#include "files/made_files.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class NpzFile : public Scratch {
 protected:
  std::filesystem::path zip(const std::vector<std::pair<std::string, std::string>>& members, bool deflated = false) {
    make_zip(*this / "a.npz", members, deflated);
    return *this / "a.npz";
  }
};

const std::string labels = npy("<i8", "(2,)", bytes_of(std::vector<std::int64_t>{4, 3}));

TEST_F(NpzFile, StoredAndDeflated) {
  for (const bool deflated : {false, true}) {
    const Dataset data =
        load(zip({{"y.npy", labels}, {"groups.npy", labels}, {"X.npy", two_matrices_npy()}}, deflated));
    EXPECT_TRUE(std::ranges::equal(data.matrices().values(), two_matrices));
    EXPECT_EQ(data.labels().names(), (std::vector<std::string>{"3", "4"}));
    EXPECT_EQ(data.groups().codes(), (std::vector<int>{1, 0}));
  }
}

TEST_F(NpzFile, ChannelsHaveNames) {
  const std::string text = npy("<U2", "(2,)", bytes_of(std::vector<char32_t>{U'C', U'3', U'O', U'z'}));
  const std::vector<std::string> names{"C3", "Oz"};
  for (const std::string key : {"channels.npy", "names.npy"}) {
    const Dataset data = load(zip({{"X.npy", two_matrices_npy()}, {key, text}}));
    ASSERT_EQ(data.dim(), 2);
    EXPECT_EQ(data.channels(), names) << key;
  }
  const Dataset data = load(zip({{"X.npy", two_matrices_npy()}, {"channels.npy", text}, {"names.npy", "garbage"}}));
  save(data, *this / "b.npz");
  EXPECT_EQ(load(*this / "b.npz").channels(), names);
  // They stay with the data set where it keeps its rows.
  EXPECT_EQ(data.select(std::vector<Index>{1}).without_groups().channels(), names);
  EXPECT_EQ(data.with_matrices(data.matrices()).channels(), names);
  EXPECT_TRUE(data.with_matrices(random_spd({.count = 2, .dim = 3})).channels().empty());
  EXPECT_SAYS(message_of([&] { (void)data.with_channels({"C3"}); }),
              "1 names of channels do not match matrices of size 2");
  // Names of something else are nobody's business.
  EXPECT_TRUE(load(zip({{"X.npy", two_matrices_npy()}, {"names.npy", labels}})).channels().empty());
  EXPECT_TRUE(load(zip({{"X.npy", two_matrices_npy()}, {"names.npy", "garbage"}})).channels().empty());
  EXPECT_TRUE(load(zip({{"X.npy", two_matrices_npy()}, {"channels.npy", labels}})).channels().empty());
  EXPECT_TRUE(load(zip({{"X.npy", two_matrices_npy()}, {"channels.npy", "garbage"}})).channels().empty());
  EXPECT_TRUE(load(zip({{"X.npy", two_matrices_npy()}, {"channels.npy", npy("<U4", "(1,)", std::string(16, '\0'))}}))
                  .channels()
                  .empty());
}

/// Each name would belong to two rows of the real matrices.
TEST_F(NpzFile, ChannelsOfComplexMatricesAreLeftOut) {
  const std::string matrices = npy("<c16", "(1, 2, 2)", bytes_of(std::vector<double>{2, 0, 0, 1, 0, -1, 3, 0}));
  const std::string two = npy("<U2", "(2,)", bytes_of(std::vector<char32_t>{U'C', U'3', U'O', U'z'}));
  const std::string four =
      npy("<U1", "(4,)", bytes_of(std::vector<char32_t>{U'a', U'b', U'c', U'd'}));  // as many as the rows of real ones
  const LoadOptions taking{.on_complex = [] {}};
  for (const std::string key : {"channels.npy", "names.npy"})
    for (const std::string& text : {two, four, std::string("garbage")}) {
      const Dataset data = load(zip({{"X.npy", matrices}, {key, text}}), taking);
      EXPECT_EQ(data.dim(), 4);
      EXPECT_TRUE(data.channels().empty()) << key;
    }
}

TEST_F(NpzFile, TheOnlyThreeDimensionalArrayIsFound) {
  EXPECT_EQ(load(zip({{"covariances.npy", two_matrices_npy()}, {"times.npy", labels}})).size(), 2);
  EXPECT_SAYS(complaint(zip({{"a.npy", two_matrices_npy()}, {"b.npy", two_matrices_npy()}})), "more than one");
  EXPECT_SAYS(complaint(zip({{"a.npy", labels}, {"readme.txt", "hello"}})), "no array X");
}

TEST_F(NpzFile, InvalidMembersAreRejected) {
  EXPECT_SAYS(complaint(zip({{"X.npy", two_matrices_npy()}, {"y.npy", "garbage"}})), "y.npy: is not a .npy array");
  EXPECT_SAYS(complaint(zip({{"X.npy", npy("|O", "(2,)", "1234567812345678")}})), "pickles");
  EXPECT_SAYS(complaint(zip({{"X.npy", npy("|S4", "(2, 1, 1)", "12345678")}})), "X has type '|S4', not numbers");
  EXPECT_SAYS(complaint(zip({{"X.npy", npy("<f8", "(1000000000000, 1000, 1000)", "")}}, true)), "truncated");
  EXPECT_SAYS(complaint(zip({{"X.npy", npy("<f8", "(8,)", bytes_of(two_matrices))}})), "X has shape (8,)");
  EXPECT_SAYS(complaint(zip({{"X.npy", two_matrices_npy()}, {"y.npy", npy("<i8", "(1,)", "12345678")}})),
              "1 labels for 2 matrices");
  EXPECT_SAYS(complaint(zip({{"X.npy", two_matrices_npy()}, {"groups.npy", npy("<i8", "(1,)", "12345678")}})),
              "1 groups for 2 matrices");
}

TEST_F(NpzFile, FilesThatAreNotArchivesAreRejected) {
  EXPECT_SAYS(complaint(put("a.npz", "")), "not a complete zip archive");
  EXPECT_SAYS(complaint(put("a.npz", "PK\x03\x04 and then nothing")), "not a complete zip archive");
  EXPECT_SAYS(complaint(put("a.npz", two_matrices_npy())), "not a complete zip archive");
  const std::string whole = (zip({{"X.npy", two_matrices_npy()}}), get("a.npz"));
  EXPECT_SAYS(complaint(put("a.npz", whole.substr(0, whole.size() / 2))), "not a complete zip archive");
}

/// Replaces every occurrence of a little-endian word: sizes are stored in the local and in the central header.
std::string with_word_replaced(std::string bytes, std::uint32_t from, std::uint32_t to) {
  for (auto at = bytes.find(word(from)); at != std::string::npos; at = bytes.find(word(from), at + 4)) {
    bytes.replace(at, 4, word(to));
  }
  return bytes;
}

TEST_F(NpzFile, AZipBombIsRejectedBeforeMemoryIsAllocated) {
  const std::string bomb = npy("<f8", "(500000000, 1, 1)", std::string(100000, '\0'));
  zip({{"X.npy", bomb}}, true);
  const std::string bytes = with_word_replaced(get("a.npz"), static_cast<std::uint32_t>(bomb.size()), 4000000075u);
  ASSERT_NE(bytes, get("a.npz"));
  EXPECT_SAYS(complaint(put("a.npz", bytes)), "has 4000000075 bytes according to its header, impossible");
}

TEST_F(NpzFile, MembersOfAnotherSizeThanInTheHeaderAreRejected) {
  const auto size = static_cast<std::uint32_t>(two_matrices_npy().size());
  const std::string longer = two_matrices_npy() + std::string(1000, '\0');
  zip({{"X.npy", longer}}, true);
  complaint(put("a.npz", with_word_replaced(get("a.npz"), size + 1000, size)));
  zip({{"X.npy", two_matrices_npy().substr(0, size - 8)}}, true);
  complaint(put("a.npz", with_word_replaced(get("a.npz"), size - 8, size)));
}

TEST_F(NpzFile, AWrongChecksumIsDetected) {
  std::string bytes = (zip({{"X.npy", two_matrices_npy()}}), get("a.npz"));
  const auto at = bytes.find(bytes_of(std::vector<double>{5}));
  bytes[at + 1] ^= 1;
  EXPECT_SAYS(complaint(put("a.npz", bytes)), "CRC");
}

TEST_F(NpzFile, DuplicateNamesAreRejected) {
  std::string bytes = (zip({{"X.npy", two_matrices_npy()}, {"Y.npy", two_matrices_npy()}}), get("a.npz"));
  for (auto at = bytes.find("Y.npy"); at != std::string::npos; at = bytes.find("Y.npy")) bytes[at] = 'X';
  EXPECT_SAYS(complaint(put("a.npz", bytes)), "two members named 'X.npy'");
}

}  // namespace
}  // namespace dsk::test
