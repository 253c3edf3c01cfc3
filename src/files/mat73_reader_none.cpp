#include <dsk/files.hpp>

#include "files/file_errors.hpp"
#include "files/formats.hpp"

// A build without HDF5.
namespace dsk::files {

std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path) {
  throw file_error(path,
                   "is a MAT-file of version 7.3, which this build of dsk cannot read (-DDSK_WITH_HDF5=ON); in "
                   "MATLAB, save it with -v7");
}

}  // namespace dsk::files

bool dsk::reads_matlab73() {
  return false;
}
