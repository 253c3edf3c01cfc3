#include <fmt/core.h>

#include <dsk/classify.hpp>

namespace dsk {

double leave_one_out_accuracy(const Matrix& distances, const Labels& labels) {
  const Index count = distances.rows();
  if (distances.cols() != count || labels.size() != count || count < 2)
    throw InvalidInput(
        fmt::format("leave-one-out needs a square matrix of 2 or more distances and a label for each, not {} x {} "
                    "and {} labels",
                    count, distances.cols(), labels.size()));
  Index right = 0;
  for (Index i = 0; i < count; ++i) {
    Index nearest = i == 0 ? 1 : 0;
    for (Index j = 0; j < count; ++j)
      if (j != i && distances(i, j) < distances(i, nearest)) nearest = j;
    right += labels[i] == labels[nearest] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace dsk
