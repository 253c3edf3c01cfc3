#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "machine/shuffle.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// A matrix with no larger residual is not told from a combination of landmarks: rounding of kernel values, magnified
/// by the root of a pivot, stays far below what single precision features keep.
constexpr double smallest_residual = 1e-10;

constexpr Index most_landmarks = 100'000;

struct IncompleteCholesky {
  std::vector<Index> pivots;            ///< positions in the pool
  std::vector<double> residual_shares;  ///< after each pivot, as in NystromResult::Fit
  Matrix factor;                        ///< of the pivots' kernel matrix, lower
};

/// A random number in [0, 1), the same on every machine.
double uniform_below_one(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Chooses the next pivot among those with a residual; -1 if there is none.
class PivotRule {
 public:
  PivotRule(Index pool, const NystromOptions& options)
      : choice_(options.choice), random_(options.seed ^ 0x9e3779b97f4a7c15u) {  // not the numbers that drew the pool
    if (choice_ != Landmarks::uniform) return;
    order_.resize(static_cast<std::size_t>(pool));
    std::iota(order_.begin(), order_.end(), Index{0});
    detail::shuffle(order_, random_);
  }

  Index operator()(const Eigen::VectorXd& residuals) {
    if (choice_ == Landmarks::adaptive) return adaptive(residuals);
    return choice_ == Landmarks::greedy ? greedy(residuals) : uniform(residuals);
  }

 private:
  /// Randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2023). The largest residual is alone with outliers; this
  /// goes where much is left.
  Index adaptive(const Eigen::VectorXd& residuals) {
    if (greedy(residuals) < 0) return -1;
    double left =
        uniform_below_one(random_) * (residuals.array() > smallest_residual).select(residuals.array(), 0.0).sum();
    Index last = -1;
    for (Index i = 0; i < residuals.size(); ++i) {
      if (!(residuals[i] > smallest_residual)) continue;
      last = i;
      left -= residuals[i];
      if (left < 0) break;
    }
    return last;
  }

  static Index greedy(const Eigen::VectorXd& residuals) {
    Index best = 0;
    return residuals.maxCoeff(&best) > smallest_residual ? best : -1;
  }

  Index uniform(const Eigen::VectorXd& residuals) {
    for (; next_ < order_.size(); ++next_)
      if (residuals[order_[next_]] > smallest_residual) return order_[next_];
    return -1;
  }

  Landmarks choice_;
  std::mt19937_64 random_;
  std::vector<Index> order_;
  std::size_t next_ = 0;
};

Matrix kernel_values(const ComparedBatch& pool, Index pivot, double theta, const PairOptions& options) {
  try {
    Matrix row = pairwise_squared_distances(pool.slice(pivot, 1), pool, options);
    exponential_in_place(row, -theta, options.threads);
    return row;
  } catch (const PairFailure& failure) {
    throw PairFailure(pivot, failure.column());
  }
}

/// The landmarks among `represented` matrices have no residual, the others that of the pool's others in the mean.
double share_of_all(double sum, Index landmarks, Index pool, Index represented) {
  if (landmarks == pool) return 0;
  const double others = static_cast<double>(represented - landmarks) / static_cast<double>(represented);
  return others * sum / static_cast<double>(pool - landmarks);
}

/// Factors the pool's kernel matrix, of which only the pivots' columns are ever computed. The pool stands for
/// `represented` matrices.
IncompleteCholesky incomplete_cholesky(const ComparedBatch& pool, double theta, Index represented,
                                       const NystromOptions& options) {
  const Index size = pool.size(), most = std::min(options.landmarks, size);
  Matrix columns(size, most);
  Eigen::VectorXd residuals = Eigen::VectorXd::Ones(size);
  PivotRule next_pivot(size, options);
  IncompleteCholesky result;
  for (Index j = 0; j < most; ++j) {
    const Index pivot = next_pivot(residuals);
    if (pivot < 0) break;
    const Matrix kernel = kernel_values(pool, pivot, theta, options.pairs);
    const Eigen::VectorXd row = columns.row(pivot).head(j).transpose();
    const double root = std::sqrt(residuals[pivot]);
    detail::for_ranges(size, options.pairs.threads, 1 + 0.5 * static_cast<double>(j), [&](Index first, Index last) {
      const Index count = last - first;
      auto column = columns.col(j).segment(first, count);
      column = kernel.row(0).segment(first, count).transpose();
      column.noalias() -= columns.block(first, 0, count, j) * row;
      column /= root;
      auto left = residuals.segment(first, count);
      left = (left - column.cwiseAbs2()).cwiseMax(0);
    });
    columns(pivot, j) = root;
    residuals[pivot] = 0;
    result.pivots.push_back(pivot);
    result.residual_shares.push_back(share_of_all(residuals.sum(), j + 1, size, represented));
    if (options.error && result.residual_shares.back() <= *options.error) break;
  }
  const auto found = static_cast<Index>(result.pivots.size());
  result.factor = Matrix::Zero(found, found);
  for (Index j = 0; j < found; ++j)
    result.factor.row(j).head(j + 1) = columns.row(result.pivots[static_cast<std::size_t>(j)]).head(j + 1);
  return result;
}

/// Rows of kernel values become L^-1 of themselves.
void solve_rows(Matrix& rows, const Matrix& factor, int threads) {
  const Index size = factor.rows();
  constexpr Index together = 128;  // fewer would read the whole factor from memory for too little work
  const double nanoseconds = 0.1 * static_cast<double>(together * size * size);
  detail::for_ranges((rows.rows() + together - 1) / together, threads, nanoseconds, [&](Index first, Index last) {
    for (Index piece = first; piece < last; ++piece) {
      const Index begin = piece * together, count = std::min(together, rows.rows() - begin);
      Eigen::Map<Eigen::MatrixXd> columns(&rows(begin, 0), size, count);
      factor.triangularView<Eigen::Lower>().solveInPlace(columns);
    }
  });
}

using LandmarksRow = detail::NameRow<Landmarks>;

constexpr LandmarksRow landmarks_table[] = {
    {Landmarks::adaptive, "adaptive"}, {Landmarks::greedy, "greedy"}, {Landmarks::uniform, "uniform"}};

Index pool_size(const NystromOptions& options) {
  constexpr Index fewest = 10'000, for_each_landmark = 10;
  return options.pool > 0 ? options.pool : std::max(fewest, for_each_landmark * options.landmarks);
}

void check(const NystromOptions& options) {
  if (options.landmarks < 1 || options.landmarks > most_landmarks)
    throw InvalidInput(fmt::format("landmarks {} must be from 1 to {}", options.landmarks, most_landmarks));
  if (options.error && !(*options.error >= 0 && *options.error < 1))
    throw InvalidInput(fmt::format("error {} must be 0 or more and below 1", *options.error));
  if (options.pool < 0) throw InvalidInput(fmt::format("pool {} must be 0 or more", options.pool));
}

/// The median over all pairs of a sample, then the next theta above its inverse that makes a kernel.
double typical_theta(const Comparison& comparison, const SpdBatch& x, const NystromOptions& options) {
  constexpr Index sampled = 500;
  const std::vector<Index> some = random_sample(x.size(), sampled, options.seed);
  const Matrix squared = pairwise_squared_distances(comparison, x.select(some), options.pairs);
  const double median = detail::median_above_diagonal(squared);
  const double theta = median > 0 && std::isfinite(1 / median) ? 1 / median : 1;
  return detail::next_valid_theta(comparison.metric, theta, x.dim());
}

double chosen_theta(const Comparison& comparison, const SpdBatch& x, const NystromOptions& options) {
  if (options.theta) return *options.theta;
  return comparison.learned ? comparison.learned->theta() : typical_theta(comparison, x, options);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

NystromMap::NystromMap(Comparison comparison, double theta, Dataset landmarks, Matrix factor, int threads)
    : comparison_(std::move(comparison)),
      theta_(theta),
      landmarks_(std::move(landmarks)),
      factor_(std::move(factor)),
      compared_(std::make_shared<const ComparedBatch>(comparison_, landmarks_.matrices(), threads)) {
  check_theta(comparison_.metric, theta_, dim());
  if (factor_.rows() != size() || factor_.cols() != size())
    throw InvalidInput(
        fmt::format("a {} x {} factor does not fit {} landmarks", factor_.rows(), factor_.cols(), size()));
  if (!factor_.allFinite() || !(factor_.diagonal().minCoeff() > 0))
    throw InvalidInput("the factor of the landmarks' kernel matrix is not finite with a positive diagonal");
}

void NystromMap::visit_features(const SpdBatch& x, const Visitor& visit, const PairOptions& options) const {
  detail::visit_row_blocks(comparison_, x, *compared_, options, [&](Index first, detail::SquaredDistances squared) {
    Matrix rows = detail::finished(std::move(squared), true, options.threads);
    exponential_in_place(rows, -theta_, options.threads);
    solve_rows(rows, factor_, options.threads);
    visit(first, rows);
  });
}

Matrix NystromMap::features(const SpdBatch& x, const PairOptions& options) const {
  Matrix result(x.size(), size());
  visit_features(
      x, [&](Index first, const Matrix& rows) { result.middleRows(first, rows.rows()) = rows; }, options);
  return result;
}

double residual(const Eigen::Ref<const Eigen::RowVectorXd>& features) {
  return std::max(0.0, 1 - features.squaredNorm());
}

Landmarks parse_landmarks(std::string_view text) {
  return detail::find_by_name(std::span<const LandmarksRow>(landmarks_table), text, "landmarks").value;
}

std::string_view name(Landmarks choice) {
  return detail::find_by_value(std::span<const LandmarksRow>(landmarks_table), choice, "landmarks").name;
}

NystromResult fit_nystrom(const Comparison& comparison, const Dataset& train, const NystromOptions& options) {
  check(options);
  if (theta_rule(comparison.metric) == ThetaRule::none)
    throw InvalidInput(fmt::format("{} gives no positive definite kernel to approximate", name(comparison.metric)));
  const int threads = options.pairs.threads;
  const std::vector<Index> drawn = random_sample(train.size(), pool_size(options), options.seed);
  const ComparedBatch pool(comparison, train.matrices().select(drawn), threads);
  const double theta = chosen_theta(comparison, train.matrices(), options);
  check_theta(comparison.metric, theta, train.dim());
  NystromResult::Fit fit;
  fit.pool = pool.size();
  try {
    IncompleteCholesky factored = incomplete_cholesky(pool, theta, train.size(), options);
    for (const Index pivot : factored.pivots) fit.chosen.push_back(drawn[static_cast<std::size_t>(pivot)]);
    fit.residual_shares = std::move(factored.residual_shares);
    return {NystromMap(comparison, theta, train.select(fit.chosen), std::move(factored.factor), threads), fit};
  } catch (const PairFailure& failure) {
    const auto position = [&](Index i) { return drawn[static_cast<std::size_t>(i)]; };
    throw PairFailure(position(failure.row()), position(failure.column()));
  }
}

NystromResult fit_nystrom(const LearnedKernel& kernel, const Dataset& train, const NystromOptions& options) {
  return fit_nystrom(comparison_by(kernel), train, options);
}

NystromOptions parse_nystrom(std::string_view text) {
  constexpr std::string_view method = "nystrom:", by_error = "error=";
  constexpr double default_error = 0.01;
  const auto refuse = [&] {
    return InvalidInput(fmt::format(
        "approximation '{}' is unknown; use nystrom:M with M landmarks from 1 to {}, nystrom:error=E with E from 0 to "
        "below 1, or nystrom:auto",
        text, most_landmarks));
  };
  if (!text.starts_with(method)) throw refuse();
  const std::string_view how = text.substr(method.size());
  NystromOptions options;
  if (how == "auto" || how.starts_with(by_error)) {
    options.landmarks = 2000;
    options.error = how == "auto" ? default_error : number<double>(how.substr(by_error.size()));
    if (!options.error || !(*options.error >= 0 && *options.error < 1)) throw refuse();
    return options;
  }
  const std::optional<Index> landmarks = number<Index>(how);
  if (!landmarks || *landmarks < 1 || *landmarks > most_landmarks) throw refuse();
  options.landmarks = *landmarks;
  return options;
}

}  // namespace dsk
