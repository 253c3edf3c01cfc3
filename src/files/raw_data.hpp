#pragma once

#include <dsk/matrices.hpp>

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dsk::files {

/// A sequence of bytes that is read once: a file, part of a file or a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Reads up to bytes.size() bytes and returns their number, which is smaller only at the end.
  virtual std::size_t read(std::span<std::byte> bytes) = 0;

  /// Upper bound of the number of bytes left. Readers never allocate more memory than this allows.
  virtual std::uint64_t remaining() const = 0;

  /// The name used in messages.
  virtual const std::filesystem::path& name() const = 0;

  /// Fills `bytes`. Throws InvalidInput if the source ends before that.
  void read_all(std::span<std::byte> bytes);
  void skip(std::uint64_t count);
};

/// A regular file. Throws InvalidInput with the reason if it cannot be opened or read.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override;

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return size_ - position_; }
  const std::filesystem::path& name() const override { return path_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

/// The next `limit` bytes of another source.
class LimitedSource : public ByteSource {
 public:
  LimitedSource(ByteSource& whole, std::uint64_t limit) : whole_(whole), left_(limit) {}

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override;
  const std::filesystem::path& name() const override { return whole_.name(); }

 private:
  ByteSource& whole_;
  std::uint64_t left_;
};

std::string read_text(ByteSource& source);

/// Deflate compresses at most about 1032 bytes into one. A larger size in a header must be wrong.
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  return packed_bytes > (std::uint64_t{1} << 52) ? 0 : 1100 * packed_bytes + 4096;
}

/// Decompresses a zlib or gzip stream.
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
  std::uint64_t left_;  // upper bound; the format does not store the size
  bool ended_ = false;
};

/// An array read from a file, in row-major order.
struct RawArray {
  std::vector<Index> shape;
  std::variant<std::vector<double>, std::vector<long long>, std::vector<std::string>> values;
  bool is_complex = false;  ///< two doubles per entry, the real part first
};

/// The content of a data file, not checked yet.
struct RawDataset {
  MatrixStack matrices;
  std::optional<RawArray> labels;
  std::optional<RawArray> groups;
  bool single_precision = false;  ///< stored as float32, so only symmetric up to its rounding
  Index unread = 0;               ///< number of other matrices in the file
  bool is_complex = false;        ///< the matrices are embedded Hermitian ones, of twice the size
  std::optional<RawArray> channels = {};
};

/// Given the number of matrices in the file, returns the range [first, last) of those to read. Empty: all.
using RowChoice = std::function<std::pair<Index, Index>(Index count)>;

/// The product of the sizes, or nothing if a size is negative or the product overflows.
std::optional<std::uint64_t> element_count(const std::vector<Index>& shape);

/// The shape as text, such as "(200, 5, 5)".
std::string describe_shape(const std::vector<Index>& shape);

/// Converts values from column-major to row-major order.
std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape);

enum class ElementKind { floating, complex_number, signed_integer, unsigned_integer, utf32_text, byte_text };

/// How the elements of an array are stored in a file.
struct ElementType {
  ElementKind kind = ElementKind::floating;
  std::size_t bytes = 8;
  bool big_endian = false;

  bool is_text() const { return kind == ElementKind::utf32_text || kind == ElementKind::byte_text; }
};

/// The caller must have checked that the source has enough bytes for `count` elements.
std::vector<double> read_doubles(ByteSource& source, const ElementType& type, std::size_t count);

/// Throws InvalidInput if an unsigned integer is too large.
std::vector<long long> read_integers(ByteSource& source, const ElementType& type, std::size_t count);

/// Strings of a fixed size, converted to UTF-8 without trailing zeros.
std::vector<std::string> read_texts(ByteSource& source, const ElementType& type, std::size_t count);

}  // namespace dsk::files
