#include "files/raw_data.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <limits>
#include <new>
#include <utility>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/unicode.hpp"

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
  constexpr int any_header = 15 + 32;
  if (inflateInit2(&stream_, any_header) != Z_OK) throw std::bad_alloc();
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

namespace {

static_assert(std::endian::native == std::endian::little, "the readers swap bytes for little-endian machines");

constexpr std::size_t chunk_bytes = 1 << 16;

template <class Stored>
Stored stored_value(const std::byte* bytes, bool big_endian) {
  std::array<std::byte, sizeof(Stored)> copy;
  std::copy_n(bytes, sizeof(Stored), copy.begin());
  if (big_endian) std::reverse(copy.begin(), copy.end());
  return std::bit_cast<Stored>(copy);
}

/// Reads and converts elements chunk by chunk.
template <class Stored, class Result, class Convert>
std::vector<Result> read_converted(ByteSource& source, bool big_endian, std::size_t count, const Convert& convert) {
  std::vector<Result> values;
  values.reserve(count);
  std::vector<std::byte> chunk(std::min(count * sizeof(Stored), chunk_bytes));
  while (values.size() < count) {
    const std::size_t step = std::min(count - values.size(), chunk_bytes / sizeof(Stored));
    source.read_all(std::span(chunk).first(step * sizeof(Stored)));
    for (std::size_t i = 0; i < step; ++i) {
      values.push_back(convert(stored_value<Stored>(chunk.data() + i * sizeof(Stored), big_endian)));
    }
  }
  return values;
}

template <class Result, class Convert>
std::vector<Result> read_any(ByteSource& source, const ElementType& type, std::size_t count, const Convert& convert) {
  const auto as = [&]<class Stored>(Stored) {
    return read_converted<Stored, Result>(source, type.big_endian, count, convert);
  };
  switch (type.kind) {
    case ElementKind::floating:
      return type.bytes == 4 ? as(float{}) : as(double{});
    case ElementKind::signed_integer:
      if (type.bytes == 1) return as(std::int8_t{});
      if (type.bytes == 2) return as(std::int16_t{});
      if (type.bytes == 4) return as(std::int32_t{});
      return as(std::int64_t{});
    case ElementKind::unsigned_integer:
      if (type.bytes == 1) return as(std::uint8_t{});
      if (type.bytes == 2) return as(std::uint16_t{});
      if (type.bytes == 4) return as(std::uint32_t{});
      return as(std::uint64_t{});
    default:
      throw file_error(source.name(), "contains text instead of numbers");
  }
}

}  // namespace

std::optional<std::uint64_t> element_count(const std::vector<Index>& shape) {
  std::uint64_t count = 1;
  for (const Index size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return {};
  }
  return count;
}

std::string describe_shape(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape) {
  if (shape.size() < 2 || values.empty()) return values;
  const auto rows = static_cast<std::size_t>(shape.front());
  const std::size_t columns = values.size() / rows;

  // Position of each stored column (all indices but the first) within a row-major row.
  std::vector<std::size_t> place(columns);
  std::vector<Index> index(shape.size(), 0);
  for (std::size_t& position : place) {
    position = 0;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      position = position * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    }
    for (std::size_t axis = 1; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
  }

  std::vector<double> result(values.size());
  constexpr std::size_t strip = 64;  // number of rows that fit into the cache together
  for (std::size_t first = 0; first < rows; first += strip) {
    const std::size_t last = std::min(first + strip, rows);
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = first; row < last; ++row) {
        result[row * columns + place[column]] = values[column * rows + row];
      }
    }
  }
  return result;
}

std::vector<double> read_doubles(ByteSource& source, const ElementType& type, std::size_t count) {
  if (type.kind == ElementKind::floating && type.bytes == 8 && !type.big_endian) {
    std::vector<double> values(count);
    source.read_all(std::as_writable_bytes(std::span(values)));
    return values;
  }
  return read_any<double>(source, type, count, [](auto value) { return static_cast<double>(value); });
}

std::vector<long long> read_integers(ByteSource& source, const ElementType& type, std::size_t count) {
  return read_any<long long>(source, type, count, [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      if (!std::in_range<long long>(value)) throw file_error(source.name(), "contains an integer above 2^63");
    }
    return static_cast<long long>(value);
  });
}

std::vector<std::string> read_texts(ByteSource& source, const ElementType& type, std::size_t count) {
  std::vector<std::byte> element(type.bytes);
  std::vector<std::string> texts;
  texts.reserve(count);
  while (texts.size() < count) {
    source.read_all(element);
    std::string text;
    if (type.kind == ElementKind::byte_text) {
      text.assign(reinterpret_cast<const char*>(element.data()), element.size());
    } else {
      for (std::size_t i = 0; i + 4 <= element.size(); i += 4) {
        if (!append_utf8(text, stored_value<std::uint32_t>(element.data() + i, type.big_endian))) {
          throw file_error(source.name(), "contains text that is not valid Unicode");
        }
      }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace dsk::files
