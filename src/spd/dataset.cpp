#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "machine/shuffle.hpp"
#include "spd/spd.hpp"

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
    throw InvalidInput(
        fmt::format("{} {} for {} matrices; there must be one per matrix", labels->size(), what, matrices));
}

void check_count(Index count) {
  if (count < 1) throw InvalidInput(fmt::format("sample size is {}, but must be at least 1", count));
}

std::vector<Index> first_positions(Index size) {
  std::vector<Index> positions(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

}  // namespace

Labels::Labels(std::span<const long long> labels) : integral_(true) {
  const auto classes = distinct_sorted(labels);
  codes_ = positions(labels, classes);
  for (const long long label : classes) names_.push_back(std::to_string(label));
}

Labels::Labels(std::span<const int> labels) : Labels(std::vector<long long>(labels.begin(), labels.end())) {}

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
      throw InvalidInput(
          fmt::format("label {} has class code {}, but there are {} classes", i, codes_[i], names_.size()));
}

Labels Labels::select(std::span<const Index> indices) const {
  Labels result;
  result.names_ = names_;
  result.integral_ = integral_;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] < 0 || indices[k] >= size())
      throw InvalidInput(fmt::format("index {} (at position {}) is out of range for {} labels", indices[k], k, size()));
    result.codes_.push_back((*this)[indices[k]]);
  }
  return result;
}

Dataset::Dataset(SpdBatch matrices, std::optional<Labels> labels, std::optional<Labels> groups,
                 std::vector<double> weights)
    : matrices_(std::move(matrices)),
      labels_(std::move(labels)),
      groups_(std::move(groups)),
      weights_(std::move(weights)) {
  check_count(labels_, matrices_.size(), "labels");
  check_count(groups_, matrices_.size(), "groups");
  if (!weights_.empty() && static_cast<Index>(weights_.size()) != matrices_.size())
    throw InvalidInput(fmt::format("{} weights do not match {} matrices", weights_.size(), matrices_.size()));
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (!(weights_[i] > 0 && std::isfinite(weights_[i])))
      throw InvalidInput(fmt::format("weight {} is {}, but must be finite and above 0", i, weights_[i]));
}

const Labels& Dataset::labels() const {
  if (!labels_) throw InvalidInput(fmt::format("the data set of {} matrices has no labels", size()));
  return *labels_;
}

const Labels& Dataset::groups() const {
  if (!groups_) throw InvalidInput(fmt::format("the data set of {} matrices has no groups", size()));
  return *groups_;
}

namespace detail {

InvalidInput one_class_only(Index count, std::string_view name) {
  return InvalidInput(
      fmt::format("training needs matrices of at least two classes; all {} are of class '{}'", count, name));
}

void require_two_classes(const Labels& labels) {
  const std::vector<int>& codes = labels.codes();
  if (std::adjacent_find(codes.begin(), codes.end(), std::not_equal_to<>()) != codes.end()) return;
  throw one_class_only(labels.size(), codes.empty() ? "" : labels.names()[static_cast<std::size_t>(codes.front())]);
}

}  // namespace detail

Dataset Dataset::select(std::span<const Index> indices) const {
  const auto chosen = [&](const std::optional<Labels>& all) {
    return all ? std::optional(all->select(indices)) : std::nullopt;
  };
  std::vector<double> weights;
  SpdBatch matrices = matrices_.select(indices);  // checks the indices
  if (!weights_.empty())
    for (const Index i : indices) weights.push_back(weights_[static_cast<std::size_t>(i)]);
  Dataset result(std::move(matrices), chosen(labels_), chosen(groups_), std::move(weights));
  result.channels_ = channels_;
  return result;
}

Dataset Dataset::without_groups() const {
  Dataset result = *this;
  result.groups_.reset();
  return result;
}

Dataset Dataset::with_matrices(SpdBatch matrices) const {
  Dataset result(std::move(matrices), labels_, groups_, weights_);
  if (result.dim() == dim()) result.channels_ = channels_;
  return result;
}

Dataset Dataset::with_channels(std::vector<std::string> names) const {
  if (!names.empty() && std::ssize(names) != dim())
    throw InvalidInput(fmt::format("{} names of channels do not match matrices of size {}", names.size(), dim()));
  Dataset result = *this;
  result.channels_ = std::move(names);
  return result;
}

std::vector<Index> random_sample(Index size, Index count, std::uint64_t seed) {
  check_count(count);
  std::vector<Index> positions = first_positions(size);
  if (count >= size) return positions;
  std::mt19937_64 random(seed);
  detail::shuffle(positions, random);
  positions.resize(static_cast<std::size_t>(count));
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<Index> balanced_sample(const Labels& labels, Index count, std::uint64_t seed) {
  check_count(count);
  if (count >= labels.size()) return first_positions(labels.size());
  std::vector<std::vector<Index>> members(labels.names().size());
  for (Index i = 0; i < labels.size(); ++i) members[static_cast<std::size_t>(labels[i])].push_back(i);
  std::mt19937_64 random(seed);
  for (auto& of_class : members) detail::shuffle(of_class, random);
  std::vector<Index> chosen;
  for (std::size_t turn = 0; static_cast<Index>(chosen.size()) < count; ++turn)
    for (const auto& of_class : members)
      if (turn < of_class.size() && static_cast<Index>(chosen.size()) < count) chosen.push_back(of_class[turn]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace dsk
