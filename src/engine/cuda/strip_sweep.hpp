#pragma once

#include <cuda_runtime.h>

#include "engine/cuda/memory.hpp"
#include "engine/cuda/pair_engine.hpp"

namespace dsk::engine::cuda {

/// Throws InvalidInput where no device can be used.
void require_device();

/// What sweeps over matrices and over rows have in common: rows of a matrix over pairs on the device, and what is made
/// of them there. `Interface` is DeviceSweep or derived from it.
template <class Interface>
class StripSweep : public Interface {
 public:
  long rows_at_once() const override {
    if (strip_.size() >= count_ * columns_) return count_;
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "querying free memory");
    return rows_for(free + static_cast<std::size_t>(strip_.size()) * sizeof(double), count_, columns_);
  }

  void fetch(double* out) override { strip_.get(out, rows_ * columns_); }

  std::vector<RowSums> sum_rows(std::span<const double> thetas) override {
    thetas_.take(thetas);
    const long numbers = rows_ * static_cast<long>(thetas.size());
    row_sums_.reserve(numbers);
    cuda::sum_rows(strip_.data(), first_row_, rows_, count_, classes_.data(), thetas_.data(),
                   static_cast<int>(thetas.size()), row_sums_.data());
    std::vector<RowSums> result(static_cast<std::size_t>(numbers));
    row_sums_.get(result.data(), numbers);
    return result;
  }

  std::vector<WeightSums> weigh(const HostWeighting& how) override {
    a_.take(how.a);
    b_.take(how.b);
    Weighting weighting = how.rule;
    weighting.a = a_.data();
    weighting.b = b_.data();
    weight_sums_.reserve(rows_);
    weigh_rows(strip_.data(), first_row_, rows_, count_, classes_.data(), weighting, weight_sums_.data());
    std::vector<WeightSums> result(static_cast<std::size_t>(rows_));
    weight_sums_.get(result.data(), rows_);
    return result;
  }

  void place_weights(long first_row, long rows, const double* weights) override {
    start_strip(first_row, rows);
    strip_.put(weights, rows * count_);
  }

 protected:
  StripSweep(long count, long columns, std::span<const int> classes) : count_(count), columns_(columns) {
    if (!classes.empty()) classes_.take(classes);
  }

  /// Makes room for these rows, which take the place of those before.
  double* start_strip(long first_row, long rows) {
    first_row_ = first_row;
    rows_ = rows;
    strip_.reserve(rows * columns_);
    return strip_.data();
  }

  long count_;
  long columns_;
  long first_row_ = 0;
  long rows_ = 0;
  DeviceArray<double> strip_;

 private:
  DeviceArray<int> classes_;
  // Small things that every step of learning needs again.
  DeviceArray<double> thetas_;
  DeviceArray<RowSums> row_sums_;
  DeviceArray<double> a_;
  DeviceArray<double> b_;
  DeviceArray<WeightSums> weight_sums_;
};

}  // namespace dsk::engine::cuda
