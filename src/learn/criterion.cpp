#include <dsk/learn.hpp>

#include <fmt/format.h>

#include "learn/forms.hpp"
#include "learn/margin.hpp"
#include "learn/neighbour.hpp"
#include "learn/sum_objective.hpp"

namespace dsk {
namespace {

using ObjectiveMaker = std::unique_ptr<detail::Objective> (*)(const detail::Classes&, const PairOptions&);

template <detail::SumCriterion (*criterion)()>
std::unique_ptr<detail::Objective> of_sums(const detail::Classes& classes, const PairOptions& options) {
  return std::make_unique<detail::SumObjective>(criterion(), classes, options);
}

template <detail::MarginCriterion criterion>
std::unique_ptr<detail::Objective> of_margins(const detail::Classes& classes, const PairOptions& options) {
  return std::make_unique<detail::MarginObjective>(criterion, classes, options);
}

std::unique_ptr<detail::Objective> of_neighbours(const detail::Classes& classes, const PairOptions& options) {
  return std::make_unique<detail::Neighbour>(classes, options);
}

struct KnownCriterion {
  Criterion criterion;
  std::string_view name;
  std::string_view letters;
  bool maximised;
  bool soft_margin;
  ObjectiveMaker make;
};

constexpr KnownCriterion known_criteria[] = {
    {Criterion::alignment, "alignment", "ka", true, false, of_sums<detail::alignment>},
    {Criterion::separability, "separability", "cs", true, false, of_sums<detail::separability>},
    {Criterion::radius_margin, "radius-margin", "rm", false, true, of_margins<detail::radius_margin>},
    {Criterion::trace_margin, "trace-margin", "tm", false, true, of_margins<detail::trace_margin>},
    {Criterion::centred, "centred", "ca", true, false, of_sums<detail::centred>},
    {Criterion::neighbour, "neighbour", "nn", true, false, of_neighbours},
};

const KnownCriterion& look_up(Criterion criterion) {
  for (const KnownCriterion& known : known_criteria)
    if (known.criterion == criterion) return known;
  throw InvalidInput(fmt::format("criterion number {} is unknown", static_cast<int>(criterion)));
}

}  // namespace

Criterion parse_criterion(std::string_view text) {
  std::string names;
  for (const KnownCriterion& known : known_criteria) {
    if (text == known.name || text == known.letters) return known.criterion;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  throw InvalidInput(fmt::format("unknown criterion '{}': use one of {}", text, names));
}

std::string_view name(Criterion criterion) {
  return look_up(criterion).name;
}
bool is_maximised(Criterion criterion) {
  return look_up(criterion).maximised;
}
bool has_soft_margin(Criterion criterion) {
  return look_up(criterion).soft_margin;
}

std::unique_ptr<detail::Objective> detail::make_objective(Criterion criterion, const Classes& classes,
                                                          const PairOptions& options) {
  return look_up(criterion).make(classes, options);
}

}  // namespace dsk
