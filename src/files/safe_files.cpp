// Files that are never left half written and never written by two.

#include <dsk/files.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "files/file_errors.hpp"
#include "files/files.hpp"

namespace dsk::files {
namespace {

std::atomic<bool> abandoned{false};

constexpr std::string_view temporary_prefix = ".dsk-";

/// The process that made a temporary file, by its name; nothing for other files.
std::optional<::pid_t> maker_of(const std::string& name) {
  if (!name.starts_with(temporary_prefix) || name.find(".tmp") == std::string::npos) return {};
  ::pid_t maker = 0;
  const char* const begin = name.data() + temporary_prefix.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), maker);
  if (error != std::errc() || maker <= 0 || *end != '-') return {};
  return maker;
}

/// Whether nobody writes the file any more: its maker is dead, and no process, of another machine for example, holds
/// the lock that writers have on it.
bool is_left_behind(const std::filesystem::path& file, ::pid_t maker) {
  if (::kill(maker, 0) == 0 || errno != ESRCH) return false;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return !locked;
}

/// Removes the temporary files of processes that were killed. Once for each folder: this looks at all names in it.
void remove_left_behind(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> done;
  {
    std::error_code ignored;
    const std::scoped_lock lock(mutex);
    if (!done.insert(std::filesystem::absolute(folder, ignored)).second) return;
  }
  std::error_code error;
  std::filesystem::directory_iterator files(folder.empty() ? "." : folder, error);
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error))
    if (const auto maker = maker_of(files->path().filename().string()))
      if (is_left_behind(files->path(), *maker)) ::unlink(files->path().c_str());
}

bool sync_and_close(int descriptor) {
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!synced) errno = reason;
  return synced && closed;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target), destination_(target) {
  check_abandoned();
  std::error_code ignored;
  if (std::filesystem::is_symlink(target, ignored)) {
    destination_ = std::filesystem::weakly_canonical(target, ignored);
    if (ignored) throw file_error(target, "cannot be written: " + ignored.message());
  }
  const auto status = std::filesystem::status(destination_, ignored);
  if (std::filesystem::is_directory(status)) throw file_error(target, "cannot be written: it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = ::open(destination_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  } else {
    open_temporary();
  }
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> serial{0};
  const auto folder = destination_.parent_path();
  remove_left_behind(folder);
  do {
    temporary_ = folder / fmt::format(".dsk-{}-{}.tmp", ::getpid(), serial++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail(reason);
  }
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::check_abandoned() const {
  if (abandoned) throw std::runtime_error(target_.string() + ": writing was interrupted");
}

void AtomicFile::fail(int error_number) const {
  throw file_error(target_, "cannot be written: " + system_reason(error_number));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    check_abandoned();
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

const std::filesystem::path& AtomicFile::temporary_path() const {
  if (temporary_.empty()) throw file_error(target_, "cannot be written: it is not a regular file");
  return temporary_;
}

void AtomicFile::commit() {
  check_abandoned();
  const int written = descriptor_;
  descriptor_ = -1;
  if (temporary_.empty()) {
    if (!sync_and_close(written)) fail(errno);
    return;
  }
  ::close(written);
  // Open it again: a library may have replaced the temporary file.
  const int temporary = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (temporary < 0) fail(errno);
  struct stat replaced {};
  if (::stat(destination_.c_str(), &replaced) == 0) ::fchmod(temporary, replaced.st_mode & 07777);
  if (!sync_and_close(temporary)) fail(errno);
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) fail(errno);
  temporary_.clear();
  // Flush the new name too. Not all folders can be synced, so errors are ignored.
  const auto folder = destination_.parent_path();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) sync_and_close(directory);
}

}  // namespace dsk::files

namespace dsk {

void check_writable(const std::filesystem::path& path) {
  files::AtomicFile(path).write("");
}

bool is_writing() noexcept {
  return files::WritingMark::count > 0;
}

void abandon_writing() noexcept {
  files::abandoned = true;
}

}  // namespace dsk

namespace dsk::files {
namespace {

bool is_named(int descriptor, const std::filesystem::path& path) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& target) {
  std::error_code ignored;
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  lock_ = std::filesystem::weakly_canonical(target, ignored);
  lock_ += ".lock";
  // The owner removes the file before it unlocks it: what was locked may no longer be the file of that name.
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw file_error(target, "cannot be locked: " + system_reason(errno));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw file_error(target, "is in use by another run; wait until it ends, or choose another name");
    }
  } while (!is_named(descriptor_, lock_));
}

void FileLock::release() noexcept {
  if (descriptor_ < 0) return;
  ::unlink(lock_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace dsk::files
