#include <fmt/format.h>
#include <hdf5.h>
#include <matio.h>

#include <mutex>

#include "files/byte_source.hpp"
#include "files/mat_file.hpp"
#include "files/text.hpp"

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

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using OpenFile = std::unique_ptr<mat_t, CloseFile>;
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

MatKind kind_of(const matvar_t& variable) {
  if (variable.isComplex != 0) return MatKind::other;
  switch (variable.class_type) {
    case MAT_C_CELL:
      return MatKind::cell;
    case MAT_C_CHAR:
      return MatKind::text;
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
      return MatKind::floating;
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
      return MatKind::integer;
    default:
      return MatKind::other;
  }
}

std::vector<Index> dims_of(const matvar_t& variable, const std::filesystem::path& path) {
  std::vector<Index> dims;
  for (int i = 0; i < variable.rank; ++i) {
    const std::size_t size = variable.dims[i];
    if (size > (std::size_t{1} << 62)) throw file_error(path, "has a size that exceeds any memory");
    dims.push_back(static_cast<Index>(size));
  }
  return dims;
}

template <class Stored, class Result>
void append(const matvar_t& variable, Result& result) {
  const auto* const data = static_cast<const Stored*>(variable.data);
  const std::size_t count = data == nullptr ? 0 : variable.nbytes / sizeof(Stored);
  for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<typename Result::value_type>(data[i]));
}

template <class Result>
bool append_any(const matvar_t& variable, Result& result) {
  switch (variable.data_type) {
    case MAT_T_DOUBLE:
      return append<double>(variable, result), true;
    case MAT_T_SINGLE:
      return append<float>(variable, result), true;
    case MAT_T_INT8:
      return append<std::int8_t>(variable, result), true;
    case MAT_T_UINT8:
    case MAT_T_UTF8:
      return append<std::uint8_t>(variable, result), true;
    case MAT_T_INT16:
      return append<std::int16_t>(variable, result), true;
    case MAT_T_UINT16:
    case MAT_T_UTF16:
      return append<std::uint16_t>(variable, result), true;
    case MAT_T_INT32:
      return append<std::int32_t>(variable, result), true;
    case MAT_T_UINT32:
      return append<std::uint32_t>(variable, result), true;
    case MAT_T_INT64:
      return append<std::int64_t>(variable, result), true;
    case MAT_T_UINT64:
      return append<std::uint64_t>(variable, result), true;
    default:
      return false;
  }
}

class Mat73File : public MatFile {
 public:
  explicit Mat73File(const std::filesystem::path& path) : path_(path), file_size_(FileSource(path).size()) {
    const QuietHdf5 hdf5;
    file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
    if (!file_) throw file_error(path, "is not a complete MAT-file of version 7.3");
    for (Variable info; info.reset(Mat_VarReadNextInfo(file_.get())), info;) {
      if (info->name == nullptr) continue;
      variables_.push_back({info->name, kind_of(*info), dims_of(*info, path), info->class_type == MAT_C_SINGLE});
    }
  }

  ~Mat73File() override {
    const QuietHdf5 hdf5;
    file_.reset();
  }

  const std::vector<MatVariable>& variables() const override { return variables_; }

  MatValue read(std::size_t index) override {
    const MatVariable& variable = variables_.at(index);
    const auto count = element_count(variable.dims);
    if (!count || *count > most_unpacked_bytes(file_size_)) {
      throw file_error(path_, fmt::format("{} has size {}, more than the file can hold", in_quotes(variable.name),
                                          describe_shape(variable.dims)));
    }
    const QuietHdf5 hdf5;
    const Variable whole(Mat_VarRead(file_.get(), variable.name.c_str()));
    if (!whole) throw file_error(path_, fmt::format("{} cannot be read", in_quotes(variable.name)));
    return convert(*whole);
  }

 private:
  MatValue convert(const matvar_t& variable) const {
    MatValue value{kind_of(variable), dims_of(variable, path_), {}, {}, {}};
    const auto count = element_count(value.dims);
    bool good = count.has_value();
    std::size_t found = 0;
    if (value.kind == MatKind::cell) {
      const auto* const cells = static_cast<matvar_t* const*>(variable.data);
      found = cells == nullptr ? 0 : variable.nbytes / sizeof(matvar_t*);
      for (std::size_t i = 0; i < found && good; ++i) {
        good = cells[i] != nullptr && cells[i]->class_type != MAT_C_CELL;
        if (good) value.cells.push_back(convert(*cells[i]));
      }
    } else if (value.kind == MatKind::text) {
      good = good && append_any(variable, value.characters);
      found = value.characters.size();
    } else {
      good = good && value.kind != MatKind::other && append_any(variable, value.numbers);
      found = value.numbers.size();
    }
    if (!good || *count != found) throw file_error(path_, "contains a variable that cannot be read");
    return value;
  }

  std::filesystem::path path_;
  std::uint64_t file_size_;
  OpenFile file_;
  std::vector<MatVariable> variables_;
};

}  // namespace

std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path) {
  return std::make_unique<Mat73File>(path);
}

}  // namespace dsk::files
