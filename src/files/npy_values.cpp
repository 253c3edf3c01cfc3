#include <limits>

#include "files/file_error.hpp"
#include "files/npy.hpp"

namespace dsk::files {
namespace {

// Texts without bytes cost memory without being in the file.
constexpr std::uint64_t most_empty_texts = 1 << 24;

}  // namespace

RawArray read_npy_values(ByteSource& source, const NpyHeader& header) {
  const auto count = element_count(header.shape).value();
  RawArray array{header.shape, {}};
  if (header.type.is_text()) {
    if (header.type.bytes == 0 && count > most_empty_texts) throw file_error(source.name(), "holds only empty texts");
    array.values = read_texts(source, header.type, count);
  } else if (header.type.kind == ElementKind::floating) {
    array.values = read_doubles(source, header.type, count);
  } else {
    array.values = read_integers(source, header.type, count);
  }
  if (header.column_major) {
    if (auto* numbers = std::get_if<std::vector<double>>(&array.values)) {
      *numbers = from_column_major(*numbers, header.shape);
    }
  }
  return array;
}

}  // namespace dsk::files
