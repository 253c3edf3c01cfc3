#include <array>
#include <type_traits>

#include "files/file_error.hpp"
#include "files/inflate_source.hpp"
#include "files/mat5_element.hpp"

namespace dsk::files {
namespace {

constexpr std::uint64_t header_bytes = 128;

class Mat5File : public MatFile {
 public:
  explicit Mat5File(const std::filesystem::path& path) : file_(path) {
    std::array<std::byte, header_bytes> header;
    if (file_.read(header) != header.size()) throw file_error(path, "is not a MAT-file");
    const auto mark = [&](char first, char second) {
      return header[126] == static_cast<std::byte>(first) && header[127] == static_cast<std::byte>(second);
    };
    big_endian_ = mark('M', 'I');
    if (!big_endian_ && !mark('I', 'M')) throw file_error(path, "is not a MAT-file of version 5 to 7.3");
    if (header[big_endian_ ? 124 : 125] != std::byte{1}) throw file_error(path, "is not a whole MAT-file");
    while (file_.remaining() > 0) add_variable();
  }

  const std::vector<MatVariable>& variables() const override { return variables_; }

  MatValue read(std::size_t variable) override {
    file_.seek(positions_.at(variable));
    return with_next_matrix([](Mat5Elements& elements) {
      const MatVariable header = elements.header();
      return elements.values(header);
    });
  }

 private:
  /// Calls `use` on the inside of the matrix that starts here, packed or not.
  template <class Use>
  std::invoke_result_t<Use, Mat5Elements&> with_next_matrix(const Use& use) {
    const Mat5Tag outer = Mat5Elements(file_, big_endian_).tag();
    LimitedSource content(file_, outer.bytes);
    if (outer.storage != Mat5Storage::compressed) {
      Mat5Elements elements(content, big_endian_);
      return use(elements);
    }
    InflateSource unpacked(content);
    const Mat5Tag tag = Mat5Elements(unpacked, big_endian_).tag();
    if (tag.storage != Mat5Storage::matrix) throw file_error(file_.name(), "holds compressed data of an unknown kind");
    LimitedSource matrix(unpacked, tag.bytes);
    Mat5Elements elements(matrix, big_endian_);
    return use(elements);
  }

  void add_variable() {
    const std::uint64_t start = file_.position();
    const Mat5Tag outer = Mat5Elements(file_, big_endian_).tag();
    const std::uint64_t end = file_.position() + outer.bytes;
    if (outer.storage == Mat5Storage::matrix || outer.storage == Mat5Storage::compressed) {
      file_.seek(start);
      variables_.push_back(with_next_matrix([](Mat5Elements& elements) { return elements.header(); }));
      positions_.push_back(start);
    }
    file_.seek(end);
  }

  FileSource file_;
  bool big_endian_ = false;
  std::vector<MatVariable> variables_;
  std::vector<std::uint64_t> positions_;
};

}  // namespace

std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path) {
  return std::make_unique<Mat5File>(path);
}

}  // namespace dsk::files
