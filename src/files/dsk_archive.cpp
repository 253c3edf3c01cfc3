#include "files/dsk_archive.hpp"

#include <dsk/files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/formats.hpp"
#include "files/zip.hpp"

namespace dsk::files {
namespace {

constexpr const char* meta_member = "meta.json";
constexpr const char* format_name = "dsk";
constexpr std::size_t longest_meta = std::size_t{1} << 26;
/// We write .dsk files without compression; one that somebody compresses is hardly ever a tenth of its size.
constexpr std::uint64_t most_expansion = 16;

std::string member_of(const std::string& array) {
  return array + ".npy";
}

nlohmann::json read_meta(const files::ZipReader& zip, const std::filesystem::path& file) {
  if (!zip.contains(meta_member)) throw files::file_error(file, "is not a .dsk file: it contains no meta.json");
  files::ZipMember member = zip.open(meta_member);
  if (member.remaining() > longest_meta)
    throw files::file_error(member.name(),
                            fmt::format("has {} bytes, more than the limit of {}", member.remaining(), longest_meta));
  if (zip.unpacked_bytes() / most_expansion > zip.file_bytes()) {
    throw files::file_error(file, fmt::format("is compressed too much: its members have {} bytes, the file {}",
                                              zip.unpacked_bytes(), zip.file_bytes()));
  }
  const std::string text = files::read_text(member);
  member.finish();
  if (is_nested_too_deeply(text)) throw files::file_error(member.name(), "is nested too deeply");
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw files::file_error(member.name(), "is not JSON");
  }
}

std::string as_text(const nlohmann::ordered_json& meta, const std::filesystem::path& file) {
  try {
    std::string text = meta.dump(2) + "\n";
    if (text.size() <= longest_meta) return text;
  } catch (const nlohmann::json::exception&) {
    throw files::file_error(file, "cannot be written: it contains text that is not UTF-8");
  }
  throw files::file_error(file, fmt::format("cannot be written: its text takes more than {} bytes", longest_meta));
}

bool matches(const std::vector<Index>& shape, const std::vector<Index>& wanted) {
  return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                    [](Index size, Index expected) { return expected == ArchiveReader::any_size || size == expected; });
}

std::string describe_expected(const std::vector<Index>& shape) {
  std::vector<std::string> sizes;
  sizes.reserve(shape.size());
  for (const Index size : shape) sizes.push_back(size == ArchiveReader::any_size ? "n" : std::to_string(size));
  return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

}  // namespace

void Checksum::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // zlib resets the checksum if given a null pointer
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

void write_archive(const std::filesystem::path& file, std::string_view kind, const nlohmann::ordered_json& fields,
                   std::span<const NamedArray> arrays, long long version) {
  check_model_name(file);
  nlohmann::ordered_json meta{{"format", format_name}, {"version", version}, {"kind", kind}};
  meta.update(fields);
  std::vector<std::string> headers;
  for (const NamedArray& array : arrays) {
    headers.push_back(files::npy_header("<f8", array.shape));
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(headers.back())));
    checksum.add(std::as_bytes(array.values));
    meta["crc32"][member_of(array.name)] = checksum.text();
  }
  files::ZipWriter zip(file);
  zip.add(meta_member, as_text(meta, file));
  for (std::size_t k = 0; k < arrays.size(); ++k)
    zip.add(member_of(arrays[k].name), headers[k], std::as_bytes(arrays[k].values));
  zip.commit();
}

ArchiveReader::ArchiveReader(const std::filesystem::path& file)
    : zip_(file), meta_name_(fmt::format("{}: {}", file.string(), meta_member)), meta_(read_meta(zip_, file)) {
  if (fields().text("format") != format_name)
    throw files::file_error(file, "is not a .dsk file: the format in meta.json is not dsk");
  const long long version = fields().count("version");
  if (version > newest_version)
    throw files::file_error(
        file, fmt::format("was written by a newer dsk: its format version is {}, this dsk reads up to {}", version,
                          newest_version));
  if (version < 1) throw files::file_error(file, "has format version 0, but the first version is 1");
}

std::vector<double> ArchiveReader::read(const std::string& name, const std::vector<Index>& shape) const {
  const std::string member_name = member_of(name);
  const std::string written = fields().object("crc32").text(member_name);
  files::ZipMember member = zip_.open(member_name);
  ChecksumSource source(member);
  const files::NpyHeader header = files::read_npy_header(source);
  if (header.type.kind != files::ElementKind::floating || header.type.bytes != sizeof(double))
    throw files::file_error(member.name(), fmt::format("has type {}, not float64", files::in_quotes(header.descr)));
  if (!matches(header.shape, shape))
    throw files::file_error(member.name(), fmt::format("has shape {}, not {}", files::describe_shape(header.shape),
                                                       describe_expected(shape)));
  auto values = std::get<std::vector<double>>(files::read_npy_values(source, header).values);
  member.finish();
  if (source.checksum() != written)
    throw files::file_error(member.name(), fmt::format("is corrupted: its checksum is {}, not {}", source.checksum(),
                                                       files::in_quotes(written)));
  return values;
}

void ArchiveContent::add(std::string name, std::vector<Index> shape, std::vector<double> values) {
  kept_.push_back(std::move(values));
  arrays_.push_back({std::move(name), std::move(shape), kept_.back()});
}

void ArchiveContent::add_arrays(ArchiveContent&& part, const std::string& prefix) {
  version = std::max(version, part.version);
  // The numbers of a moved vector stay where they are, and views of them valid.
  for (std::vector<double>& values : part.kept_) kept_.push_back(std::move(values));
  for (NamedArray& array : part.arrays_) arrays_.push_back({prefix + array.name, std::move(array.shape), array.values});
}

}  // namespace dsk::files

namespace dsk {

void check_model_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".dsk") throw files::wrong_extension(file, ".dsk");
}

}  // namespace dsk
