#include "files/checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace dsk::files {

void Checksum::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // zlib starts anew if given a null pointer
  value_ = ::crc32_z(value_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string Checksum::text() const {
  return fmt::format("{:08x}", value_);
}

std::size_t ChecksumSource::read(std::span<std::byte> bytes) {
  const std::size_t got = whole_.read(bytes);
  checksum_.add(bytes.first(got));
  return got;
}

}  // namespace dsk::files
