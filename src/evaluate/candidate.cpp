#include "evaluate/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "evaluate/choose.hpp"
#include "machine/messages.hpp"

namespace dsk::detail {

bool is_ladder(const Candidate& candidate) {
  return candidate.family == Family::ladder || candidate.family == Family::ladder_logistic;
}

bool is_tangent(const Candidate& candidate) {
  return candidate.family == Family::logistic || candidate.family == Family::tangent_svm;
}

bool compares_pairs(const Candidate& candidate) {
  return candidate.family == Family::mean || candidate.family == Family::knn || candidate.family == Family::svm;
}

double theta_of(const Candidate& candidate, double median, Index dim) {
  const double theta = median > 0 ? candidate.relative_theta / median : candidate.relative_theta;
  return candidate.valid_theta ? nearest_valid_theta(candidate.metric, theta, dim) : theta;
}

std::vector<Index> subspace_ladder(Index dim) {
  // Larger subspaces cost more than they have been seen to gain.
  constexpr Index largest = 64;
  const Index base = std::min(dim, largest);
  std::set<Index, std::greater<>> sizes{dim};
  for (const Index part : {2, 3, 4, 6, 8})
    if (base / part >= 1) sizes.insert(base / part);
  return {sizes.begin(), sizes.end()};
}

std::string describe(const Candidate& candidate, Criterion criterion) {
  const bool projected = candidate.components > 0;
  std::string kernel(letters(candidate.metric));
  if (projected && candidate.metric == Metric::stein) kernel = fmt::format("DSK-{}-s", letters(criterion));
  if (candidate.adjusted) kernel = fmt::format("DSK-{}-a", letters(criterion));
  if (candidate.metric == Metric::powereuclidean) kernel += fmt::format(" zeta {:g}", candidate.zeta);
  if (candidate.recentred) kernel += " recentred";
  const auto c = [&] { return fmt::format(", C {:g}", candidate.neighbours_or_c); };
  const auto components = [&] { return projected ? ", " + counted(candidate.components, "component") : std::string(); };
  const auto theta = [&] {
    return fmt::format(", theta {:g} / median{}", candidate.relative_theta, candidate.valid_theta ? " (valid)" : "");
  };
  switch (candidate.family) {
    case Family::mdm:
      return (candidate.metric == Metric::airm ? "MDM" : fmt::format("MDM-{}", name(candidate.metric))) + components();
    case Family::logistic:
      return "TS:lr" + components() + c();
    case Family::tangent_svm:
      return "TS:svm" + components() + c();
    case Family::mean:
      return kernel + ":mean" + components() + theta();
    case Family::knn:
      return kernel + ":knn" + components() + ", " +
             counted(static_cast<Index>(candidate.neighbours_or_c), "neighbour");
    case Family::svm:
      return kernel + ":svm" + components() + c() + theta();
    case Family::ladder:
      return "ladder of subspaces";
    case Family::ladder_logistic:
      return "ladder of subspaces + TS:lr" + c();
    case Family::average: {
      std::vector<std::string> members;
      for (const Candidate& member : candidate.members) members.push_back(describe(member, criterion));
      return fmt::format("{}{}", average_of, fmt::join(members, between_members));
    }
  }
  return {};
}

}  // namespace dsk::detail
