#include "files/byte_source.hpp"
#include "files/extension.hpp"
#include "files/file_error.hpp"
#include "files/npy.hpp"
#include "files/readers.hpp"

namespace dsk::files {

RawArray read_labels(const std::filesystem::path& path) {
  switch (format_of(path)) {
    case FileFormat::npy: {
      FileSource source(path);
      return read_npy(source);
    }
    case FileFormat::csv:
      return read_csv_labels(path);
    default:
      throw file_error(path, "labels are read from .npy or .csv");
  }
}

}  // namespace dsk::files
