#pragma once

#include <dsk/spd/error.hpp>
#include <dsk/spd/matrix.hpp>

#include <memory>
#include <span>

namespace dsk {

class SpdBatch;
namespace detail {
SpdBatch trust(MatrixStack&& stack);
}

/// `size()` symmetric positive definite matrices of size `dim()` x `dim()`: one allocation, checked once, never
/// changed afterwards, cheap to copy (copies share the storage).
class SpdBatch {
 public:
  /// Takes `count` row-major matrices. Each is made symmetric to the bit if it is symmetric up to 1e-8 of its largest
  /// entry. Throws InvalidInput, naming the first bad matrix and what would mend it, for NaN or Inf, asymmetry, or a
  /// matrix that is not numerically positive definite; and for a size that does not fit or an empty batch.
  SpdBatch(std::span<const double> values, Index count, Index dim);
  /// As above; single precision values count as symmetric up to 1e-5.
  SpdBatch(std::span<const float> values, Index count, Index dim);

  /// As the first, without a second copy of the values.
  explicit SpdBatch(MatrixStack&& stack);

  Index size() const { return stack_->count; }
  Index dim() const { return stack_->dim; }
  MatrixView operator[](Index i) const { return (*stack_)[i]; }
  std::span<const double> values() const { return stack_->values; }

  /// The matrices at `indices`, in that order; throws InvalidInput for an index outside the batch.
  SpdBatch select(std::span<const Index> indices) const;

 private:
  friend SpdBatch detail::trust(MatrixStack&& stack);
  SpdBatch() = default;
  std::shared_ptr<const MatrixStack> stack_;
};

}  // namespace dsk
