#include "trained_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsk::cli {
namespace {

/// Lines under each other in the second column of the facts.
std::string column(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n           "));
}

std::string in_percent(const nlohmann::ordered_json& share) {
  return fmt::format("{:.1f}", 100 * share.get<double>());
}

std::string weights_text(const nlohmann::ordered_json& weights) {
  constexpr std::string_view unit = " / median";
  std::vector<std::pair<double, std::string>> kernels;
  kernels.reserve(weights.size());
  for (const auto& [name, weight] : weights.items()) {
    const std::size_t end = name.ends_with(unit) ? name.size() - unit.size() : name.size();
    kernels.emplace_back(weight.get<double>(), name.substr(0, end));
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::string count = counted(std::ssize(kernels), "kernel");
  if (kernels.size() > 1 && kernels.front().first == kernels.back().first) return count + " with equal weights";
  std::vector<std::string> lines{fmt::format("weights of {} (theta in units of 1 / median squared distance)", count)};
  lines.reserve(kernels.size() + 1);
  for (const auto& [weight, name] : kernels) lines.push_back(fmt::format("{:.3f}  {}", weight, name));
  return column(lines);
}

std::string candidates_text(const nlohmann::ordered_json& candidates) {
  std::size_t width = 0;
  for (const auto& one : candidates) width = std::max(width, one["name"].get<std::string>().size());
  std::vector<std::string> lines;
  lines.reserve(candidates.size());
  for (const auto& one : candidates)
    lines.push_back(fmt::format("{:<{}}  {:>5} +- {} %", one["name"].get<std::string>(), width,
                                in_percent(one["accuracy"]), in_percent(one["standard_error"])));
  return column(lines);
}

/// An average names its members, each in a line of its own.
std::string chosen_text(const std::string& name) {
  constexpr std::string_view between = "; ";
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < name.size();) {
    const std::size_t end = std::min(name.find(between, from), name.size());
    lines.push_back(name.substr(from, end - from));
    from = end + between.size();
  }
  return column(lines);
}

/// "24: 68.0 %, 12: 71.3 %".
std::string components_text(const nlohmann::ordered_json& scores) {
  std::vector<std::string> parts;
  parts.reserve(scores.size());
  for (const auto& one : scores)
    parts.push_back(fmt::format("{}: {} %", one["components"].dump(), in_percent(one["accuracy"])));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "of 12, 6 and 3 components".
std::string sizes_text(const nlohmann::ordered_json& subspaces) {
  std::vector<std::string> sizes;
  sizes.reserve(subspaces.size());
  for (const auto& one : subspaces) sizes.push_back(one["components"].dump());
  return fmt::format("of {} component{}", fmt::join(sizes, ", "), sizes == std::vector<std::string>{"1"} ? "" : "s");
}

}  // namespace

void print_trained(const Facts& facts) {
  const bool chosen = facts.all().contains("chosen");
  Facts text;
  for (const auto& [name, value] : facts.all().items()) {
    if (name == "by_components")
      text.add(name, components_text(value));
    else if (name == "subspaces")
      text.add(name, sizes_text(value));
    else if (name == "kernels")
      text.add(name, weights_text(value));
    else if (name == "chosen")
      text.add(name, chosen_text(value));
    else if (name == "runners_up" && !value.empty())
      text.add(name, candidates_text(value));
    else if (name == "validated" && value.is_number())
      text.add(name, in_percent(value) + " % in cross-validation");
    else if (!(chosen && name == "classifier" && value == "pipeline"))
      text.add(name, value);
  }
  text.print();
}

}  // namespace dsk::cli
