#pragma once

#include <dsk/spd/batch.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dsk {

/// One class name per matrix, stored as positions in the sorted list of distinct names.
class Labels {
 public:
  /// Integer labels sort by value, so that class "10" comes after class "9".
  explicit Labels(std::span<const long long> labels);
  explicit Labels(std::span<const std::string> labels);
  /// The classes `names[codes[i]]`. Throws InvalidInput unless the names are sorted, as above, and distinct, the names
  /// of integral labels are integers, and the codes are positions in the names.
  Labels(std::vector<std::string> names, std::vector<int> codes, bool integral);

  Index size() const { return static_cast<Index>(codes_.size()); }
  /// Position of matrix i's class in `names()`.
  int operator[](Index i) const { return codes_[static_cast<std::size_t>(i)]; }
  const std::vector<int>& codes() const { return codes_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Whether the labels came as integers; decides how they are written back.
  bool integral() const { return integral_; }
  /// The labels at `indices`, in that order. Keeps all names, so that codes mean the same class.
  Labels select(std::span<const Index> indices) const;

 private:
  Labels() = default;
  std::vector<int> codes_;
  std::vector<std::string> names_;
  bool integral_ = false;
};

/// Matrices with what is known of them. Throws InvalidInput if labels or groups do not number as many as matrices.
class Dataset {
 public:
  explicit Dataset(SpdBatch matrices, std::optional<Labels> labels = {}, std::optional<Labels> groups = {});

  const SpdBatch& matrices() const { return matrices_; }
  bool has_labels() const { return labels_.has_value(); }
  bool has_groups() const { return groups_.has_value(); }
  /// Throws InvalidInput if the data set has none.
  const Labels& labels() const;
  const Labels& groups() const;
  Index size() const { return matrices_.size(); }
  Index dim() const { return matrices_.dim(); }
  Dataset select(std::span<const Index> indices) const;

 private:
  SpdBatch matrices_;
  std::optional<Labels> labels_;
  std::optional<Labels> groups_;
};

}  // namespace dsk
