#include <dsk/mean.hpp>
#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "machine/messages.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace {

using RecentringRow = detail::NameRow<Recentring>;

constexpr RecentringRow recentring_table[] = {
    {Recentring::none, "none"}, {Recentring::all, "all"}, {Recentring::groups, "groups"}};

std::span<const RecentringRow> recentring_rows() {
  return recentring_table;
}

/// M^-1/2.
Matrix inverse_root(const EigenBatch& eigen, Index group) {
  const MatrixView vectors = eigen.vectors[group];
  const Eigen::VectorXd roots = eigen.values.row(group).transpose().cwiseSqrt().cwiseInverse();
  const Matrix half = vectors * roots.asDiagonal() * vectors.transpose();
  return (half + half.transpose()) / 2;
}

}  // namespace

Recentring parse_recentring(std::string_view text) {
  return detail::find_by_name(recentring_rows(), text, "recentring").value;
}

std::string_view name(Recentring recentring) {
  return detail::find_by_value(recentring_rows(), recentring, "recentring").name;
}

std::string recentring_choices() {
  return detail::choices(recentring_rows());
}

SpdBatch recentre_groups(const SpdBatch& x, const Labels* groups, int threads, Mean::Stop* stop) {
  const Index dim = x.dim();
  std::vector<int> codes(static_cast<std::size_t>(x.size()), 0);
  if (groups != nullptr) {
    if (groups->size() != x.size())
      throw InvalidInput(fmt::format("{} groups do not match {} matrices", groups->size(), x.size()));
    // Names may have no matrices: only groups that occur are numbered.
    std::vector<int> present = groups->codes();
    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
    for (std::size_t i = 0; i < codes.size(); ++i)
      codes[i] =
          static_cast<int>(std::lower_bound(present.begin(), present.end(), groups->codes()[i]) - present.begin());
  }
  const Index count = 1 + *std::max_element(codes.begin(), codes.end());
  MatrixStack stack{count, dim, {}};
  const std::vector<Mean> means = group_means(x, codes, count, {.threads = threads});
  if (stop != nullptr) *stop = worst_stop(means);
  for (const Mean& one : means)
    stack.values.insert(stack.values.end(), one.matrix.data(), one.matrix.data() + one.matrix.size());
  const EigenBatch eigen = eigen_decompose(SpdBatch(std::move(stack), threads), threads);

  MatrixStack result{x.size(), dim, std::vector<double>(x.values().size())};
  for (Index group = 0; group < count; ++group) {
    std::vector<Index> members;
    for (Index i = 0; i < x.size(); ++i)
      if (codes[static_cast<std::size_t>(i)] == group) members.push_back(i);
    const SpdBatch moved = project(x.select(members), {inverse_root(eigen, group)}, threads);
    for (std::size_t k = 0; k < members.size(); ++k) {
      const MatrixView from = moved[static_cast<Index>(k)];
      std::copy_n(from.data(), from.size(), result.values.begin() + members[k] * dim * dim);
    }
  }
  return detail::trust(std::move(result));
}

Dataset detail::recentred_by_groups(const Dataset& data, int threads, Mean::Stop* stop) {
  if (!data.has_groups())
    throw InvalidInput("recentring by groups needs a data set with groups, such as subjects or sessions");
  return data.with_matrices(recentre_groups(data.matrices(), &data.groups(), threads, stop));
}

}  // namespace dsk
