#include <dsk/files.hpp>

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "files/file_errors.hpp"
#include "files/formats.hpp"
#include "files/raw_data.hpp"
#include "files/unicode.hpp"

namespace dsk::files {
namespace {

/// Serialises the use of HDF5 and suppresses its messages.
class QuietHdf5 {
 public:
  QuietHdf5() : lock_(mutex_) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_to_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, print_to_); }

 private:
  inline static std::mutex mutex_;
  std::scoped_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_to_ = nullptr;
};

/// An open object of HDF5 and the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The attribute with the name of MATLAB's class; empty where there is none, as in files of h5py.
std::string matlab_class(hid_t data) {
  constexpr const char* name = "MATLAB_class";
  if (H5Aexists(data, name) <= 0) return "";
  const Handle attribute(H5Aopen(data, name, H5P_DEFAULT), H5Aclose);
  const Handle type(attribute.is_open() ? H5Aget_type(attribute) : -1, H5Tclose);
  constexpr std::size_t longest = 64;
  if (!type.is_open() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > longest) return "";
  std::array<char, longest> text{};
  if (H5Aread(attribute, type, text.data()) < 0) return "";
  return {text.data(), ::strnlen(text.data(), size)};
}

MatKind kind_of_data(hid_t data, H5T_class_t type) {
  const std::string name = matlab_class(data);
  if (type == H5T_REFERENCE) return name.empty() || name == "cell" ? MatKind::cell : MatKind::other;
  if (type == H5T_STRING) return MatKind::cell;
  if (type == H5T_FLOAT) return MatKind::floating;
  if (type != H5T_INTEGER) return MatKind::other;
  if (name == "char") return MatKind::text;
  return name.empty() || name.find("int") != std::string::npos ? MatKind::integer : MatKind::other;
}

/// The sizes in MATLAB's order, in which the first index runs fastest.
std::vector<Index> dims_of_space(hid_t space) {
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const int rank = H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::vector<Index> dims;
  for (int i = rank - 1; i >= 0; --i) dims.push_back(static_cast<Index>(sizes[static_cast<std::size_t>(i)]));
  return dims;
}

class Mat73File : public MatFile {
 public:
  explicit Mat73File(const std::filesystem::path& path) : path_(path), file_size_(FileSource(path).size()) {
    const QuietHdf5 quiet;
    const Handle file = open();
    H5G_info_t group{};
    if (H5Gget_info(file, &group) < 0) throw incomplete();
    for (hsize_t k = 0; k < group.nlinks; ++k) {
      std::array<char, 256> name{};
      const auto length =
          H5Lget_name_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, k, name.data(), name.size(), H5P_DEFAULT);
      if (length <= 0 || static_cast<std::size_t>(length) >= name.size()) continue;
      const Handle data(H5Dopen2(file, name.data(), H5P_DEFAULT), H5Dclose);
      if (data.is_open()) add(name.data(), data);
    }
  }

  const std::vector<MatVariable>& variables() const override { return variables_; }

  MatValue read(std::size_t index) override {
    const MatVariable& variable = variables_.at(index);
    const QuietHdf5 quiet;
    const Handle file = open();
    const Handle data(H5Dopen2(file, variable.name.c_str(), H5P_DEFAULT), H5Dclose);
    return values(data, variable.name, true);
  }

 private:
  InvalidInput incomplete() const { return file_error(path_, "is not a complete MAT-file of version 7.3"); }
  InvalidInput unreadable(const std::string& name) const {
    return file_error(path_, fmt::format("{} cannot be read", in_quotes(name)));
  }

  Handle open() const {
    const hid_t id = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) throw incomplete();
    return {id, H5Fclose};
  }

  void add(std::string name, hid_t data) {
    const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    if (!type.is_open() || !space.is_open()) return;
    const H5T_class_t stored = H5Tget_class(type);
    variables_.push_back({std::move(name), kind_of_data(data, stored), dims_of_space(space),
                          stored == H5T_FLOAT && H5Tget_size(type) == sizeof(float)});
  }

  MatValue values(hid_t data, const std::string& name, bool may_be_cell) const {
    const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    if (!type.is_open() || !space.is_open()) throw unreadable(name);
    const H5T_class_t stored = H5Tget_class(type);
    MatValue value{kind_of_data(data, stored), dims_of_space(space), {}, {}, {}};
    // An empty array is stored as its sizes.
    if (H5Aexists(data, "MATLAB_empty") > 0) {
      value.dims = {0, 0};
      return value;
    }
    const auto count = element_count(value.dims);
    if (!count || *count > most_unpacked_bytes(file_size_))
      throw file_error(path_, fmt::format("{} has size {}, more than the file can hold", in_quotes(name),
                                          describe_shape(value.dims)));
    const auto size = static_cast<std::size_t>(*count);
    const auto read_as = [&](hid_t wanted, auto& result) {
      result.resize(size);
      if (H5Dread(data, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) throw unreadable(name);
    };
    if (value.kind == MatKind::text) {
      static_assert(sizeof(char16_t) == sizeof(unsigned short));
      read_as(H5T_NATIVE_USHORT, value.characters);
    } else if (value.kind == MatKind::floating || value.kind == MatKind::integer) {
      read_as(H5T_NATIVE_DOUBLE, value.numbers);
    } else if (value.kind == MatKind::cell && may_be_cell && stored == H5T_STRING) {
      for (const std::string& text : texts(data, size)) value.cells.push_back(cell(text));
    } else if (value.kind == MatKind::cell && may_be_cell) {
      std::vector<hobj_ref_t> references;
      read_as(H5T_STD_REF_OBJ, references);
      for (const hobj_ref_t& reference : references) {
        const Handle object(H5Rdereference2(data, H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose);
        if (!object.is_open() || H5Iget_type(object) != H5I_DATASET) throw unreadable(name);
        value.cells.push_back(values(object, name, false));
      }
    } else {
      throw unreadable(name);
    }
    return value;
  }

  /// Strings of variable or of fixed length.
  std::vector<std::string> texts(hid_t data, std::size_t count) const {
    const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    const bool variable = H5Tis_variable_str(type) > 0;
    const std::size_t width = variable ? sizeof(char*) : H5Tget_size(type);
    const Handle wanted(H5Tcopy(type), H5Tclose);
    if (width == 0 || count > most_unpacked_bytes(file_size_) / width) throw incomplete();
    std::vector<char> bytes(count * width);
    if (H5Dread(data, wanted, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) throw incomplete();
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) {
      const char* const begin = bytes.data() + i * width;
      if (variable) {
        const char* text = nullptr;
        std::copy_n(begin, sizeof(text), reinterpret_cast<char*>(&text));
        result.emplace_back(text == nullptr ? "" : text);
      } else {
        result.emplace_back(begin, ::strnlen(begin, width));
      }
    }
    if (variable) H5Dvlen_reclaim(wanted, space, H5P_DEFAULT, bytes.data());
    return result;
  }

  MatValue cell(const std::string& text) const {
    const auto characters = from_utf8(text);
    if (!characters) throw file_error(path_, "contains text that is not valid Unicode");
    MatValue value{MatKind::text, {}, {}, to_utf16(*characters), {}};
    value.dims = {1, static_cast<Index>(value.characters.size())};
    return value;
  }

  std::filesystem::path path_;
  std::uint64_t file_size_;
  std::vector<MatVariable> variables_;
};

}  // namespace

std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path) {
  return std::make_unique<Mat73File>(path);
}

}  // namespace dsk::files

bool dsk::reads_matlab73() {
  return true;
}
