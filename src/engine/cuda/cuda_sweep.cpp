#include <utility>

#include "engine/cpu/packed.hpp"
#include "engine/cuda/cuda_pairs.hpp"

namespace dsk::engine {
namespace {

/// Of eigenvectors and eigenvalues only numbers per matrix go to the device and come back.
class CudaSweep : public CudaPairs {
 public:
  CudaSweep(SweepMatrices matrices, const PairOptions& options)
      : CudaPairs(matrices.x.size(), matrices.y ? std::optional(matrices.y->size()) : std::nullopt, options),
        matrices_(std::move(matrices)) {}

  void replace(const SpdBatch& x) override {
    matrices_.x = x;
    if (!matrices_.eigen) return forget_device();
    if (is_uploaded()) on_device().form(matrices_.eigen->values.data());
    forget_divergences();
  }

  void replace_eigenvalues(const Matrix& eigenvalues) override {
    on_device().form(eigenvalues.data());
    forget_divergences();
  }

 protected:
  std::shared_ptr<cuda::DeviceSweep> upload(PairQuantity quantity, std::span<const int> classes) const override {
    const auto host = [](const SpdBatch& batch) {
      return cuda::HostMatrices{batch.values().data(), static_cast<long>(batch.size())};
    };
    cuda::SweepInput input;
    input.dim = static_cast<int>(matrices_.x.dim());
    input.classes = classes;
    input.single_precision = options().precision == Precision::float32;
    if (matrices_.eigen) {
      input.x = {matrices_.eigen->vectors.values.data(), static_cast<long>(matrices_.x.size())};
      input.eigenvectors = true;
      auto sweep = cuda::make_device_sweep(input);
      sweep->form(matrices_.eigen->values.data());
      return sweep;
    }
    const CoordinateScale scale(matrices_.x, matrices_.y ? &*matrices_.y : nullptr);
    std::vector<double> factors;
    for (Index k = 0; k < matrices_.x.dim(); ++k) factors.push_back(scale.factor(k));
    input.x = host(matrices_.x);
    if (matrices_.y) input.y = host(*matrices_.y);
    input.factors = factors;
    input.divergence = quantity == PairQuantity::divergence;
    input.logdet_offset = scale.logdet_offset();
    return cuda::make_device_sweep(input);
  }

  std::shared_ptr<cuda::DeviceSweep> sweep_for(PairQuantity quantity) const override {
    return matrices_.eigen ? device() : upload(quantity, {});
  }

  void make_room(WeightedInverses& result) const override {
    const Index size = matrices_.x.size(), dim = matrices_.x.dim();
    if (matrices_.eigen)
      result.forms = Matrix::Zero(size, dim);
    else
      result.sums = {size, dim, std::vector<double>(static_cast<std::size_t>(size * dim * dim))};
  }

  void take_sums(Index first, Index, WeightedInverses& result) const override {
    if (matrices_.eigen)
      on_device().fetch_forms(&result.forms(first, 0));
    else
      device()->fetch_sums(result.sums.values.data() + first * matrices_.x.dim() * matrices_.x.dim());
  }

 private:
  cuda::DeviceMatrices& on_device() const { return static_cast<cuda::DeviceMatrices&>(*device()); }

  SweepMatrices matrices_;
};

}  // namespace

std::unique_ptr<Sweep> make_cuda_sweep(SweepMatrices matrices, const PairOptions& options) {
  return std::make_unique<CudaSweep>(std::move(matrices), options);
}

}  // namespace dsk::engine
