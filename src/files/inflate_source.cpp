#include "files/inflate_source.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "files/file_error.hpp"
#include "files/packing_limit.hpp"

namespace dsk::files {

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
      throw file_error(name(), "holds compressed data that cannot be unpacked");
    }
  }
  left_ -= done;
  return done;
}

}  // namespace dsk::files
