#include <io/byte_source.hpp>
#include <io/extension.hpp>
#include <io/file_error.hpp>
#include <io/npy.hpp>
#include <io/readers.hpp>

namespace dsk::io {

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

}  // namespace dsk::io
