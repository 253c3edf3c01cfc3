#include "files/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <new>

#include "files/text.hpp"

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
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
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

InflateSource::InflateSource(ByteSource& packed) : packed_(packed), left_(most_unpacked_bytes(packed.remaining())) {
  if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
}

InflateSource::~InflateSource() {
  inflateEnd(&stream_);
}

std::size_t InflateSource::read(std::span<std::byte> bytes) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  std::size_t done = 0;
  while (done < wanted && !ended_) {
    if (stream_.avail_in == 0) {
      stream_.avail_in = static_cast<uInt>(packed_.read(buffer_));
      stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
      if (stream_.avail_in == 0) break;
    }
    const auto room = static_cast<uInt>(std::min<std::size_t>(wanted - done, std::numeric_limits<uInt>::max()));
    stream_.avail_out = room;
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    done += room - stream_.avail_out;
    ended_ = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      throw file_error(name(), "contains compressed data that cannot be decompressed");
    }
  }
  left_ -= done;
  return done;
}

}  // namespace dsk::files
