#include "learn/classes.hpp"

#include <fmt/format.h>

namespace dsk::detail {

Classes::Classes(const Labels& labels) : of(static_cast<std::size_t>(labels.size())) {
  std::vector<int> number(labels.names().size(), -1);
  int next = 0;
  for (const int code : labels.codes()) {
    int& value = number[static_cast<std::size_t>(code)];
    if (value < 0) value = next++;
  }
  if (next < 2)
    throw InvalidInput(fmt::format("learning needs matrices of at least two classes; all {} are of class '{}'",
                                   labels.size(),
                                   labels.size() == 0 ? "" : labels.names()[static_cast<std::size_t>(labels[0])]));
  members.resize(static_cast<std::size_t>(next));
  for (Index i = 0; i < labels.size(); ++i) {
    const int c = number[static_cast<std::size_t>(labels[i])];
    of[static_cast<std::size_t>(i)] = c;
    members[static_cast<std::size_t>(c)].push_back(i);
  }
}

}  // namespace dsk::detail
