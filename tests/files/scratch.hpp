#pragma once

#include <dsk/files.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dsk::test {

/// A temporary folder for each test, removed at its end.
class Scratch : public ::testing::Test {
 protected:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dsk-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& folder() const { return folder_; }

  std::filesystem::path put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::string get(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  /// The message of load for an invalid file. Checks that it is one line that starts with the file name.
  static std::string complaint(const std::filesystem::path& path, const LoadOptions& options = {}) {
    try {
      load(path, options);
    } catch (const InvalidInput& error) {
      const std::string text = error.what();
      const auto& named = text.starts_with(path.string()) ? path : options.labels;
      EXPECT_TRUE(text.starts_with(named.string() + ": ")) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      return text.substr(std::min(text.size(), named.string().size()));
    }
    ADD_FAILURE() << path << " was read";
    return "";
  }

 private:
  std::filesystem::path folder_;
};

/// Runs the test as the user nobody, who owns the folder, because root may read and write everything.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const std::filesystem::path& folder) : was_root_(::geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (!was_root_) return;
    EXPECT_EQ(::chown(folder.c_str(), nobody, nobody), 0);
    EXPECT_EQ(::seteuid(nobody), 0);
  }
  ~OrdinaryUser() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  bool was_root_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace dsk::test
