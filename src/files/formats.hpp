#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/raw_data.hpp"

namespace dsk::files {

enum class FileFormat { npy, npz, mat, csv };

/// The format for the extension of `path`, ignoring case. Throws InvalidInput if it is not one of these.
FileFormat format_of(const std::filesystem::path& path);

/// Reads the matrices in the range that `rows` returns, or all of them if it is empty.
RawDataset read_npy_file(const std::filesystem::path& path, const RowChoice& rows = {});
RawDataset read_npz_file(const std::filesystem::path& path);
RawDataset read_mat_file(const std::filesystem::path& path, bool test_part);
RawDataset read_csv_file(const std::filesystem::path& path);

/// One label per matrix or trial, from .npy or .csv.
RawArray read_labels(const std::filesystem::path& path);

/// One label per line.
RawArray read_csv_labels(const std::filesystem::path& path);

/// View of a row-major array.
struct NumbersView {
  std::vector<Index> shape;
  std::span<const double> values;
};

/// What to write: the matrices of a data set, or a single matrix.
struct FileContent {
  NumbersView numbers;
  const Labels* labels = nullptr;
  const Labels* groups = nullptr;
  std::string_view description = {};
  std::span<const std::string> channels = {};  ///< kept in .npz files only
};

void write_npy_file(const FileContent& content, const std::filesystem::path& path);
void write_npz_file(const FileContent& content, const std::filesystem::path& path);
void write_mat_file(const FileContent& content, const std::filesystem::path& path);
void write_csv_file(const FileContent& content, const std::filesystem::path& path);

void write_npy_labels(const Labels& labels, const std::filesystem::path& path);

/// The values of integer labels, one per matrix.
std::vector<long long> integers(const Labels& labels);

/// Converts an array of numbers of shape (n, d, d); complex matrices become real ones of twice the size. `what` is its
/// name in messages.
MatrixStack as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what);

/// Converts integers (possibly stored as floating-point numbers) or text, one per matrix.
Labels as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what);

/// The range that `rows` returns for `count` matrices. Throws InvalidInput if it is empty or out of range.
std::pair<Index, Index> chosen_rows(const RowChoice& rows, Index count, const std::filesystem::path& file);

/// The header of a .npy file.
struct NpyHeader {
  ElementType type;
  std::string descr;  ///< name of the type in NumPy, such as "<f8"
  bool column_major = false;
  std::vector<Index> shape;
};

/// Reads the header (format 1.0 to 3.0) and checks that it matches the number of bytes that follow.
NpyHeader read_npy_header(ByteSource& source);

/// The header of a row-major array, in format 1.0.
std::string npy_header(const std::string& descr, const std::vector<Index>& shape);

/// Reads the data after the header: doubles, complex numbers, integers or strings, depending on the type.
RawArray read_npy_values(ByteSource& source, const NpyHeader& header);

/// Reads an array that is not complex.
RawArray read_npy(ByteSource& source);

struct CsvField {
  std::string text;
  bool quoted = false;  ///< text, even if it looks like a number
};

/// Iterates over the lines of `text`; skips empty lines and lines that start with '#'.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text);
  /// The next line without its line break, or nothing at the end of the text.
  std::optional<std::string_view> next();
  /// Number of the last returned line, starting at 1.
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// Splits a line at its commas. Returns false if a quotation mark is misplaced. `fields` can be reused.
bool split_csv_line(std::string_view line, std::vector<CsvField>& fields);

std::optional<double> parse_number(const CsvField& field);

/// An integer, possibly written as 3.0.
std::optional<long long> parse_integer(const CsvField& field);

/// The label as a field, quoted if necessary.
std::string quoted_label(std::string_view label);

enum class MatKind { floating, integer, text, cell, other };

/// The header of a variable in a MAT-file.
struct MatVariable {
  std::string name;
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  bool single_precision = false;
};

/// The values of a variable, in column-major order.
struct MatValue {
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  std::vector<double> numbers;
  std::u16string characters;
  std::vector<MatValue> cells;
};

/// A MAT-file of any version.
class MatFile {
 public:
  virtual ~MatFile() = default;
  virtual const std::vector<MatVariable>& variables() const = 0;
  virtual MatValue read(std::size_t variable) = 0;
};

/// Versions 5 to 7. Allocates no more memory than the file can fill, whatever it claims.
std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path);

/// Version 7.3, which is HDF5, as MATLAB writes it and, without MATLAB's header and attributes, as h5py does.
std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path);

/// Storage types, as numbered in MAT-files.
enum class Mat5Storage : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  float64 = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15,
  utf8 = 16,
  utf16 = 17
};

struct Mat5Tag {
  Mat5Storage storage{};
  std::uint32_t bytes = 0;
  bool small = false;  ///< the data are stored within the eight bytes of the tag
};

/// Reads the parts of a matrix element in file order.
class Mat5Elements {
 public:
  Mat5Elements(ByteSource& source, bool big_endian) : source_(source), big_endian_(big_endian) {}

  /// Throws InvalidInput if the element is longer than the rest of the source.
  Mat5Tag tag();

  /// Reads flags, sizes and name. The values follow.
  MatVariable header();

  /// Reads the values, after `header`. Cells may contain arrays, but not cells.
  MatValue values(const MatVariable& variable);

 private:
  MatValue cells(const MatVariable& variable);
  std::u16string characters();
  std::vector<double> numbers();
  std::uint32_t word();
  void skip_padding(const Mat5Tag& tag);
  ElementType element_type(const Mat5Tag& tag) const;

  ByteSource& source_;
  bool big_endian_;
};

}  // namespace dsk::files
