#include "files/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/file_error.hpp"

namespace dsk::files {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

std::vector<long long> as_integers(const std::vector<double>& values, const std::filesystem::path& file,
                                   std::string_view what) {
  std::vector<long long> result;
  result.reserve(values.size());
  for (const double value : values) {
    if (!(std::abs(value) <= largest_exact_integer) || value != std::floor(value)) {
      throw file_error(file,
                       fmt::format("{} must be integers or text, but entry {} is {}", what, result.size(), value));
    }
    result.push_back(static_cast<long long>(value));
  }
  return result;
}

}  // namespace

MatrixStack as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what) {
  const std::string shape = describe_shape(array.shape);
  if (array.shape.size() != 3) {
    throw file_error(file, fmt::format("{} has shape {}, not (n, d, d)", what, shape));
  }
  if (array.shape[1] != array.shape[2]) {
    throw file_error(file, fmt::format("{} has shape {}: the matrices are not square", what, shape));
  }
  if (const auto* const integers = std::get_if<std::vector<long long>>(&array.values))
    array.values = std::vector<double>(integers->begin(), integers->end());
  auto* values = std::get_if<std::vector<double>>(&array.values);
  if (values == nullptr) throw file_error(file, fmt::format("{} contains text, not numbers", what));
  if (values->empty()) throw file_error(file, fmt::format("{} has shape {}: it contains no matrices", what, shape));
  return {array.shape[0], array.shape[1], std::move(*values)};
}

Labels as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what) {
  const auto longer_axes = std::count_if(array.shape.begin(), array.shape.end(), [](Index size) { return size != 1; });
  if (longer_axes > 1) {
    throw file_error(file, fmt::format("{} have shape {}, not (n,)", what, describe_shape(array.shape)));
  }
  return std::visit(
      [&](const auto& values) {
        if (values.empty()) throw file_error(file, fmt::format("{} are empty", what));
        if constexpr (std::is_same_v<decltype(values), const std::vector<double>&>) {
          return Labels(as_integers(values, file, what));
        } else {
          return Labels(values);
        }
      },
      array.values);
}

std::pair<Index, Index> chosen_rows(const RowChoice& rows, Index count, const std::filesystem::path& file) {
  const auto [first, last] = rows(count);
  if (first < 0 || first >= last || last > count)
    throw file_error(
        file, fmt::format("has {} matrices, but the matrices from {} to {} were requested", count, first, last - 1));
  return {first, last};
}

}  // namespace dsk::files
