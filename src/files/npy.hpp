#pragma once

#include <string>

#include "files/element_type.hpp"
#include "files/raw_array.hpp"

namespace dsk::files {

/// NumPy's header: what follows it and how it lies.
struct NpyHeader {
  ElementType type;
  std::string descr;  ///< NumPy's own word for the type, such as "<f8"
  bool column_major = false;
  std::vector<Index> shape;
};

/// Reads the header (format 1.0 to 3.0) and checks that the source holds exactly the data it promises.
NpyHeader read_npy_header(ByteSource& source);

/// Everything up to the data, for row-major arrays, in format 1.0.
std::string npy_header(const std::string& descr, const std::vector<Index>& shape);

/// The data that follow the header: doubles, integers or texts as the type says.
RawArray read_npy_values(ByteSource& source, const NpyHeader& header);

inline RawArray read_npy(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  return read_npy_values(source, header);
}

}  // namespace dsk::files
