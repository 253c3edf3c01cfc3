#include "engine/cuda/strip_sweep.hpp"

namespace dsk::engine::cuda {
namespace {

/// Pairs of rows by their squared Euclidean distances.
class SweepOfRows : public StripSweep<DeviceSweep> {
 public:
  explicit SweepOfRows(const RowInput& input)
      : StripSweep(input.x.count, input.y.values == nullptr ? input.x.count : input.y.count, input.classes),
        width_(input.width),
        own_(input.y.values == nullptr),
        x_(input.x.values, input.x.count * width_) {
    if (!own_) y_ = DeviceArray<double>(input.y.values, input.y.count * width_);
  }

  std::optional<Failure> compute(long first_row, long rows) override {
    squared_distances(points(), own_ ? points() : Rows{y_.data(), columns_, width_}, first_row, rows,
                      own_ && rows == count_, start_strip(first_row, rows));
    check(cudaDeviceSynchronize(), "a computation");
    return {};
  }

  std::optional<Failure> sum_weighted() override {
    sums_.reserve(rows_ * width_);
    sum_weighted_rows(strip_.data(), rows_, points(), sums_.data());
    check(cudaDeviceSynchronize(), "a computation");
    return {};
  }

  void fetch_sums(double* out) override { sums_.get(out, rows_ * width_); }

 private:
  Rows points() const { return {x_.data(), count_, width_}; }

  long width_;
  bool own_;
  DeviceArray<double> x_;
  DeviceArray<double> y_;
  DeviceArray<double> sums_;
};

}  // namespace

std::unique_ptr<DeviceSweep> make_device_row_sweep(const RowInput& input) {
  require_device();
  return std::make_unique<SweepOfRows>(input);
}

}  // namespace dsk::engine::cuda
