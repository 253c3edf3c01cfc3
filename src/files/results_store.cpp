#include <dsk/files.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "files/files.hpp"
#include "files/text.hpp"

namespace dsk::files {
namespace {

/// All stores of this process.
struct OpenStores {
  std::mutex mutex;
  std::vector<ResultsStore*> stores;
};

OpenStores& open_stores() {
  // Never destroyed: a thread that takes signals may outlive static objects.
  static OpenStores& all = *new OpenStores;
  return all;
}

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

ResultsStore::ResultsStore(std::filesystem::path file, std::function<std::string()> text)
    : file_(std::move(file)), text_(std::move(text)), lock_(file_) {
  const std::scoped_lock lock(open_stores().mutex);
  open_stores().stores.push_back(this);
}

ResultsStore::~ResultsStore() {
  {
    const std::scoped_lock lock(open_stores().mutex);
    std::erase(open_stores().stores, this);
  }
  close();
}

void ResultsStore::save() {
  if (closed_) return;
  const auto start = std::chrono::steady_clock::now();
  save_text(text_(), file_);
  pending_ = false;
  const auto end = std::chrono::steady_clock::now();
  next_save_ = end + 10 * (end - start);
}

void ResultsStore::change(const std::function<void()>& change) {
  const std::scoped_lock lock(mutex_);
  change();
  pending_ = true;
  if (std::chrono::steady_clock::now() >= next_save_) save();
}

void ResultsStore::change_and_save(const std::function<void()>& change) {
  const std::scoped_lock lock(mutex_);
  change();
  save();
}

bool ResultsStore::close() noexcept {
  const std::scoped_lock lock(mutex_);
  bool saved = true;
  try {
    if (pending_) save();
  } catch (const std::exception&) {
    saved = false;
  }
  closed_ = true;
  lock_.release();
  return saved;
}

}  // namespace dsk::files

namespace dsk {

bool close_results() noexcept {
  const std::scoped_lock lock(files::open_stores().mutex);
  bool saved = true;
  for (files::ResultsStore* const store : files::open_stores().stores) saved = store->close() && saved;
  return saved;
}

}  // namespace dsk
