#pragma once

#include <dsk/matrices.hpp>

#include <vector>

namespace dsk::detail {

/// The classes that occur among a training set's labels, numbered from 0 in the order of their first matrices: names do
/// not matter, to the bit.
struct Classes {
  /// Throws InvalidInput if there are fewer than two.
  explicit Classes(const Labels& labels);

  Index samples() const { return static_cast<Index>(of.size()); }
  Index count() const { return static_cast<Index>(members.size()); }
  Index size(int c) const { return static_cast<Index>(members[static_cast<std::size_t>(c)].size()); }
  int operator[](Index i) const { return of[static_cast<std::size_t>(i)]; }

  std::vector<int> of;                      ///< class of each matrix
  std::vector<std::vector<Index>> members;  ///< matrices of each class, ascending
};

}  // namespace dsk::detail
