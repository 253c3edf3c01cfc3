#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace dsk {
namespace {

template <class T>
std::vector<T> distinct_sorted(std::span<const T> labels) {
  std::vector<T> result(labels.begin(), labels.end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <class T>
std::vector<int> positions(std::span<const T> labels, const std::vector<T>& classes) {
  std::vector<int> codes;
  codes.reserve(labels.size());
  for (const T& label : labels)
    codes.push_back(static_cast<int>(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin()));
  return codes;
}

long long integer(const std::string& name) {
  long long value = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (fault != std::errc() || end != name.data() + name.size() || name != std::to_string(value))
    throw InvalidInput(fmt::format("class name '{}' is not an integer", name));
  return value;
}

void check_count(const std::optional<Labels>& labels, Index matrices, std::string_view what) {
  if (labels && labels->size() != matrices)
    throw InvalidInput(fmt::format("{} {} do not fit {} matrices", labels->size(), what, matrices));
}

}  // namespace

Labels::Labels(std::span<const long long> labels) : integral_(true) {
  const auto classes = distinct_sorted(labels);
  codes_ = positions(labels, classes);
  for (const long long label : classes) names_.push_back(std::to_string(label));
}

Labels::Labels(std::span<const std::string> labels) : names_(distinct_sorted(labels)) {
  codes_ = positions(labels, names_);
}

Labels::Labels(std::vector<std::string> names, std::vector<int> codes, bool integral)
    : codes_(std::move(codes)), names_(std::move(names)), integral_(integral) {
  std::vector<long long> numbers;
  if (integral_) std::transform(names_.begin(), names_.end(), std::back_inserter(numbers), integer);
  const auto check_order = [&](const auto& sorted) {
    for (std::size_t k = 1; k < sorted.size(); ++k)
      if (!(sorted[k - 1] < sorted[k]))
        throw InvalidInput(fmt::format("class names {} and {} are not in ascending order", k - 1, k));
  };
  integral_ ? check_order(numbers) : check_order(names_);
  for (std::size_t i = 0; i < codes_.size(); ++i)
    if (codes_[i] < 0 || static_cast<std::size_t>(codes_[i]) >= names_.size())
      throw InvalidInput(fmt::format("label {} is class {} of {}", i, codes_[i], names_.size()));
}

Labels Labels::select(std::span<const Index> indices) const {
  Labels result;
  result.names_ = names_;
  result.integral_ = integral_;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] < 0 || indices[k] >= size())
      throw InvalidInput(fmt::format("index {} (entry {}) is outside the {} labels", indices[k], k, size()));
    result.codes_.push_back((*this)[indices[k]]);
  }
  return result;
}

Dataset::Dataset(SpdBatch matrices, std::optional<Labels> labels, std::optional<Labels> groups)
    : matrices_(std::move(matrices)), labels_(std::move(labels)), groups_(std::move(groups)) {
  check_count(labels_, matrices_.size(), "labels");
  check_count(groups_, matrices_.size(), "groups");
}

const Labels& Dataset::labels() const {
  if (!labels_) throw InvalidInput(fmt::format("the data set of {} matrices has no labels", size()));
  return *labels_;
}

const Labels& Dataset::groups() const {
  if (!groups_) throw InvalidInput(fmt::format("the data set of {} matrices has no groups", size()));
  return *groups_;
}

Dataset Dataset::select(std::span<const Index> indices) const {
  const auto chosen = [&](const std::optional<Labels>& all) {
    return all ? std::optional(all->select(indices)) : std::nullopt;
  };
  return Dataset(matrices_.select(indices), chosen(labels_), chosen(groups_));
}

}  // namespace dsk
