#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/cpu/packed.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/cuda/pair_engine.hpp"
#include "engine/engine.hpp"
#include "engine/sweep.hpp"
#include "engine/team/share.hpp"
#include "machine/interrupt.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

using Failure = std::optional<cuda::Failure>;

/// The rows of a matrix over pairs that are this process's work: all, or a share of a team's.
RowRange device_rows(Index rows, const PairOptions& options) {
  return options.team == nullptr ? RowRange{0, rows} : share_of_rows(rows, options.team->rank(), options.team->size());
}

/// Throws what the CPU would for a pair or a matrix that is not numerically positive definite, on all ranks of a team.
void check(const Failure& failure, const PairOptions& options) {
  constexpr Index alone = -1;
  PairPosition mine;
  if (failure) mine = {failure->row, failure->single ? alone : failure->column};
  const PairPosition first = first_of_all(mine, options.team);
  if (!first.found()) return;
  if (first.column != alone) throw PairFailure(first.row, first.column);
  refuse_matrix(first.row, options.precision == Precision::float32 ? "single" : "double");
}

/// Rows of a strip that the host keeps: some hundred megabytes, whole tiles.
Index strip_rows(const cuda::DeviceSweep& sweep, Index rows, Index columns) {
  constexpr Index numbers = Index{1} << 25;
  const Index affordable = std::min<Index>(numbers / columns, sweep.rows_at_once());
  return affordable >= rows ? rows : std::max<Index>(affordable / kLargestTile * kLargestTile, kLargestTile);
}

/// Makes the system provide the memory of a large matrix, on all threads: one alone takes longer for that than a device
/// for its entries.
void touch_memory(Matrix& matrix, int threads) {
  constexpr Index step = 512;  // doubles of a page
  detail::for_ranges(matrix.size() / step, threads, 500, [&](Index first, Index last) {
    for (Index page = first; page < last; ++page) matrix.data()[page * step] = 0;
  });
}

std::unique_ptr<cuda::DeviceSweep> upload(const SweepMatrices& matrices, PairQuantity quantity,
                                          std::span<const int> classes, const PairOptions& options) {
  const auto host = [](const SpdBatch& batch) {
    return cuda::HostMatrices{batch.values().data(), static_cast<long>(batch.size())};
  };
  cuda::SweepInput input;
  input.dim = static_cast<int>(matrices.x.dim());
  input.classes = classes;
  input.single_precision = options.precision == Precision::float32;
  std::vector<double> factors;
  if (matrices.eigen) {
    input.x = {matrices.eigen->vectors.values.data(), static_cast<long>(matrices.x.size())};
    input.eigenvectors = true;
  } else {
    const CoordinateScale scale(matrices.x, matrices.y ? &*matrices.y : nullptr);
    for (Index k = 0; k < matrices.x.dim(); ++k) factors.push_back(scale.factor(k));
    input.x = host(matrices.x);
    if (matrices.y) input.y = host(*matrices.y);
    input.factors = factors;
    input.divergence = quantity == PairQuantity::divergence;
    input.logdet_offset = scale.logdet_offset();
  }
  auto sweep = cuda::make_device_sweep(input);
  if (matrices.eigen) sweep->form(matrices.eigen->values.data());
  return sweep;
}

/// Pairs on a CUDA device. The matrices stay there; of eigenvectors and eigenvalues only numbers per matrix go there
/// and come back. Each rank of a team has a device and computes its share of the rows. Visitors are called by the
/// calling thread.
class CudaSweep : public Sweep {
 public:
  CudaSweep(SweepMatrices matrices, const PairOptions& options)
      : matrices_(std::move(matrices)), mine_(device_rows(size(), options)), options_(options) {}

  void replace(const SpdBatch& x) override {
    matrices_.x = x;
    if (matrices_.eigen && device_) device_->form(matrices_.eigen->values.data());
    if (!matrices_.eigen) device_.reset();
    all_there_ = false;
  }

  void replace_eigenvalues(const Matrix& eigenvalues) override {
    device().form(eigenvalues.data());
    all_there_ = false;
  }

  Matrix matrix(PairQuantity quantity) const override {
    if (matrices_.eigen) return of_decomposed();
    const auto sweep = upload(matrices_, quantity, {}, options_);
    Matrix result(size(), columns());
    touch_memory(result, options_.threads);
    if (options_.team != nullptr) result.setZero();
    for_strips(mine_, sweep->rows_at_once(), [&](Index first, Index rows) {
      const Failure failure = sweep->compute(first, rows);
      if (!failure) sweep->fetch(result.data() + first * result.cols());
      return failure;
    });
    if (options_.team != nullptr) options_.team->sum({result.data(), static_cast<std::size_t>(result.size())});
    return result;
  }

  void visit(const PairSweep::Visitor& visitor) const override {
    const auto sweep = upload(matrices_, PairQuantity::divergence, {}, options_);
    const Index all = columns(), each = strip_rows(*sweep, size(), all);
    Matrix strip(each, all);
    // Whole tiles: those on the diagonal must be square.
    const RowRange tiles = device_rows((size() + kLargestTile - 1) / kLargestTile, options_);
    const RowRange range{tiles.first * kLargestTile, std::min(tiles.last * kLargestTile, size())};
    for_strips(range, each, [&](Index first, Index rows) {
      const Failure failure = sweep->compute(first, rows);
      if (failure) return failure;
      sweep->fetch(strip.data());
      for (Index row = 0; row < rows; row += kLargestTile)
        for (Index column = matrices_.y ? 0 : first + row; column < all; column += kLargestTile) {
          detail::check_interrupt();
          visitor({first + row,
                   column,
                   {&strip(row, column), std::min(kLargestTile, rows - row), std::min(kLargestTile, all - column),
                    Eigen::OuterStride<>(all)}});
        }
      return failure;
    });
  }

  void set_classes(std::vector<int> classes) override {
    classes_ = std::move(classes);
    device_.reset();
    all_there_ = false;
  }

  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const override {
    const std::vector<cuda::RowSums> rows = row_sums(thetas);
    std::vector<Matrix> sums(thetas.size(), Matrix(static_cast<Index>(forms.size()), size()));
    for (std::size_t t = 0; t < thetas.size(); ++t)
      for (Index i = 0; i < size(); ++i) {
        const cuda::RowSums& row = rows[t * static_cast<std::size_t>(size()) + static_cast<std::size_t>(i)];
        const auto sum = [&](int s) {
          return row.sum[s] == 0 ? 0 : row.sum[s] * std::exp(-thetas[t] * row.smallest[s]);
        };
        const double other = sum(0), same = sum(1);
        for (std::size_t m = 0; m < forms.size(); ++m)
          sums[t](static_cast<Index>(m), i) =
              same_of(forms[m], i) * same + forms[m].other * other + forms[m].square * row.squares;
      }
    return sums;
  }

  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const override {
    const std::vector<cuda::RowSums> rows = row_sums(thetas);
    std::vector<LogRowSums> result(thetas.size(), {Eigen::VectorXd(size()), Eigen::VectorXd(size())});
    for (std::size_t t = 0; t < thetas.size(); ++t)
      for (Index i = 0; i < size(); ++i) {
        const cuda::RowSums& row = rows[t * static_cast<std::size_t>(size()) + static_cast<std::size_t>(i)];
        const auto log = [&](int s) {
          return row.sum[s] == 0 ? -std::numeric_limits<double>::infinity()
                                 : std::log(row.sum[s]) - thetas[t] * row.smallest[s];
        };
        result[t].other[i] = log(0);
        result[t].same[i] = log(1);
      }
    return result;
  }

  WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const override {
    const FormWeights chosen = weights.weigh(form_sums(weights.forms, {&theta, 1})[0]);
    std::vector<double> same(static_cast<std::size_t>(size()), 0.0), rows(same);
    cuda::HostWeighting how;
    how.rule.theta = theta;
    for (std::size_t m = 0; m < weights.forms.size(); ++m) {
      how.rule.other += chosen.forms[m] * weights.forms[m].other;
      how.rule.square += chosen.forms[m] * weights.forms[m].square;
      for (std::size_t i = 0; i < same.size(); ++i)
        same[i] += chosen.forms[m] * same_of(weights.forms[m], static_cast<Index>(i));
    }
    std::copy(chosen.rows.begin(), chosen.rows.end(), rows.begin());
    how.a = same;
    how.b = rows;
    return weigh(how);
  }

  WeightedInverses weighted_inverses(const LogWeights& weights) const override {
    cuda::HostWeighting how;
    how.rule.kind = cuda::Weighting::Kind::logarithms;
    how.rule.theta = weights.theta;
    how.rule.factor = weights.factor;
    how.a = {weights.same.data(), static_cast<std::size_t>(size())};
    how.b = {weights.other.data(), static_cast<std::size_t>(size())};
    return weigh(how);
  }

  WeightedInverses weighted_inverses(const Matrix& weights) const override {
    WeightedInverses result = room();
    for_strips(mine_, strip_rows(device(), size(), size()), [&](Index first, Index rows) {
      result.weight_sums.segment(first, rows) = weights.middleRows(first, rows).rowwise().sum();
      device().place_weights(first, rows, &weights(first, 0));
      return take_sums(first, result);
    });
    return result;
  }

  const PairOptions& options() const override { return options_; }

 private:
  Index size() const { return matrices_.x.size(); }
  Index columns() const { return matrices_.y ? matrices_.y->size() : size(); }
  double same_of(const PairForm& form, Index i) const {
    return form.same[static_cast<std::size_t>(classes_[static_cast<std::size_t>(i)])];
  }

  /// The matrices on the device, from their first use on.
  cuda::DeviceSweep& device() const {
    if (!device_) device_ = upload(matrices_, PairQuantity::divergence, classes_, options_);
    return *device_;
  }

  /// Calls work(first, count), which returns a failure or none, for strips of rows of which each finds room on the
  /// device.
  template <class Work>
  void for_strips(RowRange range, Index each, const Work& work) const {
    Failure failure;
    for (Index first = range.first; first < range.last && !failure; first += each) {
      detail::check_interrupt();
      failure = work(first, std::min(each, range.last - first));
    }
    check(failure, options_);
  }

  /// Makes sure that the divergences of these rows, and not weights, are on the device.
  Failure compute(Index first, Index rows) const {
    if (all_there_) return {};
    Failure failure = device().compute(first, rows);
    all_there_ = !failure && rows == mine_.last - mine_.first;
    return failure;
  }

  Matrix of_decomposed() const {
    Matrix result = Matrix::Zero(size(), size());
    for_strips(mine_, device().rows_at_once(), [&](Index first, Index rows) {
      Failure failure = compute(first, rows);
      if (!failure) device().fetch(&result(first, 0));
      return failure;
    });
    if (options_.team != nullptr) options_.team->sum({result.data(), static_cast<std::size_t>(result.size())});
    return result;
  }

  /// For each theta and, within, each matrix.
  std::vector<cuda::RowSums> row_sums(std::span<const double> thetas) const {
    std::vector<cuda::RowSums> result(thetas.size() * static_cast<std::size_t>(size()));
    for_strips(mine_, device().rows_at_once(), [&](Index first, Index rows) {
      Failure failure = compute(first, rows);
      if (failure) return failure;
      const std::vector<cuda::RowSums> found = device().sum_rows(thetas);
      for (std::size_t t = 0; t < thetas.size(); ++t)
        std::copy_n(found.begin() + static_cast<Index>(t) * rows, rows,
                    result.begin() + static_cast<Index>(t) * size() + first);
      return failure;
    });
    if (options_.team != nullptr) exchange(result);
    return result;
  }

  /// From the sums of this rank's rows to those of all.
  void exchange(std::vector<cuda::RowSums>& sums) const {
    const Index thetas = std::ssize(sums) / size();
    Parcel parcel;
    for (Index t = 0; t < thetas; ++t)
      for (Index i = mine_.first; i < mine_.last; ++i) parcel.put(sums[static_cast<std::size_t>(t * size() + i)]);
    const std::vector<std::string> parcels = options_.team->gather(parcel.bytes());
    for (int rank = 0; rank < options_.team->size(); ++rank) {
      OpenParcel open(parcels[static_cast<std::size_t>(rank)]);
      const RowRange rows = share_of_rows(size(), rank, options_.team->size());
      for (Index t = 0; t < thetas; ++t)
        for (Index i = rows.first; i < rows.last; ++i)
          sums[static_cast<std::size_t>(t * size() + i)] = open.take<cuda::RowSums>();
    }
  }

  /// Zeros for the rows of other ranks.
  WeightedInverses room() const {
    const Index dim = matrices_.x.dim();
    WeightedInverses result;
    result.weight_sums = Eigen::VectorXd::Zero(size());
    if (matrices_.eigen)
      result.forms = Matrix::Zero(size(), dim);
    else
      result.sums = {size(), dim, std::vector<double>(static_cast<std::size_t>(size() * dim * dim))};
    return result;
  }

  WeightedInverses weigh(const cuda::HostWeighting& how) const {
    WeightedInverses result = room();
    result.divergence_sums = Eigen::VectorXd::Zero(size());
    for_strips(mine_, device().rows_at_once(), [&](Index first, Index rows) {
      if (const Failure failure = compute(first, rows)) return failure;
      const std::vector<cuda::WeightSums> sums = device().weigh(how);
      for (Index i = 0; i < rows; ++i) {
        result.weight_sums[first + i] = sums[static_cast<std::size_t>(i)].of_weights;
        result.divergence_sums[first + i] = sums[static_cast<std::size_t>(i)].of_divergences;
      }
      return take_sums(first, result);
    });
    return result;
  }

  Failure take_sums(Index first, WeightedInverses& result) const {
    all_there_ = false;
    Failure failure = device().sum_inverses();
    if (failure) return failure;
    if (matrices_.eigen)
      device().fetch_forms(&result.forms(first, 0));
    else
      device().fetch_sums(result.sums.values.data() + first * matrices_.x.dim() * matrices_.x.dim());
    return failure;
  }

  SweepMatrices matrices_;
  RowRange mine_;
  PairOptions options_;
  std::vector<int> classes_;
  mutable std::unique_ptr<cuda::DeviceSweep> device_;
  mutable bool all_there_ = false;  ///< the divergences of all its rows are on the device
};

}  // namespace

std::unique_ptr<Sweep> make_cuda_sweep(SweepMatrices matrices, const PairOptions& options) {
  if (const DeviceStatus status = cuda::device_status(); !status.usable)
    throw InvalidInput("device cuda: " + status.text + "; use cpu");
  return std::make_unique<CudaSweep>(std::move(matrices), options);
}

}  // namespace dsk::engine
