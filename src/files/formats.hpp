#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/raw_array.hpp"

namespace dsk::files {

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

}  // namespace dsk::files
