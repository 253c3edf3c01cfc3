#include "conversions.hpp"

#include <algorithm>
#include <memory>

namespace nb = nanobind;

namespace dsk::python {
namespace {

/// Hands the value over to Python, which deletes it with the array that shows it.
template <class Value>
nb::capsule owner_of(std::unique_ptr<Value>&& value) {
  nb::capsule owner(value.get(), [](void* pointer) noexcept { delete static_cast<Value*>(pointer); });
  static_cast<void>(value.release());
  return owner;
}

}  // namespace

SpdBatch as_batch(const MatricesArgument& matrices, int threads, Check check) {
  const auto count = static_cast<Index>(matrices.shape(0)), dim = static_cast<Index>(matrices.shape(1));
  if (matrices.shape(1) != matrices.shape(2)) throw InvalidInput("matrices must be square");
  if (matrices.dtype() == nb::dtype<float>())
    return {std::span(static_cast<const float*>(matrices.data()), matrices.size()), count, dim, threads, check};
  if (matrices.dtype() == nb::dtype<double>())
    return {std::span(static_cast<const double*>(matrices.data()), matrices.size()), count, dim, threads, check};
  throw nb::type_error("matrices must be float64 or float32");
}

std::optional<Labels> as_labels(const std::optional<LabelParts>& parts) {
  if (!parts) return {};
  return Labels(parts->names, parts->codes, parts->integral);
}

std::vector<Split> as_splits(const FoldsArgument& folds) {
  std::vector<Split> splits;
  for (const auto& [train, test] : folds) splits.push_back({train, test});
  return splits;
}

MatrixStack as_stack(const StackArgument& matrices) {
  if (matrices.shape(1) != matrices.shape(2)) throw InvalidInput("matrices must be square");
  const std::span<const double> values(matrices.data(), matrices.size());
  return {static_cast<Index>(matrices.shape(0)), static_cast<Index>(matrices.shape(1)), {values.begin(), values.end()}};
}

Matrix as_matrix(const MatrixArgument& values) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.shape(0)),
                                  static_cast<Index>(values.shape(1)));
}

MatrixResult as_array(Matrix&& matrix) {
  auto kept = std::make_unique<Matrix>(std::move(matrix));
  double* const values = kept->data();
  const auto rows = static_cast<std::size_t>(kept->rows()), columns = static_cast<std::size_t>(kept->cols());
  return MatrixResult(values, {rows, columns}, owner_of(std::move(kept)));
}

MatricesResult as_array(const SpdBatch& batch) {
  const std::span<const double> values = batch.values();
  return as_array(MatrixStack{batch.size(), batch.dim(), {values.begin(), values.end()}});
}

MatricesResult as_array(MatrixStack&& stack) {
  const auto count = static_cast<std::size_t>(stack.count), dim = static_cast<std::size_t>(stack.dim);
  auto kept = std::make_unique<std::vector<double>>(std::move(stack.values));
  double* const data = kept->data();
  return MatricesResult(data, {count, dim, dim}, owner_of(std::move(kept)));
}

VectorResult as_array(const Eigen::VectorXd& vector) {
  auto kept = std::make_unique<Eigen::VectorXd>(vector);
  double* const values = kept->data();
  const auto size = static_cast<std::size_t>(kept->size());
  return VectorResult(values, {size}, owner_of(std::move(kept)));
}

CodesResult as_array(std::vector<int>&& codes) {
  auto kept = std::make_unique<std::vector<int>>(std::move(codes));
  int* const values = kept->data();
  const std::size_t size = kept->size();
  return CodesResult(values, {size}, owner_of(std::move(kept)));
}

}  // namespace dsk::python
