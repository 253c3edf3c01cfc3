#include "learn/device_training.hpp"

#include <algorithm>

#include "engine/cuda/device_pairs.hpp"
#include "engine/engine.hpp"
#include "learn/objective.hpp"

namespace dsk::detail {

DeviceTraining::DeviceTraining(const EigenBatch& eigen, const Classes& classes, const PairOptions& options)
    : count_(eigen.values.rows()),
      dim_(eigen.values.cols()),
      mine_(engine::device_rows(count_, options)),
      options_(options) {
  engine::cuda::SweepInput input;
  input.dim = static_cast<int>(dim_);
  input.x = {eigen.vectors.values.data(), static_cast<long>(count_)};
  input.eigenvectors = true;
  input.classes = classes.of;
  input.single_precision = options.precision == Precision::float32;
  sweep_ = engine::cuda::make_sweep(input);
}

void DeviceTraining::form(const Matrix& eigenvalues) {
  if (!((eigenvalues.array() > 0).all() && eigenvalues.allFinite()))
    throw InvalidInput("with adjusted eigenvalues: the matrices leave the range of double");
  sweep_->form(eigenvalues.data());
  all_there_ = false;
}

template <class Work>
void DeviceTraining::for_strips(const Work& work) {
  engine::for_strips(mine_, sweep_->rows_at_once(), options_, work);
}

DeviceTraining::Failure DeviceTraining::compute(Index first, Index rows) {
  if (all_there_) return {};
  Failure failure = sweep_->compute(first, rows);
  all_there_ = !failure && rows == mine_.last - mine_.first;
  return failure;
}

std::vector<engine::cuda::RowSums> DeviceTraining::sum_rows(std::span<const double> thetas) {
  std::vector<engine::cuda::RowSums> result(thetas.size() * static_cast<std::size_t>(count_));
  for_strips([&](Index first, Index rows) {
    Failure failure = compute(first, rows);
    if (failure) return failure;
    const std::vector<engine::cuda::RowSums> found = sweep_->sum_rows(thetas);
    for (std::size_t t = 0; t < thetas.size(); ++t)
      std::copy_n(found.begin() + static_cast<Index>(t) * rows, rows,
                  result.begin() + static_cast<Index>(t) * count_ + first);
    return failure;
  });
  if (options_.team != nullptr) exchange(result);
  return result;
}

/// From the sums of this rank's rows to those of all.
void DeviceTraining::exchange(std::vector<engine::cuda::RowSums>& sums) const {
  const Index thetas = std::ssize(sums) / count_;
  const auto rows_of = [&](int rank) { return share_of_rows(count_, rank, options_.team->size()); };
  engine::Parcel parcel;
  for (Index t = 0; t < thetas; ++t)
    for (Index i = mine_.first; i < mine_.last; ++i) parcel.put(sums[static_cast<std::size_t>(t * count_ + i)]);
  const std::vector<std::string> parcels = options_.team->gather(parcel.bytes());
  for (int rank = 0; rank < options_.team->size(); ++rank) {
    engine::OpenParcel open(parcels[static_cast<std::size_t>(rank)]);
    const RowRange rows = rows_of(rank);
    for (Index t = 0; t < thetas; ++t)
      for (Index i = rows.first; i < rows.last; ++i)
        sums[static_cast<std::size_t>(t * count_ + i)] = open.take<engine::cuda::RowSums>();
  }
}

Matrix DeviceTraining::divergences() {
  Matrix result = Matrix::Zero(count_, count_);
  for_strips([&](Index first, Index rows) {
    Failure failure = compute(first, rows);
    if (!failure) sweep_->fetch(&result(first, 0));
    return failure;
  });
  if (options_.team != nullptr) options_.team->sum({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

void DeviceTraining::weigh(const engine::cuda::HostWeighting& how, KernelGradient& gradient) {
  gradient.forms = Matrix::Zero(count_, dim_);
  gradient.weight_sums = Eigen::VectorXd::Zero(count_);
  for_strips([&](Index first, Index rows) {
    if (const Failure failure = compute(first, rows)) return failure;
    const std::vector<double> sums = sweep_->weigh(how);
    std::copy(sums.begin(), sums.end(), gradient.weight_sums.data() + first);
    return take_forms(first, gradient);
  });
}

void DeviceTraining::weigh(const Matrix& weights, KernelGradient& gradient) {
  gradient.forms = Matrix::Zero(count_, dim_);
  gradient.weight_sums = Eigen::VectorXd::Zero(count_);
  for_strips([&](Index first, Index rows) {
    gradient.weight_sums.segment(first, rows) = weights.middleRows(first, rows).rowwise().sum();
    sweep_->place_weights(first, rows, &weights(first, 0));
    return take_forms(first, gradient);
  });
}

DeviceTraining::Failure DeviceTraining::take_forms(Index first, KernelGradient& gradient) {
  all_there_ = false;
  Failure failure = sweep_->sum_inverses();
  if (!failure) sweep_->fetch_forms(&gradient.forms(first, 0));
  return failure;
}

}  // namespace dsk::detail
