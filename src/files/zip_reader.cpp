#include "files/zip_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "files/file_error.hpp"
#include "files/packing_limit.hpp"

namespace dsk::files {

std::size_t ZipMember::read(std::span<std::byte> bytes) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  std::size_t done = 0;
  while (done < wanted) {
    const auto got = zip_fread(file_.get(), bytes.data() + done, wanted - done);
    if (got < 0) throw file_error(name_, fmt::format("cannot be unpacked: {}", zip_file_strerror(file_.get())));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  left_ -= done;
  return done;
}

void ZipMember::finish() {
  std::array<std::byte, 1> beyond;
  const auto got = left_ > 0 ? 1 : zip_fread(file_.get(), beyond.data(), beyond.size());
  if (got < 0) throw file_error(name_, fmt::format("cannot be unpacked: {}", zip_file_strerror(file_.get())));
  if (got > 0) throw file_error(name_, "holds more bytes than it claims");
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
    throw file_error(path, fmt::format("is not a whole zip archive: {}", reason));
  }
  std::set<std::string> seen;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
    const char* const name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) throw file_error(path, "has a member without a name");
    if (!seen.insert(name).second) throw file_error(path, fmt::format("has two members named {}", in_quotes(name)));
    names_.emplace_back(name);
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
  if (status.comp_size > file_size_) throw file_error(member.name_, "claims more bytes than the file has");
  if (status.size > most_unpacked_bytes(status.comp_size)) {
    throw file_error(member.name_,
                     fmt::format("claims {} bytes, impossible from {} packed ones", status.size, status.comp_size));
  }
  member.file_.reset(zip_fopen_index(archive_.get(), status.index, 0));
  if (!member.file_) {
    throw file_error(member.name_, fmt::format("cannot be unpacked: {}", zip_strerror(archive_.get())));
  }
  member.left_ = status.size;
  return member;
}

}  // namespace dsk::files
