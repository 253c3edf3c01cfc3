#pragma once

#include <zip.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/atomic_file.hpp"

namespace dsk::files {

/// A zip archive that appears whole or not at all, its members stored unpacked as NumPy does.
class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path);

  /// The first bytes are kept; `data` must stay in place until `commit`.
  void add(const std::string& name, std::string first_bytes, std::span<const std::byte> data = {});
  void commit();

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  std::filesystem::path path_;
  AtomicFile file_;
  std::vector<std::unique_ptr<std::string>> first_bytes_;
  std::unique_ptr<zip_t, Discard> archive_;
};

}  // namespace dsk::files
