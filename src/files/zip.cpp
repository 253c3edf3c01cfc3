#include "files/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "files/file_errors.hpp"
#include "files/raw_data.hpp"

namespace dsk::files {
namespace {

InvalidInput write_error(const std::filesystem::path& path, std::string_view reason) {
  return file_error(path, fmt::format("cannot be written: {}", reason));
}

}  // namespace

std::size_t ZipMember::read(std::span<std::byte> bytes) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  std::size_t done = 0;
  while (done < wanted) {
    const auto got = zip_fread(file_.get(), bytes.data() + done, wanted - done);
    if (got < 0) throw file_error(name_, fmt::format("cannot be decompressed: {}", zip_file_strerror(file_.get())));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  left_ -= done;
  return done;
}

void ZipMember::finish() {
  std::array<std::byte, 1> beyond;
  const auto got = left_ > 0 ? 1 : zip_fread(file_.get(), beyond.data(), beyond.size());
  if (got < 0) throw file_error(name_, fmt::format("cannot be decompressed: {}", zip_file_strerror(file_.get())));
  if (got > 0) throw file_error(name_, "is longer than its header says");
}

ZipReader::ZipReader(const std::filesystem::path& path) : path_(path) {
  file_size_ = FileSource(path).size();
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive_) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw file_error(path, fmt::format("is not a complete zip archive: {}", reason));
  }
  std::set<std::string> seen;
  std::uint64_t packed_left = file_size_;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
    const char* const name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) throw file_error(path, "has a member without a name");
    if (!seen.insert(name).second) throw file_error(path, fmt::format("has two members named {}", in_quotes(name)));
    names_.emplace_back(name);
    zip_stat_t status;
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(i), 0, &status) != 0 ||
        (status.valid & needed) != needed) {
      throw file_error(path, fmt::format("has a member {} without a size", in_quotes(name)));
    }
    if (status.comp_size > packed_left) throw file_error(path, "has members that are larger than the file together");
    packed_left -= status.comp_size;
    unpacked_size_ += std::min<std::uint64_t>(status.size, std::numeric_limits<std::uint64_t>::max() - unpacked_size_);
  }
}

bool ZipReader::contains(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

ZipMember ZipReader::open(const std::string& name) const {
  ZipMember member;
  member.name_ = fmt::format("{}: {}", path_.string(), name);
  zip_stat_t status;
  constexpr zip_uint64_t needed = ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat(archive_.get(), name.c_str(), 0, &status) != 0 || (status.valid & needed) != needed) {
    throw file_error(path_, fmt::format("has no member {}", in_quotes(name)));
  }
  if (status.size > most_unpacked_bytes(status.comp_size)) {
    throw file_error(member.name_,
                     fmt::format("has {} bytes according to its header, impossible for {} compressed bytes",
                                 status.size, status.comp_size));
  }
  member.file_.reset(zip_fopen_index(archive_.get(), status.index, 0));
  if (!member.file_) {
    throw file_error(member.name_, fmt::format("cannot be decompressed: {}", zip_strerror(archive_.get())));
  }
  member.left_ = status.size;
  return member;
}

ZipWriter::ZipWriter(const std::filesystem::path& path) : path_(path), file_(path) {
  int code = 0;
  archive_.reset(zip_open(file_.temporary_path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive_) throw write_error(path, fmt::format("zip error {}", code));
}

void ZipWriter::add(const std::string& name, std::string first_bytes, std::span<const std::byte> data) {
  first_bytes_.push_back(std::make_unique<std::string>(std::move(first_bytes)));
  const auto as_fragment = [](const void* bytes, std::size_t size) {
    return zip_buffer_fragment_t{static_cast<zip_uint8_t*>(const_cast<void*>(bytes)), size};
  };
  const std::array fragments{as_fragment(first_bytes_.back()->data(), first_bytes_.back()->size()),
                             as_fragment(data.data(), data.size())};
  zip_source_t* const source = zip_source_buffer_fragment(archive_.get(), fragments.data(), data.empty() ? 1 : 2, 0);
  const auto index = zip_file_add(archive_.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    throw write_error(path_, zip_strerror(archive_.get()));
  }
  zip_set_file_compression(archive_.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  // A fixed time stamp, so that the same data give the same bytes.
  zip_file_set_dostime(archive_.get(), static_cast<zip_uint64_t>(index), 0, 0x21, 0);
}

void ZipWriter::commit() {
  if (zip_close(archive_.get()) != 0) throw write_error(path_, zip_strerror(archive_.get()));
  static_cast<void>(archive_.release());
  file_.commit();
}

}  // namespace dsk::files
