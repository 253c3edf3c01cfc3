#pragma once

#include <dsk/matrices.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dsk::files {

/// An array as a file holds it, before anything is known of its use. Row-major.
struct RawArray {
  std::vector<Index> shape;
  std::variant<std::vector<double>, std::vector<long long>, std::vector<std::string>> values;
};

/// What a data file held, before it is checked.
struct RawDataset {
  MatrixStack matrices;
  std::optional<RawArray> labels;
  std::optional<RawArray> groups;
  bool single_precision = false;  ///< the matrices came as float32 and are symmetric only as far as that goes
  Index unread = 0;               ///< matrices that the file holds beside these
};

/// Which of `count` matrices are wanted, first <= i < last; empty: all.
using RowChoice = std::function<std::pair<Index, Index>(Index count)>;

/// The product of the sizes, or nothing if one is negative or the product overflows.
std::optional<std::uint64_t> element_count(const std::vector<Index>& shape);

/// "(200, 5, 5)"
std::string describe_shape(const std::vector<Index>& shape);

/// Values stored with the first position running fastest, put into row-major order.
std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape);

}  // namespace dsk::files
