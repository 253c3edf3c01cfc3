#include <dsk/matrices.hpp>

#include <random>

#include "files/made_files.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

/// Valid files with random changes: loading each must give a data set or throw InvalidInput.
class Mutation : public Scratch, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string good_file() const {
    const auto path = *this / ("good" + extension());
    const Labels names(std::vector<std::string>{"brick", "wood", "brick"});
    save(Dataset(random_spd({.count = 3, .dim = 2}), names, names), path);
    return get("good" + extension());
  }

  std::string extension() const { return GetParam(); }

  /// Whether the file could still be read.
  bool survives(const std::string& bytes) const {
    try {
      load(put("broken" + extension(), bytes));
      return true;
    } catch (const InvalidInput& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return false;
    }
  }
};

TEST_P(Mutation, TruncatedAtEveryByte) {
  const std::string good = good_file();
  ASSERT_TRUE(survives(good));
  // A .mat file may end after any variable, and a .csv file after any line.
  const bool must_fail = extension() == ".npy" || extension() == ".npz";
  for (std::size_t length = 0; length < good.size(); ++length) {
    const bool survived = survives(good.substr(0, length));
    EXPECT_FALSE(survived && must_fail) << length;
  }
}

TEST_P(Mutation, EveryByteChanged) {
  const std::string good = good_file();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned value : {0x00u, 0x7fu, 0xffu}) {
      std::string broken = good;
      broken[i] = static_cast<char>(value);
      survives(broken);
    }
  }
}

TEST_P(Mutation, RandomChanges) {
  const std::string good = good_file();
  std::mt19937 random(20);
  for (int round = 0; round < 2000; ++round) {
    std::string broken = good;
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const std::size_t at = random() % broken.size();
      switch (random() % 4) {
        case 0:
          broken[at] = static_cast<char>(random());
          break;
        case 1:
          broken[at] = static_cast<char>(static_cast<unsigned char>(broken[at]) ^ (1u << random() % 8));
          break;
        case 2:
          broken.erase(at, random() % 9);
          break;
        default:
          broken.insert(at, broken.substr(random() % broken.size(), random() % 9));
      }
      if (broken.empty()) break;
    }
    survives(broken);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Mutation, ::testing::Values(".npy", ".npz", ".mat", ".csv"),
                         [](const auto& test) { return std::string(test.param + 1); });

}  // namespace
}  // namespace dsk::test
