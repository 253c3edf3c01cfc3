#include <algorithm>
#include <utility>
#include <vector>

#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/sweep.hpp"
#include "engine/team/share.hpp"

namespace dsk::engine {
namespace {

constexpr Index tile_side = kLargestTile;
constexpr Index tile_entries = tile_side * tile_side;
/// From this width on, rows are compared as they are.
constexpr Index smallest_long_row = 1024;
/// Squares of larger numbers leave the range of double.
constexpr double largest_entry = 1e150;

/// Pairs of rows by their squared Euclidean distances: what learning with a metric that is Euclidean after a map needs.
/// No pair costs more than its distance and its share in a product of matrices.
class RowSweep : public Sweep {
 public:
  RowSweep(const Matrix& rows, const PairOptions& options)
      : rows_(rows), points_(centred(rows)), options_(options), rounds_(share_of(tournament(blocks()), options.team)) {}

  void replace(const SpdBatch&) override { throw InvalidInput("a sweep over rows takes no matrices"); }
  void replace_eigenvalues(const Matrix&) override { throw InvalidInput("a sweep over rows takes no eigenvalues"); }
  void replace_rows(const Matrix& rows) override {
    known_ = false;
    points_ = centred(rows);
    rows_ = rows;
  }

  Matrix matrix(PairQuantity) const override {
    return pairwise_squared_distances(rows_, {.threads = options_.threads});
  }

  void visit(const PairSweep::Visitor& visitor) const override {
    run([&](const Game& game, double* scratch) {
      const double* const squared = distances(game, scratch);
      const auto [row, rows] = range(game.first);
      const auto [column, columns] = range(game.second);
      visitor({row, column, {squared, rows, columns, Eigen::OuterStride<>(tile_side)}});
    });
  }

  void set_classes(std::vector<int> classes) override { classes_ = std::move(classes); }

  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const override {
    return engine::form_sums(pairs(), classes_, forms, thetas);
  }
  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const override {
    return engine::log_row_sums(pairs(), classes_, thetas);
  }

  WeightedInverses weighted_inverses(double theta, const SummedForms& how) const override {
    const FormWeights weights = how.weigh(form_sums(how.forms, {&theta, 1})[0]);
    return weighted_by(weigh_by_forms(how.forms, weights, classes_), theta);
  }
  WeightedInverses weighted_inverses(const LogWeights& weights) const override {
    return weighted_by(weigh_by_logs(weights, classes_), weights.theta);
  }
  WeightedInverses weighted_inverses(const Matrix& weights) const override {
    const auto given = [&](const PairStrip& strip, std::span<double> result) {
      std::copy_n(&weights(strip.row, strip.first_column), result.size(), result.data());
    };
    return weighted_by(given, 0);
  }

  const PairOptions& options() const override { return options_; }

 private:
  Index blocks() const { return (points_.size() + tile_side - 1) / tile_side; }
  /// The first row of a block and how many it has.
  std::pair<Index, Index> range(Index block) const {
    return {block * tile_side, std::min(tile_side, points_.size() - block * tile_side)};
  }
  PairSource pairs() const {
    return {points_.size(), [this](const PairSweep::Visitor& visitor) { visit(visitor); }, options_.team};
  }

  /// Calls work(game, scratch of three tiles), in rounds in which no block occurs twice.
  template <class Work>
  void run(const Work& work) const {
    // A second look at the pairs of few rows finds their distances here.
    constexpr Index most_kept = Index{1} << 23;
    const Index tiles = blocks() * (blocks() + 1) / 2;
    if (tiles * tile_entries <= most_kept && kept_.size() == 0) kept_ = AlignedArray<double>(tiles * tile_entries);
    const auto count = static_cast<double>(points_.size());
    const int threads = thread_count(options_.threads, count * count * (2 * static_cast<double>(points_.width()) + 20));
    ThreadErrors errors;
#pragma omp parallel num_threads(threads)
    {
      AlignedArray<double> scratch;
      errors.guard([&] { scratch = AlignedArray<double>(3 * tile_entries); });
      for (const auto& round : rounds_) {
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < round.size(); ++k) errors.guard([&] { work(round[k], scratch.data()); });
      }
    }
    errors.rethrow();
    known_ = kept_.size() > 0;
  }

  const double* distances(const Game& game, double* scratch) const {
    if (kept_.size() > 0) scratch = kept_.data() + (game.second * (game.second + 1) / 2 + game.first) * tile_entries;
    if (known_) return scratch;
    const auto [row, rows] = range(game.first);
    const auto [column, columns] = range(game.second);
    constexpr Index group = group_size<double>;
    if (points_.width() < smallest_long_row)
      squared_distance_tile<double>({&points_, &points_, row, rows, column / group, (columns + group - 1) / group},
                                    scratch, tile_side);
    else
      long_rows_tile<double>({points_.row(row), rows, points_.row(column), columns, points_.width(), points_.width()},
                             scratch, tile_side);
    return scratch;
  }

  /// The weights of a tile, all of them where it is one of a block with itself.
  void weigh_tile(const Game& game, const double* squared, double theta, const PairWeights& weigh, WeightSums& sums,
                  double* kernel, double* weights) const {
    const auto [row, rows] = range(game.first);
    const auto [column, columns] = range(game.second);
    const bool own = game.first == game.second;
    for (Index r = 0; r < rows; ++r) {
      const Index first = own ? r + 1 : 0;
      if (own) weights[r * tile_side + r] = 0;
      if (first >= columns) continue;
      const auto width = static_cast<std::size_t>(columns - first);
      const Index at = r * tile_side + first;
      const std::span<double> values(kernel + at, width), result(weights + at, width);
      std::copy_n(squared + at, width, values.data());
      exponential_in_place(values, -theta);
      const PairStrip strip{row + r, column + first, {squared + at, width}, values};
      weigh(strip, result);
      sums.add(strip, result);
      if (own)
        for (Index c = first; c < columns; ++c) weights[c * tile_side + r] = weights[r * tile_side + c];
    }
  }

  WeightedInverses weighted_by(const PairWeights& weigh, double theta) const {
    const Index size = points_.size(), width = points_.width();
    WeightSums weight_sums(size);
    AlignedArray<double> sums(size * width);
    std::fill_n(sums.data(), sums.size(), 0.0);
    run([&](const Game& game, double* scratch) {
      const double* const squared = distances(game, scratch);
      double* const kernel = scratch + tile_entries;
      double* const weights = kernel + tile_entries;
      weigh_tile(game, squared, theta, weigh, weight_sums, kernel, weights);
      const auto [row, rows] = range(game.first);
      const auto [column, columns] = range(game.second);
      weighted_rows_tile({weights, tile_side, rows, points_.row(column), columns, width}, sums.data() + row * width);
      if (game.first == game.second) return;
      double* const transposed = kernel;
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < columns; ++c) transposed[c * tile_side + r] = weights[r * tile_side + c];
      weighted_rows_tile({transposed, tile_side, columns, points_.row(row), rows, width}, sums.data() + column * width);
    });
    WeightedInverses found;
    found.weight_sums = weight_sums.of_weights();
    found.divergence_sums = weight_sums.of_divergences();
    found.differences.resize(size, rows_.cols());
    for (Index i = 0; i < size; ++i)
      for (Index e = 0; e < rows_.cols(); ++e)
        found.differences(i, e) = found.weight_sums[i] * points_.row(i)[e] - sums[i * width + e];
    return found;
  }

  Matrix rows_;
  InterleavedRows<double> points_;
  PairOptions options_;
  Rounds rounds_;
  std::vector<int> classes_;
  mutable AlignedArray<double> kept_;
  mutable bool known_ = false;  ///< whether `kept_` holds the distances of the rows
};

}  // namespace

InterleavedRows<double> centred(const Matrix& rows) {
  if (!(rows.cwiseAbs().maxCoeff() < largest_entry))
    throw NumericalFailure("the mapped matrices leave the range of double");
  constexpr Index group = group_size<double>;
  const Index width = (rows.cols() + group - 1) / group * group;
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  AlignedArray<double> padded(rows.rows() * width);
  for (Index i = 0; i < rows.rows(); ++i) {
    double* const row = padded.data() + i * width;
    for (Index e = 0; e < rows.cols(); ++e) row[e] = rows(i, e) - mean[e];
    std::fill(row + rows.cols(), row + width, 0.0);
  }
  return {std::move(padded), rows.rows(), width};
}

std::unique_ptr<Sweep> make_cpu_row_sweep(const Matrix& rows, const PairOptions& options) {
  return std::make_unique<RowSweep>(rows, options);
}

}  // namespace dsk::engine
