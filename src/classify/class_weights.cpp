#include "classify/class_weights.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "classify/classify.hpp"

namespace dsk::detail {

std::vector<int> distinct(const std::vector<int>& codes) {
  const std::set<int> sorted(codes.begin(), codes.end());
  return {sorted.begin(), sorted.end()};
}

std::vector<double> class_weights(const SvmTraining& options, const Labels& labels) {
  const std::size_t names = labels.names().size();
  if (options.balanced && !options.class_weights.empty())
    throw InvalidInput("class weights are either balanced or given, not both");
  if (!options.balanced) {
    if (!options.class_weights.empty() && options.class_weights.size() != names)
      throw InvalidInput(fmt::format("{} class weights do not fit {} classes", options.class_weights.size(), names));
    return options.class_weights;
  }
  std::vector<double> sizes(names, 0), weights(names, 1);
  for (const int code : labels.codes()) ++sizes[static_cast<std::size_t>(code)];
  const auto present = static_cast<double>(distinct(labels.codes()).size());
  for (std::size_t c = 0; c < names; ++c)
    if (sizes[c] > 0) weights[c] = static_cast<double>(labels.size()) / (present * sizes[c]);
  return weights;
}

SvmOptions machine_options(const SvmTraining& training, const Labels& labels) {
  SvmOptions options{.c = training.c, .margin = training.margin, .threads = training.pairs.threads};
  const std::vector<double> weights = class_weights(training, labels);
  if (weights.empty()) return options;
  for (const int code : distinct(labels.codes()))
    options.class_weights.push_back(weights[static_cast<std::size_t>(code)]);
  return options;
}

std::vector<double> checked_weights(const std::vector<double>& weights, std::size_t classes, double c) {
  if (weights.empty()) return std::vector<double>(classes, 1);
  if (weights.size() != classes)
    throw InvalidInput(fmt::format("{} class weights do not fit {} classes", weights.size(), classes));
  for (std::size_t k = 0; k < classes; ++k)
    if (!(weights[k] > 0 && c * weights[k] > 0 && std::isfinite(c * weights[k])))
      throw InvalidInput(
          fmt::format("class weight {} is {}; it, and C times it, must be finite and above 0", k, weights[k]));
  return weights;
}

}  // namespace dsk::detail
