#include "files/raw_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dsk::files {

std::optional<std::uint64_t> element_count(const std::vector<Index>& shape) {
  std::uint64_t count = 1;
  for (const Index size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return {};
  }
  return count;
}

std::string describe_shape(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape) {
  if (shape.size() < 2 || values.empty()) return values;
  const auto rows = static_cast<std::size_t>(shape.front());
  const std::size_t columns = values.size() / rows;

  // Position of each stored column (the indices behind the first) within one row-major row.
  std::vector<std::size_t> place(columns);
  std::vector<Index> index(shape.size(), 0);
  for (std::size_t& position : place) {
    position = 0;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      position = position * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    }
    for (std::size_t axis = 1; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
  }

  std::vector<double> result(values.size());
  constexpr std::size_t strip = 64;  // rows whose destinations stay in cache together
  for (std::size_t first = 0; first < rows; first += strip) {
    const std::size_t last = std::min(first + strip, rows);
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = first; row < last; ++row) {
        result[row * columns + place[column]] = values[column * rows + row];
      }
    }
  }
  return result;
}

}  // namespace dsk::files
