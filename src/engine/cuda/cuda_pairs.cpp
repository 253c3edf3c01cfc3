#include "engine/cuda/cuda_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/team/share.hpp"
#include "machine/interrupt.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

/// The rows of a matrix over pairs that are this process's work: all, or a share of a team's.
RowRange device_rows(Index rows, const PairOptions& options) {
  return options.team == nullptr ? RowRange{0, rows} : share_of_rows(rows, options.team->rank(), options.team->size());
}

/// Throws what the CPU would for a pair or a matrix that is not numerically positive definite, on all ranks of a team.
void check(const DeviceFailure& failure, const PairOptions& options) {
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

/// Calls work(first, count), which returns a failure or none, for strips of rows of which each finds room on the
/// device.
template <class Work>
void for_strips(RowRange range, Index each, const PairOptions& options, const Work& work) {
  DeviceFailure failure;
  for (Index first = range.first; first < range.last && !failure; first += each) {
    detail::check_interrupt();
    failure = work(first, std::min(each, range.last - first));
  }
  check(failure, options);
}

}  // namespace

Matrix matrix_of(cuda::DeviceSweep& sweep, Index rows, Index columns, const PairOptions& options,
                 const std::function<DeviceFailure(Index, Index)>& compute) {
  Matrix result(rows, columns);
  touch_memory(result, options.threads);
  if (options.team != nullptr) result.setZero();
  for_strips(device_rows(rows, options), sweep.rows_at_once(), options, [&](Index first, Index count) {
    const DeviceFailure failure = compute(first, count);
    if (!failure) sweep.fetch(result.data() + first * columns);
    return failure;
  });
  if (options.team != nullptr) options.team->sum({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

CudaPairs::CudaPairs(Index size, std::optional<Index> others, const PairOptions& options)
    : size_(size), others_(others), mine_(device_rows(size, options)), options_(options) {
  if (const DeviceStatus status = cuda::device_status(); !status.usable)
    throw InvalidInput("device cuda: " + status.text + "; use cpu");
}

const std::shared_ptr<cuda::DeviceSweep>& CudaPairs::device() const {
  if (!device_) device_ = upload(PairQuantity::divergence, classes_);
  return device_;
}

double CudaPairs::same_of(const PairForm& form, Index i) const {
  return form.same[static_cast<std::size_t>(classes_[static_cast<std::size_t>(i)])];
}

/// Makes sure that the divergences of these rows, and not weights, are there.
DeviceFailure CudaPairs::compute(cuda::DeviceSweep& sweep, Index first, Index rows) const {
  if (&sweep != device_.get()) return sweep.compute(first, rows);
  if (all_there_) return {};
  DeviceFailure failure = sweep.compute(first, rows);
  all_there_ = !failure && rows == mine_.last - mine_.first;
  return failure;
}

Matrix CudaPairs::matrix(PairQuantity quantity) const {
  const auto sweep = sweep_for(quantity);
  return matrix_of(*sweep, size_, others_.value_or(size_), options_,
                   [&](Index first, Index rows) { return compute(*sweep, first, rows); });
}

void CudaPairs::visit(const PairSweep::Visitor& visitor) const {
  const auto sweep = sweep_for(PairQuantity::divergence);
  const Index all = others_.value_or(size_), each = strip_rows(*sweep, size_, all);
  Matrix strip(each, all);
  // Whole tiles: those on the diagonal must be square.
  const RowRange tiles = device_rows((size_ + kLargestTile - 1) / kLargestTile, options_);
  const RowRange range{tiles.first * kLargestTile, std::min(tiles.last * kLargestTile, size_)};
  all_there_ = false;
  for_strips(range, each, options_, [&](Index first, Index rows) {
    const DeviceFailure failure = sweep->compute(first, rows);
    if (failure) return failure;
    sweep->fetch(strip.data());
    for (Index row = 0; row < rows; row += kLargestTile)
      for (Index column = others_ ? 0 : first + row; column < all; column += kLargestTile) {
        detail::check_interrupt();
        visitor({first + row,
                 column,
                 {&strip(row, column), std::min(kLargestTile, rows - row), std::min(kLargestTile, all - column),
                  Eigen::OuterStride<>(all)}});
      }
    return failure;
  });
}

void CudaPairs::set_classes(std::vector<int> classes) {
  classes_ = std::move(classes);
  forget_device();
}

std::vector<Matrix> CudaPairs::form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const {
  const std::vector<cuda::RowSums> rows = row_sums(thetas);
  std::vector<Matrix> sums(thetas.size(), Matrix(static_cast<Index>(forms.size()), size_));
  for (std::size_t t = 0; t < thetas.size(); ++t)
    for (Index i = 0; i < size_; ++i) {
      const cuda::RowSums& row = rows[t * static_cast<std::size_t>(size_) + static_cast<std::size_t>(i)];
      const auto sum = [&](int s) { return row.sum[s] == 0 ? 0 : row.sum[s] * std::exp(-thetas[t] * row.smallest[s]); };
      const double other = sum(0), same = sum(1);
      for (std::size_t m = 0; m < forms.size(); ++m)
        sums[t](static_cast<Index>(m), i) =
            same_of(forms[m], i) * same + forms[m].other * other + forms[m].square * row.squares;
    }
  return sums;
}

std::vector<LogRowSums> CudaPairs::log_row_sums(std::span<const double> thetas) const {
  const std::vector<cuda::RowSums> rows = row_sums(thetas);
  std::vector<LogRowSums> result(thetas.size(), {Eigen::VectorXd(size_), Eigen::VectorXd(size_)});
  for (std::size_t t = 0; t < thetas.size(); ++t)
    for (Index i = 0; i < size_; ++i) {
      const cuda::RowSums& row = rows[t * static_cast<std::size_t>(size_) + static_cast<std::size_t>(i)];
      const auto log = [&](int s) {
        return row.sum[s] == 0 ? -std::numeric_limits<double>::infinity()
                               : std::log(row.sum[s]) - thetas[t] * row.smallest[s];
      };
      result[t].other[i] = log(0);
      result[t].same[i] = log(1);
    }
  return result;
}

WeightedInverses CudaPairs::weighted_inverses(double theta, const SummedForms& weights) const {
  const FormWeights chosen = weights.weigh(form_sums(weights.forms, {&theta, 1})[0]);
  std::vector<double> same(static_cast<std::size_t>(size_), 0.0), rows(same);
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

WeightedInverses CudaPairs::weighted_inverses(const LogWeights& weights) const {
  cuda::HostWeighting how;
  how.rule.kind = cuda::Weighting::Kind::logarithms;
  how.rule.theta = weights.theta;
  how.rule.factor = weights.factor;
  how.a = {weights.same.data(), static_cast<std::size_t>(size_)};
  how.b = {weights.other.data(), static_cast<std::size_t>(size_)};
  return weigh(how);
}

WeightedInverses CudaPairs::weighted_inverses(const Matrix& weights) const {
  WeightedInverses result = room();
  for_strips(mine_, strip_rows(*device(), size_, size_), options_, [&](Index first, Index rows) {
    result.weight_sums.segment(first, rows) = weights.middleRows(first, rows).rowwise().sum();
    device()->place_weights(first, rows, &weights(first, 0));
    return sum_weighted(first, rows, result);
  });
  return result;
}

/// For each theta and, within, each matrix.
std::vector<cuda::RowSums> CudaPairs::row_sums(std::span<const double> thetas) const {
  std::vector<cuda::RowSums> result(thetas.size() * static_cast<std::size_t>(size_));
  for_strips(mine_, device()->rows_at_once(), options_, [&](Index first, Index rows) {
    DeviceFailure failure = compute(*device(), first, rows);
    if (failure) return failure;
    const std::vector<cuda::RowSums> found = device()->sum_rows(thetas);
    for (std::size_t t = 0; t < thetas.size(); ++t)
      std::copy_n(found.begin() + static_cast<Index>(t) * rows, rows,
                  result.begin() + static_cast<Index>(t) * size_ + first);
    return failure;
  });
  if (options_.team != nullptr) exchange(result);
  return result;
}

/// From the sums of this rank's rows to those of all.
void CudaPairs::exchange(std::vector<cuda::RowSums>& sums) const {
  const Index thetas = std::ssize(sums) / size_;
  Parcel parcel;
  for (Index t = 0; t < thetas; ++t)
    for (Index i = mine_.first; i < mine_.last; ++i) parcel.put(sums[static_cast<std::size_t>(t * size_ + i)]);
  const std::vector<std::string> parcels = options_.team->gather(parcel.bytes());
  for (int rank = 0; rank < options_.team->size(); ++rank) {
    OpenParcel open(parcels[static_cast<std::size_t>(rank)]);
    const RowRange rows = share_of_rows(size_, rank, options_.team->size());
    for (Index t = 0; t < thetas; ++t)
      for (Index i = rows.first; i < rows.last; ++i)
        sums[static_cast<std::size_t>(t * size_ + i)] = open.take<cuda::RowSums>();
  }
}

WeightedInverses CudaPairs::room() const {
  WeightedInverses result;
  result.weight_sums = Eigen::VectorXd::Zero(size_);
  make_room(result);
  return result;
}

WeightedInverses CudaPairs::weigh(const cuda::HostWeighting& how) const {
  WeightedInverses result = room();
  result.divergence_sums = Eigen::VectorXd::Zero(size_);
  for_strips(mine_, device()->rows_at_once(), options_, [&](Index first, Index rows) {
    if (const DeviceFailure failure = compute(*device(), first, rows)) return failure;
    const std::vector<cuda::WeightSums> sums = device()->weigh(how);
    for (Index i = 0; i < rows; ++i) {
      result.weight_sums[first + i] = sums[static_cast<std::size_t>(i)].of_weights;
      result.divergence_sums[first + i] = sums[static_cast<std::size_t>(i)].of_divergences;
    }
    return sum_weighted(first, rows, result);
  });
  return result;
}

DeviceFailure CudaPairs::sum_weighted(Index first, Index rows, WeightedInverses& result) const {
  all_there_ = false;
  DeviceFailure failure = device()->sum_weighted();
  if (!failure) take_sums(first, rows, result);
  return failure;
}

}  // namespace dsk::engine
