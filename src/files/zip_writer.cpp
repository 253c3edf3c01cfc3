#include "files/zip_writer.hpp"

#include <fmt/format.h>

#include <array>

#include "files/file_error.hpp"

namespace dsk::files {
namespace {

InvalidInput write_error(const std::filesystem::path& path, std::string_view reason) {
  return file_error(path, fmt::format("cannot be written: {}", reason));
}

}  // namespace

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
  // A fixed time: the same data give the same bytes.
  zip_file_set_dostime(archive_.get(), static_cast<zip_uint64_t>(index), 0, 0x21, 0);
}

void ZipWriter::commit() {
  if (zip_close(archive_.get()) != 0) throw write_error(path_, zip_strerror(archive_.get()));
  static_cast<void>(archive_.release());
  file_.commit();
}

}  // namespace dsk::files
