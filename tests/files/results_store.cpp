#include <dsk/matrices.hpp>

#include "files/files.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using Results = Scratch;

TEST_F(Results, OneRunAtATimeUsesAFile) {
  const auto text = [] { return std::string("x"); };
  {
    const files::ResultsStore first(*this / "r.json", text);
    const auto second = [&](const std::filesystem::path& file) {
      return message_of([&] { files::ResultsStore(file, text); });
    };
    EXPECT_EQ(second(*this / "r.json"),
              (*this / "r.json").string() + ": is in use by another run; wait until it ends, or choose another name");
    put("r.json", "{}");
    std::filesystem::create_symlink(*this / "r.json", *this / "link.json");
    EXPECT_SAYS(second(*this / "link.json"), "is in use by another run");
    EXPECT_EQ(second(*this / "other.json"), "");
  }
  EXPECT_NO_THROW(files::ResultsStore(*this / "r.json", text));
  EXPECT_FALSE(std::filesystem::exists(*this / "r.json.lock"));
}

TEST_F(Results, ALockFileOfADeadProcessDoesNoHarm) {
  put("r.json.lock", "");
  EXPECT_NO_THROW(files::ResultsStore(*this / "r.json", [] { return std::string(); }));
  EXPECT_FALSE(std::filesystem::exists(*this / "r.json.lock"));
}

TEST_F(Results, WhatIsHeldBackIsSavedAtTheEnd) {
  int count = 0;
  {
    files::ResultsStore store(*this / "r.json", [&] { return std::to_string(count); });
    for (int k = 0; k < 1000; ++k) store.change([&] { ++count; });
  }
  EXPECT_EQ(get("r.json"), "1000");
}

TEST_F(Results, ClosingSavesThemAndNothingLater) {
  int count = 0;
  files::ResultsStore store(*this / "r.json", [&] { return std::to_string(count); });
  for (int k = 0; k < 1000; ++k) store.change([&] { ++count; });
  EXPECT_TRUE(close_results());
  EXPECT_EQ(get("r.json"), "1000");
  store.change_and_save([&] { ++count; });
  EXPECT_EQ(get("r.json"), "1000");
  EXPECT_FALSE(std::filesystem::exists(*this / "r.json.lock"));
}

}  // namespace
}  // namespace dsk::test
