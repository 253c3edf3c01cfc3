#include "engine/sweep.hpp"

#include <fmt/format.h>

#include <utility>

namespace dsk {
namespace {

std::unique_ptr<engine::Sweep> make_sweep(engine::SweepMatrices matrices, const PairOptions& where) {
  return where.device == Device::cpu ? engine::make_cpu_sweep(std::move(matrices), where)
                                     : engine::make_cuda_sweep(std::move(matrices), where);
}

std::unique_ptr<engine::Sweep> make_row_sweep(const Matrix& rows, const PairOptions& where) {
  return where.device == Device::cpu ? engine::make_cpu_row_sweep(rows, where)
                                     : engine::make_cuda_row_sweep(rows, where);
}

}  // namespace

PairFailure::PairFailure(Index row, Index column)
    : NumericalFailure(
          fmt::format("the mean of matrices {} and {} is not numerically positive definite: its condition is "
                      "above 1e15 (1e7 in single precision) or its entries leave the range of the arithmetic",
                      row, column)),
      row_(row),
      column_(column) {}

void engine::Sweep::replace_rows(const Matrix&) {
  throw InvalidInput("a sweep over matrices takes no rows");
}

void engine::check_eigenvalues(const Matrix& eigenvalues) {
  if (!((eigenvalues.array() > 0).all() && eigenvalues.allFinite()))
    throw NumericalFailure("the adjusted eigenvalues leave the range of double");
}

PairSweep::PairSweep(const SpdBatch& x, const PairOptions& where) : sweep_(make_sweep({.x = x}, where)) {}

PairSweep::PairSweep(const SpdBatch& x, const SpdBatch& y, const PairOptions& where) {
  if (x.dim() != y.dim())
    throw InvalidInput(
        fmt::format("matrices of size {} cannot be compared with matrices of size {}", x.dim(), y.dim()));
  sweep_ = make_sweep({.x = x, .y = y}, where);
}

PairSweep::PairSweep(std::unique_ptr<engine::Sweep> sweep) : sweep_(std::move(sweep)) {}
PairSweep::PairSweep(PairSweep&&) noexcept = default;
PairSweep& PairSweep::operator=(PairSweep&&) noexcept = default;
PairSweep::~PairSweep() = default;

PairSums::PairSums(const SpdBatch& x, const PairOptions& where) : PairSweep(x, where) {}
PairSums::PairSums(const SpdBatch& x, const EigenBatch& decomposed, const PairOptions& where)
    : PairSweep(make_sweep({.x = x, .eigen = decomposed}, where)) {}

PairSums::PairSums(const Matrix& rows, const PairOptions& where) : PairSweep(make_row_sweep(rows, where)) {}

void PairSums::replace(const SpdBatch& x) {
  sweep_->replace(x);
}
void PairSums::replace_eigenvalues(const Matrix& eigenvalues) {
  engine::check_eigenvalues(eigenvalues);
  sweep_->replace_eigenvalues(eigenvalues);
}

void PairSums::replace_rows(const Matrix& rows) {
  sweep_->replace_rows(rows);
}

Matrix PairSweep::divergences() const {
  return sweep_->matrix(engine::PairQuantity::divergence);
}
Matrix PairSweep::logdets() const {
  return sweep_->matrix(engine::PairQuantity::logdet);
}
void PairSweep::visit(const PairSweep::Visitor& visitor) const {
  sweep_->visit(visitor);
}

void PairSums::set_classes(std::vector<int> classes) {
  sweep_->set_classes(std::move(classes));
}
std::vector<Matrix> PairSums::form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const {
  return sweep_->form_sums(forms, thetas);
}
std::vector<LogRowSums> PairSums::log_row_sums(std::span<const double> thetas) const {
  return sweep_->log_row_sums(thetas);
}

WeightedInverses PairSums::weighted_inverses(double theta, const SummedForms& weights) const {
  return sweep_->weighted_inverses(theta, weights);
}
WeightedInverses PairSums::weighted_inverses(const LogWeights& weights) const {
  return sweep_->weighted_inverses(weights);
}
WeightedInverses PairSums::weighted_inverses(const Matrix& weights) const {
  return sweep_->weighted_inverses(weights);
}
void PairSums::add_up(std::span<double> values) const {
  if (const Team* const team = sweep_->options().team) team->sum(values);
}

}  // namespace dsk
