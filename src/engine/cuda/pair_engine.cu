#include "engine/cuda/pair_engine.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/cuda/strip_sweep.hpp"

namespace dsk::engine::cuda {
namespace {

constexpr unsigned long long no_failure = ~0ULL;
// Enough pieces of work, in blocks of one thread per pair and in warps, for the largest devices: of many small ones,
// the last make little difference. The same for all devices, and for any strip or share of the rows, since the order of
// summation depends on it.
constexpr long blocks_wanted = 8448;
constexpr long warps_wanted = 42240;

/// A batch in the forms the kernels read.
template <class T>
struct Batch {
  /// From row-major matrices on the device.
  void pack(const double* raw, long number, int dim, const double* factors, bool with_inverses) {
    count = number;
    if (dim <= largest_small) {
      elements.reserve(elements_of(dim) * count);
      interleave(raw, factors, dim, count, elements.data());
    }
    if (dim <= largest_gridded && dim > (with_inverses ? largest_small_inverse : largest_small)) {
      const GridLayout layout = grid_layout(dim);
      grids.reserve(layout.numbers * layout.padded(count));
      grid(raw, factors, dim, count, grids.data());
    }
    if (dim > largest_gridded) {
      tiles.reserve(tiled_numbers(dim) * count);
      tile(raw, factors, dim, count, tiles.data());
    }
    check(cudaDeviceSynchronize(), "packing matrices");
  }
  Interleaved<T> small() const { return {elements.data(), count}; }
  Gridded<T> medium() const { return {grids.data(), count}; }
  Tiled large() const { return {tiles.data(), count}; }

  long count = 0;
  DeviceArray<T> elements;
  DeviceArray<T> grids;
  DeviceArray<double> tiles;
};

template <class T>
class SweepOf : public StripSweep<DeviceMatrices> {
 public:
  explicit SweepOf(const SweepInput& input)
      : StripSweep(input.x.count, input.y.values == nullptr ? input.x.count : input.y.count, input.classes),
        dim_(input.dim),
        own_(input.y.values == nullptr),
        divergence_(input.divergence),
        logdet_offset_(input.logdet_offset),
        factors_(dim_),
        failure_(1) {
    DeviceArray<double> raw(input.x.values, input.x.count * dim_ * dim_);
    x_.count = input.x.count;
    if (input.eigenvectors) {
      vectors_ = std::move(raw);
      return;
    }
    factors_.put(input.factors.data(), dim_);
    pack(x_, raw, input.x.count);
    if (!own_) pack(y_, DeviceArray<double>(input.y.values, input.y.count * dim_ * dim_), input.y.count);
  }

  void form(const double* eigenvalues) override {
    eigenvalues_.take({eigenvalues, static_cast<std::size_t>(x_.count * dim_)});
    formed_.reserve(x_.count * dim_ * dim_);
    recompose(vectors_.data(), eigenvalues_.data(), dim_, x_.count, formed_.data());
    largest_.reserve(dim_);
    largest_diagonals(formed_.data(), dim_, x_.count, largest_.data());
    std::vector<double> factors(static_cast<std::size_t>(dim_));
    largest_.get(factors.data(), dim_);
    for (double& factor : factors) {
      if (!(factor > 0 && std::isfinite(factor)))
        throw NumericalFailure("with these eigenvalues the matrices leave the range of double");
      factor = std::ldexp(1.0, -static_cast<int>(std::floor(std::log2(factor) / 2)));
    }
    factors_.put(factors.data(), dim_);
    pack(x_, formed_, x_.count);
    has_offsets_ = false;
  }

  std::optional<Failure> compute(long first_row, long rows) override {
    if (const auto failed = find_offsets()) return failed;
    DivergenceTask task;
    task.out = start_strip(first_row, rows);
    task.dim = dim_;
    task.first_row = first_row;
    task.rows = rows;
    task.symmetric = own_ && rows == x_.count;
    task.clamp = divergence_;
    task.row_offset = row_offset_.data();
    task.column_offset = own_ ? row_offset_.data() : column_offset_.data();
    task.failure = clear_failure();
    if (small()) {
      small_divergences(x_.small(), columns().small(), task);
    } else if (medium()) {
      grid_divergences(x_.medium(), columns().medium(), task);
    } else {
      slab_.reserve(slab_numbers(dim_));
      tile_divergences(x_.large(), columns().large(), task, slab_.data());
    }
    return failure(columns().count);
  }

  std::optional<Failure> sum_weighted() override {
    InverseTask task;
    task.dim = dim_;
    task.first_row = first_row_;
    task.rows = rows_;
    task.weights = strip_.data();
    task.failure = clear_failure();
    result_.reserve(rows_ * dim_ * dim_);
    if (dim_ <= largest_small_inverse) {
      task.parts = static_cast<int>(std::clamp(blocks_wanted / x_.count, 1L, (x_.count + 63) / 64));
      sums_.reserve(task.parts * rows_ * elements_of(dim_));
      small_inverse_sums(x_.small(), task, sums_.data());
      gather_elements(sums_.data(), factors_.data(), dim_, rows_, task.parts, result_.data());
    } else if (medium()) {
      const GridLayout layout = grid_layout(dim_);
      task.parts = static_cast<int>(std::clamp(warps_wanted / layout.warps / x_.count, 1L, (x_.count + 15) / 16));
      sums_.reserve(task.parts * rows_ * layout.numbers);
      grid_inverse_sums(x_.medium(), task, sums_.data());
      gather_grid(sums_.data(), factors_.data(), dim_, rows_, task.parts, result_.data());
    } else if constexpr (std::is_same_v<T, double>) {
      task.parts = static_cast<int>(std::clamp(warps_wanted / team_warps(dim_) / x_.count, 1L, x_.count));
      sums_.reserve(task.parts * rows_ * tiled_numbers(dim_));
      slab_.reserve(slab_numbers(dim_));
      tile_inverse_sums(x_.large(), task, sums_.data(), slab_.data());
      gather_tiles(sums_.data(), factors_.data(), dim_, rows_, task.parts, result_.data());
    }
    return failure(x_.count);
  }

  void fetch_sums(double* out) override { result_.get(out, rows_ * dim_ * dim_); }

  void fetch_forms(double* out) override {
    forms_.reserve(rows_ * dim_);
    quadratic_forms(result_.data(), vectors_.data(), first_row_, dim_, rows_, forms_.data());
    forms_.get(out, rows_ * dim_);
  }

 private:
  bool small() const { return dim_ <= largest_small; }
  bool medium() const { return dim_ <= largest_gridded; }
  const Batch<T>& columns() const { return own_ ? x_ : y_; }
  void pack(Batch<T>& batch, const DeviceArray<double>& raw, long count) {
    batch.pack(raw.data(), count, dim_, factors_.data(), own_);
  }

  /// Log-determinants of the matrices themselves, once.
  std::optional<Failure> find_offsets() {
    if (has_offsets_) return {};
    if (const auto failed = offsets(x_, row_offset_)) return failed;
    if (const auto failed = own_ ? std::nullopt : offsets(y_, column_offset_)) return failed;
    has_offsets_ = true;
    return {};
  }

  std::optional<Failure> offsets(const Batch<T>& batch, DeviceArray<double>& result) {
    result.reserve(batch.count);
    if (small()) {
      small_logdets(batch.small(), dim_, result.data(), clear_failure());
    } else if (medium()) {
      grid_logdets(batch.medium(), dim_, result.data(), clear_failure());
    } else {
      slab_.reserve(slab_numbers(dim_));
      tile_logdets(batch.large(), dim_, result.data(), clear_failure(), slab_.data());
    }
    if (const auto failed = failure(batch.count)) return Failure{failed->row, failed->column, true};
    std::vector<double> values(static_cast<std::size_t>(batch.count));
    result.get(values.data(), batch.count);
    for (double& value : values) value = divergence_ ? value / 2 : -logdet_offset_ / 2;
    result.put(values.data(), batch.count);
    return {};
  }

  unsigned long long* clear_failure() {
    failure_.put(&no_failure, 1);
    return failure_.data();
  }

  /// Waits for the computation.
  std::optional<Failure> failure(long columns) {
    unsigned long long found = no_failure;
    failure_.get(&found, 1);
    if (found == no_failure) return {};
    const PairNumber pair = pair_of_number(found, columns);
    return Failure{pair.row, pair.column};
  }

  int dim_;
  bool own_;
  bool divergence_;
  double logdet_offset_;
  bool has_offsets_ = false;
  DeviceArray<double> factors_;
  DeviceArray<unsigned long long> failure_;
  Batch<T> x_;
  Batch<T> y_;
  DeviceArray<double> vectors_;
  DeviceArray<double> formed_;
  DeviceArray<double> row_offset_;
  DeviceArray<double> column_offset_;
  DeviceArray<T> sums_;
  DeviceArray<double> result_;
  DeviceArray<double> slab_;
  DeviceArray<double> eigenvalues_;
  DeviceArray<double> largest_;
  DeviceArray<double> forms_;
};

}  // namespace

std::unique_ptr<DeviceMatrices> make_device_sweep(const SweepInput& input) {
  require_device();
  if (input.single_precision && input.dim <= largest_gridded) return std::make_unique<SweepOf<float>>(input);
  return std::make_unique<SweepOf<double>>(input);
}

}  // namespace dsk::engine::cuda
