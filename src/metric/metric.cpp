#include <dsk/metric.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "machine/messages.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"

namespace dsk {
namespace {

/// All that makes a metric: parsing, help texts, valid kernels and the names of methods come from its row.
struct MetricRow {
  Metric value;
  std::string_view name;
  std::string_view alias;
  std::string_view letters;  ///< of its kernel, in the names of methods
  ThetaRule rule;            ///< for which theta exp(-theta d^2) is a kernel
  /// Of a metric that is Euclidean after one map per matrix: the map and its inverse,
  detail::Coordinates coordinates = nullptr;
  detail::FromCoordinates from_coordinates = nullptr;
  detail::CoordinatesOfOne of_one = nullptr;  ///< the map without allocating memory, or null
  /// or distances and the mean, null where there is none.
  detail::PairDistance of_pairs = nullptr;
  detail::IterativeMean mean = nullptr;
  detail::PairValues values = detail::PairValues::squared;
  /// Squared distances of one matrix without allocating memory, or null.
  std::unique_ptr<DistanceQuery> (*query)(const SpdBatch& known) = nullptr;
  detail::MapDerivatives derivatives = {};          ///< of the map: kernels by the metric can be learned
  detail::CoordinatesOfFactor of_factor = nullptr;  ///< the map of a Cholesky factor, or null
  detail::ArrayDistance of_arrays = nullptr;        ///< distances of matrices without a batch, or null
  Check check = Check::positive_definite;           ///< what batches must have been checked for
  double embedded_squares = 2;  ///< squared distances of embedded complex matrices over those of the complex ones
};

Matrix airm_of_pairs(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return y != nullptr ? pairwise_squared_airm(x, *y, options) : pairwise_squared_airm(x, options);
}

Matrix stein_of_pairs(const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  return y != nullptr ? PairSweep(x, *y, options).divergences() : PairSweep(x, options).divergences();
}

/// A function that takes arrays, for the table.
template <std::optional<Matrix> (*distances)(const StackView&, const StackView*, const PairOptions&)>
std::optional<Matrix> of_arrays(Metric, const StackView& x, const StackView* y, const PairOptions& options) {
  return distances(x, y, options);
}

constexpr MetricRow metric_table[] = {
    {.value = Metric::airm,
     .name = "airm",
     .alias = "riemann",
     .letters = "AIRM",
     .rule = ThetaRule::none,
     .of_pairs = airm_of_pairs,
     .mean = detail::airm_mean,
     .query = airm_query,
     .of_arrays = of_arrays<airm_of_large>},
    {.value = Metric::cholesky,
     .name = "cholesky",
     .alias = "chol",
     .letters = "CHK",
     .rule = ThetaRule::any,
     .coordinates = detail::cholesky,
     .from_coordinates = detail::from_cholesky,
     .of_one = detail::cholesky_row,
     .derivatives = {.pull_back = detail::pull_back_cholesky},
     .of_factor = detail::cholesky_of_factor},
    {.value = Metric::euclidean,
     .name = "euclidean",
     .alias = "euclid",
     .letters = "EUK",
     .rule = ThetaRule::any,
     .coordinates = detail::euclidean,
     .from_coordinates = detail::from_euclidean,
     .of_one = detail::euclidean_row,
     .check = Check::none},
    {.value = Metric::harmonic,
     .name = "harmonic",
     .alias = "inverse",
     .letters = "HEK",
     .rule = ThetaRule::any,
     .coordinates = detail::harmonic,
     .from_coordinates = detail::from_harmonic,
     .of_one = detail::harmonic_row,
     .of_factor = detail::harmonic_of_factor},
    {.value = Metric::kullback,
     .name = "kullback",
     .alias = "kl",
     .letters = "KL",
     .rule = ThetaRule::none,
     .of_pairs = detail::kullback,
     .mean = detail::kullback_mean,
     .values = detail::PairValues::directed,
     .of_arrays = detail::kullback_of_arrays,
     .embedded_squares = 4},
    {.value = Metric::kullback_right,
     .name = "kullback_right",
     .alias = "kl-right",
     .letters = "KLR",
     .rule = ThetaRule::none,
     .of_pairs = detail::kullback_right,
     .mean = detail::kullback_right_mean,
     .values = detail::PairValues::directed,
     .of_arrays = detail::kullback_of_arrays,
     .embedded_squares = 4},
    {.value = Metric::kullback_sym,
     .name = "kullback_sym",
     .alias = "kl-sym",
     .letters = "KLS",
     .rule = ThetaRule::none,
     .of_pairs = detail::kullback_sym,
     .mean = detail::kullback_sym_mean,
     .values = detail::PairValues::distances,
     .of_arrays = detail::kullback_of_arrays,
     .embedded_squares = 4},
    {.value = Metric::logcholesky,
     .name = "logcholesky",
     .alias = "logchol",
     .letters = "LCK",
     .rule = ThetaRule::any,
     .coordinates = detail::log_cholesky,
     .from_coordinates = detail::from_log_cholesky,
     .of_factor = detail::log_cholesky_of_factor},
    {.value = Metric::logeuclidean,
     .name = "logeuclidean",
     .alias = "logeuclid",
     .letters = "LEK",
     .rule = ThetaRule::any,
     .coordinates = detail::log_euclidean,
     .from_coordinates = detail::from_log_euclidean,
     .of_one = detail::log_euclidean_row,
     .derivatives = {.spectral = &detail::log_euclidean_map}},
    {.value = Metric::powereuclidean,
     .name = "powereuclidean",
     .alias = "poweuclid",
     .letters = "PEK",
     .rule = ThetaRule::any,
     .coordinates = detail::power_euclidean,
     .from_coordinates = detail::from_power_euclidean,
     .of_one = detail::power_euclidean_row,
     .derivatives = {.spectral = &detail::power_euclidean_map}},
    {.value = Metric::stein,
     .name = "stein",
     .alias = "logdet",
     .letters = "SK",
     .rule = ThetaRule::half_integers,
     .of_pairs = stein_of_pairs,
     .mean = detail::stein_mean,
     .query = stein_query,
     .of_arrays = of_arrays<stein_of_large>},
    {.value = Metric::thompson,
     .name = "thompson",
     .alias = "",
     .letters = "TH",
     .rule = ThetaRule::none,
     .of_pairs = pairwise_thompson,
     .values = detail::PairValues::distances,
     .of_arrays = of_arrays<thompson_of_large>,
     .embedded_squares = 1},
    {.value = Metric::wasserstein,
     .name = "wasserstein",
     .alias = "bures",
     .letters = "BW",
     .rule = ThetaRule::none,
     .of_pairs = pairwise_squared_wasserstein,
     .mean = detail::wasserstein_mean,
     .of_arrays = of_arrays<wasserstein_of_large>},
};

std::span<const MetricRow> rows() {
  return metric_table;
}

const MetricRow& row_of(Metric metric) {
  return detail::find_by_value(rows(), metric, "metric");
}

detail::SquaredDistances flat_pairs(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  const Matrix rows = *detail::flat_coordinates(x, options);
  if (!y) return detail::flat_distances(rows, nullptr, options.pairs);
  const Matrix others = *detail::flat_coordinates(*y, options);
  return detail::flat_distances(rows, &others, options.pairs);
}

/// `which` names the matrix in errors.
SpdBatch batch_of_one(const Eigen::Ref<const Eigen::MatrixXd>& matrix, std::string_view which) {
  try {
    return SpdBatch(std::vector<Matrix>{matrix}, 1);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("the {} of two matrices: {}", which, error.what()));
  }
}

void require_finite(const Matrix& squared) {
  for (Index i = 0; i < squared.rows(); ++i)
    for (Index j = 0; j < squared.cols(); ++j)
      if (!std::isfinite(squared(i, j)))
        throw detail::UndefinedForData(
            fmt::format("the squared distance of matrices {} and {} is above the largest double; divide all matrices "
                        "by the same number, or use distances that are not squared",
                        i, j));
}

Matrix squares_of(const Matrix& distances) {
  Matrix squares = distances.cwiseAbs2();
  require_finite(squares);
  return squares;
}

/// What users get of values that are no squared distances of coordinates.
Matrix finished_pairs(detail::PairValues kind, Matrix values, const DistanceOptions& options) {
  if (kind == detail::PairValues::squared)
    return detail::finished({std::move(values)}, options.squared, options.pairs.threads);
  if (options.squared) return squares_of(values);
  require_finite(values);
  return values;
}

Matrix distances_of(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  const MetricRow& row = row_of(options.metric);
  if (row.of_pairs == nullptr)
    return detail::finished(flat_pairs(x, y, options), options.squared, options.pairs.threads);
  return finished_pairs(row.values, row.of_pairs(x, y, options.pairs), options);
}

}  // namespace

namespace detail {

Matrix squared_pair_distances(Metric metric, const SpdBatch& x, const SpdBatch* y, const PairOptions& options) {
  const MetricRow& row = row_of(metric);
  Matrix values = row.of_pairs(x, y, options);
  return row.values == PairValues::squared ? values : squares_of(values);
}

std::optional<Matrix> pair_distances_of_arrays(const StackView& x, const StackView* y, const DistanceOptions& options) {
  const MetricRow& row = row_of(options.metric);
  if (row.of_arrays == nullptr) return {};
  std::optional<Matrix> values = row.of_arrays(options.metric, x, y, options.pairs);
  if (!values) return {};
  return finished_pairs(row.values, std::move(*values), options);
}

std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options) {
  const auto coordinates = row_of(options.metric).coordinates;
  if (coordinates == nullptr) return {};
  Matrix rows = coordinates(batch, options);
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite())
      throw UndefinedForData(fmt::format("matrix {} leaves the range of double under the map of this metric", i));
  return rows;
}

std::unique_ptr<DistanceQuery> query_of(const SpdBatch& known, const DistanceOptions& options) {
  const auto make = row_of(options.metric).query;
  return make != nullptr ? make(known) : nullptr;
}

std::unique_ptr<DistanceQuery> query_of(const Matrix& known_coordinates, Index dim, const DistanceOptions& options) {
  const auto of_one = row_of(options.metric).of_one;
  return of_one != nullptr ? flat_query(known_coordinates, dim, of_one, options) : nullptr;
}

MapDerivatives map_derivatives_of(Metric metric) {
  return row_of(metric).derivatives;
}

CoordinatesOfFactor coordinates_of_factor(Metric metric) {
  return row_of(metric).of_factor;
}

MeanMethod mean_method_of(Metric metric) {
  const MetricRow& row = row_of(metric);
  return {row.from_coordinates, row.mean};
}

Matrix finished(SquaredDistances distances, bool squared, int threads) {
  Matrix& values = distances.values;
  const int exponent = distances.exponent;
  if (squared && exponent == 0) return std::move(values);
  for_ranges(values.rows(), threads, static_cast<double>(values.cols()), [&](Index first, Index last) {
    if (!squared)
      square_roots_in_place(
          {values.data() + first * values.cols(), static_cast<std::size_t>((last - first) * values.cols())});
    if (exponent != 0)
      for (Index i = first; i < last; ++i)
        for (double& value : values.row(i)) value = std::scalbn(value, squared ? exponent : exponent / 2);
  });
  // Only squares of rescaled rows can leave the range of double.
  if (squared && exponent > 0) require_finite(values);
  return std::move(values);
}

}  // namespace detail

Metric parse_metric(std::string_view text) {
  return detail::find_by_name(rows(), text, "metric").value;
}
std::string metric_choices() {
  return detail::choices(rows());
}
std::span<const Metric> all_metrics() {
  static constexpr auto all = [] {
    std::array<Metric, std::size(metric_table)> values{};
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = metric_table[k].value;
    return values;
  }();
  return all;
}
std::string_view name(Metric metric) {
  return row_of(metric).name;
}
std::string_view letters(Metric metric) {
  return row_of(metric).letters;
}
ThetaRule theta_rule(Metric metric) {
  return row_of(metric).rule;
}
bool is_symmetric(Metric metric) {
  return row_of(metric).values != detail::PairValues::directed;
}
bool is_learnable(Metric metric) {
  return metric == Metric::stein || row_of(metric).derivatives.is_known();
}
std::string learnable_metric_choices() {
  std::string list;
  for (const MetricRow& row : rows())
    if (is_learnable(row.value)) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", row.name, row.alias);
  return list;
}
bool has_mean(Metric metric) {
  const MetricRow& row = row_of(metric);
  return row.mean != nullptr || row.from_coordinates != nullptr;
}
Check required_check(Metric metric) {
  return row_of(metric).check;
}
double embedding_factor(Metric metric, bool squared) {
  const double squares = row_of(metric).embedded_squares;
  return squared ? squares : std::sqrt(squares);
}
bool has_single_precision(Metric metric) {
  return metric == Metric::stein || row_of(metric).coordinates != nullptr;
}

Matrix pairwise_distances(const SpdBatch& x, const DistanceOptions& options) {
  return distances_of(x, nullptr, options);
}

Matrix pairwise_distances(const SpdBatch& x, const SpdBatch& y, const DistanceOptions& options) {
  if (x.dim() != y.dim())
    throw InvalidInput(fmt::format("matrices of size {} x {} have no distance from matrices of size {} x {}", x.dim(),
                                   x.dim(), y.dim(), y.dim()));
  return distances_of(x, &y, options);
}

double distance(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b,
                const DistanceOptions& options) {
  return pairwise_distances(batch_of_one(a, "first"), batch_of_one(b, "second"), options)(0, 0);
}

double distance(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b, Metric metric) {
  return distance(a, b, DistanceOptions{.metric = metric});
}

double stein(const Eigen::Ref<const Eigen::MatrixXd>& a, const Eigen::Ref<const Eigen::MatrixXd>& b) {
  return distance(a, b, {.metric = Metric::stein, .squared = true});
}

}  // namespace dsk
