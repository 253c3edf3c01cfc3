#include <dsk/classify.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace dsk {

double accuracy(const Labels& predicted, const Labels& truth) {
  if (predicted.size() != truth.size() || truth.size() == 0)
    throw InvalidInput(fmt::format("{} predictions do not fit {} labels", predicted.size(), truth.size()));
  const auto name_of = [](const Labels& labels, Index i) {
    return labels.names()[static_cast<std::size_t>(labels[i])];
  };
  Index right = 0;
  for (Index i = 0; i < truth.size(); ++i) right += name_of(predicted, i) == name_of(truth, i) ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

}  // namespace dsk
