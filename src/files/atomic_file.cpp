#include "files/atomic_file.hpp"

#include <dsk/files.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

#include "files/text.hpp"

namespace dsk::files {
namespace {

std::atomic<int> open_files{0};
std::atomic<bool> abandoned{false};

bool sync_and_close(int descriptor) {
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!synced) errno = reason;
  return synced && closed;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& target) : target_(target), destination_(target) {
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
  ++open_files;
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> serial{0};
  const auto folder = destination_.parent_path();
  do {
    temporary_ = folder / fmt::format(".dsk-{}-{}.tmp", ::getpid(), serial++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  --open_files;
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

bool is_writing() noexcept {
  return files::open_files > 0;
}

void abandon_writing() noexcept {
  files::abandoned = true;
}

}  // namespace dsk
