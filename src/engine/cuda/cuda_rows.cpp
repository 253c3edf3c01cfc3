#include <utility>

#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/cuda/cuda_pairs.hpp"

namespace dsk::engine {
namespace {

/// Pairs of rows by their squared Euclidean distances.
class CudaRowSweep : public CudaPairs {
 public:
  CudaRowSweep(const Matrix& rows, const PairOptions& options)
      : CudaPairs(rows.rows(), {}, options), points_(centred(rows)), width_(rows.cols()) {}

  void replace(const SpdBatch&) override { throw InvalidInput("a sweep over rows takes no matrices"); }
  void replace_eigenvalues(const Matrix&) override { throw InvalidInput("a sweep over rows takes no eigenvalues"); }
  void replace_rows(const Matrix& rows) override {
    points_ = centred(rows);
    forget_device();
  }

 protected:
  std::shared_ptr<cuda::DeviceSweep> upload(PairQuantity, std::span<const int> classes) const override {
    cuda::RowInput input;
    input.width = points_.width();
    input.x = {points_.row(0), points_.size()};
    input.classes = classes;
    return cuda::make_device_row_sweep(input);
  }
  std::shared_ptr<cuda::DeviceSweep> sweep_for(PairQuantity) const override { return device(); }

  void make_room(WeightedInverses& result) const override { result.differences = Matrix::Zero(points_.size(), width_); }

  void take_sums(Index first, Index rows, WeightedInverses& result) const override {
    Matrix sums(rows, points_.width());
    device()->fetch_sums(sums.data());
    for (Index r = 0; r < rows; ++r)
      for (Index e = 0; e < width_; ++e)
        result.differences(first + r, e) = result.weight_sums[first + r] * points_.row(first + r)[e] - sums(r, e);
  }

 private:
  InterleavedRows<double> points_;
  Index width_;
};

}  // namespace

std::unique_ptr<Sweep> make_cuda_row_sweep(const Matrix& rows, const PairOptions& options) {
  return std::make_unique<CudaRowSweep>(rows, options);
}

Matrix squared_distances_on_device(const Matrix& x, const Matrix* y, const PairOptions& options) {
  cuda::RowInput input;
  input.width = x.cols();
  input.x = {x.data(), x.rows()};
  if (y != nullptr) input.y = {y->data(), y->rows()};
  const auto sweep = cuda::make_device_row_sweep(input);
  return matrix_of(*sweep, x.rows(), y != nullptr ? y->rows() : x.rows(), {.threads = options.threads},
                   [&](Index first, Index rows) { return sweep->compute(first, rows); });
}

}  // namespace dsk::engine
