#pragma once

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Builds valid and invalid files byte by byte.
namespace dsk::test {

template <class Value>
std::string bytes_of(const std::vector<Value>& values, bool big_endian = false) {
  std::string bytes;
  for (const Value& value : values) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    std::string element(reinterpret_cast<const char*>(raw.data()), raw.size());
    if (big_endian) std::reverse(element.begin(), element.end());
    bytes += element;
  }
  return bytes;
}

inline std::string npy_with_header(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool column_major = false, int version = 1) {
  return npy_with_header("{'descr': '" + descr + "', 'fortran_order': " + (column_major ? "True" : "False") +
                             ", 'shape': " + shape + ", }\n",
                         data, version);
}

/// Two matrices, [[2, 1], [1, 2]] and [[3, 1], [1, 5]].
inline const std::vector<double> two_matrices{2, 1, 1, 2, 3, 1, 1, 5};

inline std::string two_matrices_npy() {
  return npy("<f8", "(2, 2, 2)", bytes_of(two_matrices));
}

inline void make_zip(const std::filesystem::path& path, const std::vector<std::pair<std::string, std::string>>& members,
                     bool deflated = false) {
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const auto index = static_cast<zip_uint64_t>(zip_file_add(archive, name.c_str(), source, 0));
    zip_set_file_compression(archive, index, deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(archive);
}

inline std::string word(std::uint32_t value) {
  return bytes_of(std::vector{value});
}

/// An element of a MAT-file of version 5, padded to a multiple of eight bytes.
inline std::string mat_element(std::uint32_t storage, const std::string& data) {
  return word(storage) + word(static_cast<std::uint32_t>(data.size())) + data +
         std::string((8 - data.size() % 8) % 8, '\0');
}

inline std::string mat_matrix(std::uint32_t array_class, const std::vector<std::int32_t>& dims, const std::string& name,
                              const std::string& content) {
  return mat_element(14, mat_element(6, word(array_class) + word(0)) + mat_element(5, bytes_of(dims)) +
                             mat_element(1, name) + content);
}

inline std::string mat_doubles(const std::vector<std::int32_t>& dims, const std::string& name,
                               const std::vector<double>& values) {
  return mat_matrix(6, dims, name, mat_element(9, bytes_of(values)));
}

inline std::string mat_file(const std::string& variables) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\0\1IM", 4) + variables;
}

}  // namespace dsk::test
