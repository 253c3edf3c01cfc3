#include "learn/device_training.hpp"

#include <dsk/spd/interrupt.hpp>

#include <algorithm>

#include "learn/objective.hpp"
#include "pairs/device_pairs.hpp"

namespace dsk::detail {

DeviceTraining::DeviceTraining(const EigenBatch& eigen, const Classes& classes, const PairOptions& options)
    : count_(eigen.values.rows()), dim_(eigen.values.cols()), options_(options) {
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
  whole_ = false;
}

template <class Work>
void DeviceTraining::for_strips(const Work& work) {
  const Index each = sweep_->rows_at_once();
  for (Index first = 0; first < count_; first += each) {
    check_interrupt();
    work(first, std::min(each, count_ - first));
  }
}

void DeviceTraining::compute(Index first, Index rows) {
  if (whole_ && rows == count_) return;
  engine::check(sweep_->compute(first, rows), options_);
  whole_ = rows == count_;
}

std::vector<engine::cuda::RowSums> DeviceTraining::sum_rows(std::span<const double> thetas) {
  std::vector<engine::cuda::RowSums> result(thetas.size() * static_cast<std::size_t>(count_));
  for_strips([&](Index first, Index rows) {
    compute(first, rows);
    const std::vector<engine::cuda::RowSums> found = sweep_->sum_rows(thetas);
    for (std::size_t t = 0; t < thetas.size(); ++t)
      std::copy_n(found.begin() + static_cast<Index>(t) * rows, rows,
                  result.begin() + static_cast<Index>(t) * count_ + first);
  });
  return result;
}

Matrix DeviceTraining::divergences() {
  Matrix result(count_, count_);
  for_strips([&](Index first, Index rows) {
    compute(first, rows);
    sweep_->fetch(&result(first, 0));
  });
  return result;
}

void DeviceTraining::weigh(const engine::cuda::HostWeighting& how, KernelGradient& gradient) {
  gradient.forms.resize(count_, dim_);
  gradient.weight_sums.resize(count_);
  for_strips([&](Index first, Index rows) {
    compute(first, rows);
    const std::vector<double> sums = sweep_->weigh(how);
    std::copy(sums.begin(), sums.end(), gradient.weight_sums.data() + first);
    take_forms(first, gradient);
  });
}

void DeviceTraining::weigh(const Matrix& weights, KernelGradient& gradient) {
  gradient.forms.resize(count_, dim_);
  gradient.weight_sums = weights.rowwise().sum();
  for_strips([&](Index first, Index rows) {
    sweep_->place_weights(first, rows, &weights(first, 0));
    take_forms(first, gradient);
  });
}

void DeviceTraining::take_forms(Index first, KernelGradient& gradient) {
  whole_ = false;
  engine::check(sweep_->sum_inverses(), options_);
  sweep_->fetch_forms(&gradient.forms(first, 0));
}

}  // namespace dsk::detail
