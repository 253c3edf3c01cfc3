#pragma once

#include <zlib.h>

#include <array>

#include "files/byte_source.hpp"

namespace dsk::files {

/// Unpacks a zlib stream as it is read.
class InflateSource : public ByteSource {
 public:
  explicit InflateSource(ByteSource& packed);
  InflateSource(const InflateSource&) = delete;
  InflateSource& operator=(const InflateSource&) = delete;
  ~InflateSource() override;

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return left_; }
  const std::filesystem::path& name() const override { return packed_.name(); }

 private:
  ByteSource& packed_;
  std::array<std::byte, 1 << 16> buffer_;
  z_stream stream_{};
  std::uint64_t left_;  // an upper bound: the format does not say
  bool ended_ = false;
};

}  // namespace dsk::files
