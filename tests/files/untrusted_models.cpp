#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <malloc.h>

#include <random>

#include "files/kernel_file.hpp"
#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

/// What SECURITY.md promises: bytes of memory for each byte of a .dsk file, and for everything else.
constexpr double promised_factor = 600, promised_rest = 16e6;

/// The largest resident memory since `start` above that at the start.
class Peak {
 public:
  Peak() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;
    before_ = largest();
  }
  double bytes() const { return largest() - before_; }

 private:
  static double largest() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word != "VmHWM:") continue;
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
    return 0;
  }
  double before_ = 0;
};

class UntrustedModel : public KernelFile {
 protected:
  void SetUp() override {
#ifdef DSK_SANITIZED
    GTEST_SKIP() << "the sanitizers need more memory than the library";
#endif
  }

  /// Loads a file that may be invalid.
  static void expect_little_memory(const std::filesystem::path& file, const std::string& what) {
    const Peak peak;
    try {
      load_model(file, 1);
    } catch (const InvalidInput&) {
      // What is wrong with it is not the question here.
    }
    const auto size = static_cast<double>(std::filesystem::file_size(file));
    RecordProperty(what, std::to_string(peak.bytes() / size));
    EXPECT_LT(peak.bytes(), promised_factor * size + promised_rest) << what << ", a file of " << size << " bytes";
  }
};

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string result;
  while (result.size() < bytes) result += text;
  return result;
}

TEST_F(UntrustedModel, TakesNoMoreMemoryThanItsSizeTimesAFactor) {
  std::mt19937 random(1);
  std::string noise(400000, ' ');
  for (char& byte : noise) byte = static_cast<char>(random());
  const std::string nest = repeated("[", 60) + repeated("]", 60) + ",";
  for (const std::string& element : {std::string("0,"), std::string("[],"), std::string("[[]],"), nest,
                                     std::string("{\"\":{}},"), std::string("["), std::string("{\"\":")}) {
    // As much as deflate and the limit of unpacked bytes allow.
    make_zip(*this / "noise.dsk", {{"noise", noise}}, true);
    const auto size = static_cast<std::size_t>(std::filesystem::file_size(*this / "noise.dsk"));
    make_zip(*this / "nested.dsk", {{"meta.json", "[" + repeated(element, 15 * size) + "0]"}, {"noise", noise}}, true);
    expect_little_memory(*this / "nested.dsk", element);
  }
}

TEST_F(UntrustedModel, OfManySmallMatricesTakesNoMoreMemoryEither) {
  constexpr Index count = 50000;
  const std::vector<double> values(count, 2.0);
  std::vector<int> codes(count);
  for (std::size_t k = 0; k < codes.size(); ++k) codes[k] = static_cast<int>(k % 2);
  const Dataset data(SpdBatch(values, count, 1), Labels({"a", "b"}, codes, false));
  save(train_knn(Comparison{}, data), *this / "knn.dsk");
  expect_little_memory(*this / "knn.dsk", "knn");
  Members members = members_of(*this / "knn.dsk");
  make_zip(*this / "packed.dsk", {members.begin(), members.end()}, true);
  EXPECT_SAYS(complaint_of([](const auto& file) { load_model(file, 1); }, *this / "packed.dsk"),
              "is compressed too much");
}

TEST_F(UntrustedModel, OfExtremeNumbersIsRefusedInOneLine) {
  save(train_knn(LearnedKernel(EigenvalueAdjustment::none(3, Adjustment::power), 1.5), made_classes({.sizes = {5, 4}})),
       *this / "knn.dsk");
  const auto file = edited_copy(*this / "knn.dsk", [](Members& members, auto&) {
    members["alpha.npy"] = npy("<f8", "(3,)", bytes_of(std::vector{1e300, -1e300, 1e300}));
  });
  EXPECT_SAYS(complaint_of([](const auto& path) { load_model(path, 1); }, file), "with adjusted eigenvalues");
}

TEST_F(UntrustedModel, WhoseMembersShareBytesIsRejected) {
  make_zip(*this / "one.zip", {{"meta.json", repeated("[],", 3000)}, {"other.json", repeated("[],", 3000)}});
  std::string bytes = get("one.zip");
  // The second entry of the directory leads to the first member, whose name is overwritten to suit.
  const std::size_t directory = bytes.find("PK\x01\x02"), second = bytes.find("PK\x01\x02", directory + 4);
  ASSERT_NE(second, std::string::npos);
  std::string grown = bytes.substr(0, bytes.find("PK\x03\x04", 4)) + bytes.substr(directory);
  const std::size_t shift = bytes.size() - grown.size();
  const std::size_t entry = second - shift, end = grown.rfind("PK\x05\x06");
  for (int k = 0; k < 4; ++k) grown[entry + 42 + static_cast<std::size_t>(k)] = 0;  // where the member begins
  const std::size_t place = directory - shift;
  for (std::size_t k = 0; k < 4; ++k) grown[end + 16 + k] = static_cast<char>((place >> (8 * k)) & 255);
  EXPECT_SAYS(complaint_of([](const auto& file) { load_model(file, 1); }, put("shared.dsk", grown)),
              "larger than the file together");
}

}  // namespace
}  // namespace dsk::test
