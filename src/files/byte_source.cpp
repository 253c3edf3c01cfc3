#include "files/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "files/file_error.hpp"

namespace dsk::files {

void ByteSource::read_all(std::span<std::byte> bytes) {
  if (read(bytes) != bytes.size()) throw file_error(name(), "is truncated: it ends in the middle of its data");
}

void ByteSource::skip(std::uint64_t count) {
  std::array<std::byte, 4096> discarded;
  while (count > 0) {
    const auto step = std::min<std::uint64_t>(count, discarded.size());
    read_all(std::span(discarded).first(static_cast<std::size_t>(step)));
    count -= step;
  }
}

FileSource::FileSource(const std::filesystem::path& path) : path_(path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw file_error(path, "cannot be opened: " + system_reason(errno));
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw file_error(path, known && S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileSource::~FileSource() {
  ::close(descriptor_);
}

std::size_t FileSource::read(std::span<std::byte> bytes) {
  const auto wanted = std::min<std::uint64_t>(bytes.size(), remaining());
  std::size_t done = 0;
  while (done < wanted) {
    const auto got = ::pread(descriptor_, bytes.data() + done, wanted - done, static_cast<off_t>(position_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path_, "cannot be read: " + system_reason(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    position_ += static_cast<std::uint64_t>(got);
  }
  return done;
}

void FileSource::seek(std::uint64_t position) {
  if (position > size_) throw file_error(path_, "is truncated: it ends in the middle of its data");
  position_ = position;
}

std::size_t LimitedSource::read(std::span<std::byte> bytes) {
  const auto got = whole_.read(bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_))));
  left_ -= got;
  return got;
}

std::uint64_t LimitedSource::remaining() const {
  return std::min(left_, whole_.remaining());
}

std::string read_text(ByteSource& source) {
  std::string text(static_cast<std::size_t>(source.remaining()), '\0');
  text.resize(source.read(std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace dsk::files
