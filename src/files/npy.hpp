#pragma once

#include <string>

#include "files/raw_array.hpp"

namespace dsk::files {

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

/// Reads the data after the header: doubles, integers or strings, depending on the type.
RawArray read_npy_values(ByteSource& source, const NpyHeader& header);

inline RawArray read_npy(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  return read_npy_values(source, header);
}

}  // namespace dsk::files
