#include "experiment/texture_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/paper.hpp"
#include "machine/parallel.hpp"

namespace dsk::experiment {

std::vector<ClassPair> paper_pairs() {
  std::vector<ClassPair> pairs;
  for (const paper::TexturePair& pair : paper::texture_pairs())
    pairs.push_back({fmt::format("D{}", pair.first), fmt::format("D{}", pair.second), pair.stein / 100});
  return pairs;
}

std::vector<ClassPair> hardest_pairs(const Dataset& data, Index count, Index splits, std::uint64_t seed, int threads) {
  const std::vector<std::string>& names = data.labels().names();
  std::vector<ClassPair> pairs;
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a + 1; b < names.size(); ++b) pairs.push_back({names[a], names[b]});

  EvaluationOptions options;
  options.methods = {Method{}};
  options.protocol.count = splits;
  options.seed = seed;
  options.selection.seed = seed;
  options.threads = 1;
  const double nanoseconds = 1e6 * static_cast<double>(splits);
  detail::for_ranges(static_cast<Index>(pairs.size()), threads, nanoseconds, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      ClassPair& pair = pairs[static_cast<std::size_t>(p)];
      pair.accuracy = evaluate(of_classes(data, {pair.first, pair.second}), options).methods.front().accuracy.mean;
    }
  });
  count = std::min(count, static_cast<Index>(pairs.size()));
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ClassPair& a, const ClassPair& b) { return a.accuracy < b.accuracy; });
  pairs.erase(pairs.begin() + count, pairs.end());
  return pairs;
}

}  // namespace dsk::experiment
