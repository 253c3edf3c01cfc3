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

TEST_F(Results, AreCompressedIfTheNameSaysSo) {
  std::string text;
  for (int k = 0; k < 100000; ++k) text += std::to_string(k % 977) + ",";
  for (const std::string& content : {text, std::string(), std::string("{}")}) {
    {
      files::ResultsStore(*this / "r.json.gz", [&] { return content; }).change([] {});
    }
    const std::string packed = get("r.json.gz");
    EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(files::read_results(*this / "r.json.gz"), content);
    files::save_results(content, *this / "again.json.gz");
    EXPECT_EQ(get("again.json.gz"), packed) << "the same bytes for the same text";
    files::save_results(content, *this / "plain.json");
    EXPECT_EQ(get("plain.json"), content);
    EXPECT_EQ(files::read_results(*this / "plain.json"), content);
  }
  files::save_results(text, *this / "r.json.gz");
  EXPECT_LT(get("r.json.gz").size(), text.size() / 10);
  std::string broken = get("r.json.gz");
  broken[broken.size() / 2] = static_cast<char>(~broken[broken.size() / 2]);
  put("r.json.gz", broken);
  EXPECT_SAYS(message_of([&] { files::read_results(*this / "r.json.gz"); }), "cannot be decompressed");
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
