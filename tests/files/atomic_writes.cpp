#include <dsk/matrices.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/files.hpp"
#include "files/full_disk.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

class AtomicWrite : public Scratch, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string name() const { return std::string("data") + GetParam(); }
  Dataset data() const { return Dataset(random_spd({.count = 200, .dim = 5})); }

  std::string save_complaint(const std::filesystem::path& path) const {
    try {
      save(data(), path);
    } catch (const InvalidInput& error) {
      std::string text = error.what();
      EXPECT_TRUE(text.starts_with(path.string() + ": cannot be written: ")) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
      return text;
    }
    ADD_FAILURE() << path << " was written";
    return "";
  }
};

TEST_P(AtomicWrite, AFullDiskLeavesNoFile) {
  {
    const FullDisk full(10000);
    EXPECT_SAYS(save_complaint(*this / name()), "File too large");
  }
  EXPECT_EQ(file_count(), 0u);
}

TEST_P(AtomicWrite, AFullDiskKeepsTheOldFile) {
  put(name(), "precious");
  {
    const FullDisk full(10000);
    save_complaint(*this / name());
  }
  EXPECT_EQ(get(name()), "precious");
  EXPECT_EQ(file_count(), 1u);
}

TEST_P(AtomicWrite, AMissingFolderIsReported) {
  EXPECT_SAYS(save_complaint(*this / "none" / name()), "No such file or directory");
}

TEST_P(AtomicWrite, ADirectoryIsNotReplaced) {
  std::filesystem::create_directory(*this / name());
  EXPECT_SAYS(save_complaint(*this / name()), "it is a directory");
  EXPECT_EQ(file_count(), 1u);
}

TEST_P(AtomicWrite, AnUnwritableFolderIsReported) {
  const OrdinaryUser user(folder());
  std::filesystem::permissions(folder(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_SAYS(save_complaint(*this / name()), "Permission denied");
  std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
}

TEST_P(AtomicWrite, AbandonedWritingLeavesNoFile) {
  constexpr int gave_up = 7;
  // In a separate process, because abandon_writing cannot be undone.
  const auto abandon = [&] {
    abandon_writing();
    try {
      save(data(), *this / name());
    } catch (const std::runtime_error& error) {
      std::_Exit(std::string(error.what()).find("interrupted") != std::string::npos ? gave_up : 1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(abandon(), ::testing::ExitedWithCode(gave_up), "");
  EXPECT_EQ(file_count(), 0u);
  EXPECT_FALSE(is_writing());
}

TEST_P(AtomicWrite, FollowsSymbolicLinksAndKeepsPermissions) {
  put("real" + name(), "old");
  ASSERT_EQ(::chmod((*this / ("real" + name())).c_str(), 0640), 0);
  std::filesystem::create_symlink(*this / ("real" + name()), *this / name());
  save(data(), *this / name());
  EXPECT_TRUE(std::filesystem::is_symlink(*this / name()));
  EXPECT_EQ(load(*this / name()).size(), 200);
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(*this / name()).permissions()), 0640u);
  EXPECT_EQ(file_count(), 2u);
}

TEST_P(AtomicWrite, AFullDeviceIsReported) {
  std::filesystem::create_symlink("/dev/full", *this / name());
  save_complaint(*this / name());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

INSTANTIATE_TEST_SUITE_P(Formats, AtomicWrite, ::testing::Values(".npy", ".npz", ".mat", ".csv"),
                         [](const auto& test) { return std::string(test.param + 1); });

using AtomicFile = Scratch;

TEST_F(AtomicFile, WithoutCommitThereIsNoFile) {
  {
    files::AtomicFile file(*this / "a");
    file.write("half of it");
    EXPECT_EQ(file_count(), 1u);
  }
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(AtomicFile, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  files::AtomicFile file(*this / "a");
  file.commit();
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(*this / "a").permissions()), 0640u);
}

using LeftBehind = Scratch;

TEST_F(LeftBehind, TemporaryFilesOfDeadProcessesAreRemoved) {
  const ::pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string of_dead = ".dsk-" + std::to_string(dead) + "-0.tmp";
  put(of_dead, "half");
  put(of_dead + ".Xy12ab", "half of an archive");
  const std::string of_living = ".dsk-" + std::to_string(::getppid()) + "-0.tmp";
  put(of_living, "somebody writes this");
  for (const std::string other : {".dsk-notes.tmp", ".dsk-12", "dsk-1-0.tmp"}) put(other, "not ours");
  save_text("x", *this / "x.txt");
  EXPECT_EQ(get(of_dead), "");
  EXPECT_EQ(get(of_dead + ".Xy12ab"), "");
  EXPECT_EQ(get(of_living), "somebody writes this");
  for (const std::string other : {".dsk-notes.tmp", ".dsk-12", "dsk-1-0.tmp"}) EXPECT_EQ(get(other), "not ours");
}

TEST_F(LeftBehind, FilesThatOtherMachinesWriteAreKept) {
  const ::pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const auto path = put(".dsk-" + std::to_string(dead) + "-0.tmp", "being written");
  const int descriptor = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  save_text("x", *this / "x.txt");
  EXPECT_TRUE(std::filesystem::exists(path)) << "its writer holds a lock";
  ::close(descriptor);
}

TEST_F(LeftBehind, CheckingForWritingLeavesNothing) {
  put("old.txt", "old");
  EXPECT_NO_THROW(check_writable(*this / "new.txt"));
  EXPECT_NO_THROW(check_writable(*this / "old.txt"));
  EXPECT_EQ(get("old.txt"), "old");
  EXPECT_EQ(file_count(), 1u);
  EXPECT_THROW(check_writable(*this / "none" / "new.txt"), InvalidInput);
  EXPECT_THROW(check_writable(*this / "old.txt" / "new.txt"), InvalidInput);
  EXPECT_THROW(check_writable("/proc/new.txt"), InvalidInput);
}

}  // namespace
}  // namespace dsk::test
