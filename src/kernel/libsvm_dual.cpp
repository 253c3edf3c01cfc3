#include <fmt/format.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/duals.hpp"
#include "machine/interrupt.hpp"

namespace dsk::detail {
namespace {

/// A kernel matrix as LIBSVM takes it: rows of (column number, value), the row's own number first.
class KernelRows {
 public:
  KernelRows(const Matrix& kernel, double unit)
      : nodes_(static_cast<std::size_t>(kernel.rows() * (kernel.cols() + 2))) {
    svm_node* node = nodes_.data();
    for (Index i = 0; i < kernel.rows(); ++i) {
      rows_.push_back(node);
      *node++ = {0, static_cast<double>(i + 1)};
      for (Index j = 0; j < kernel.cols(); ++j) *node++ = {static_cast<int>(j + 1), kernel(i, j) / unit};
      *node++ = {-1, 0};
    }
  }
  svm_node** data() { return rows_.data(); }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

/// What the kernel is divided by for LIBSVM, which keeps it in single precision.
double unit_of(const Matrix& kernel) {
  return kernel(0, 0) > 0 ? kernel(0, 0) : 1;
}

/// How often LIBSVM has told this thread of its steps since it began and an interrupt was asked for.
thread_local int told_since = 0;

/// LIBSVM tells of every thousand steps: the one place where it can be left. It loses its memory by that, so that it
/// may come to its end if it does so within a second or so.
void leave_if_asked(const char*) {
  constexpr int patience = 100;
  if (detail::interrupt_asked.load(std::memory_order_relaxed) && ++told_since > patience) throw Interrupted();
}

BoxSolution solved_by_libsvm(const Matrix& kernel, std::vector<double> targets, svm_parameter parameter) {
  const double unit = unit_of(kernel);
  KernelRows rows(kernel, unit);
  parameter.C *= unit;
  const svm_problem problem{static_cast<int>(kernel.rows()), targets.data(), rows.data()};
  if (const char* fault = svm_check_parameter(&problem, &parameter))
    throw InvalidInput(fmt::format("LIBSVM: {}", fault));
  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };
  told_since = 0;
  const std::unique_ptr<svm_model, Free> model(svm_train(&problem, &parameter));
  check_interrupt();
  BoxSolution result{Eigen::VectorXd::Zero(kernel.rows()), -model->rho[0]};
  for (int s = 0; s < model->l; ++s) result.b[model->sv_indices[s] - 1] = model->sv_coef[0][s];
  if (parameter.svm_type != C_SVC) return result;
  const double sign = model->label[0] < 0 ? -1 : 1;
  result.b *= sign / unit;
  result.multiplier *= sign;
  return result;
}

svm_parameter parameters(int type, Index size, double tolerance) {
  static const bool watched = (svm_set_print_string_function(leave_if_asked), true);
  static_cast<void>(watched);
  svm_parameter parameter{};
  parameter.svm_type = type;
  parameter.kernel_type = PRECOMPUTED;
  parameter.cache_size = std::max(1.0, static_cast<double>(size * size) * sizeof(float) / (1 << 20) + 1);
  parameter.eps = tolerance;
  parameter.shrinking = size > 1000 ? 1 : 0;
  return parameter;
}

}  // namespace

BoxSolution libsvm_margin(const Matrix& kernel, const Eigen::VectorXd& signs, const MarginBounds& bounds,
                          double tolerance) {
  svm_parameter parameter = parameters(C_SVC, kernel.rows(), tolerance);
  const double no_bound = 1e12 / unit_of(kernel);
  const auto finite = [=](double bound) { return std::isfinite(bound) ? bound : no_bound; };
  parameter.C = finite(bounds.positive);
  // The weight of the negative ones, the other being 1: equal bounds then are the same problem as without weights.
  int weighted_sign = -1;
  double weight = finite(bounds.negative) / parameter.C;
  if (bounds.positive != bounds.negative) {
    parameter.nr_weight = 1;
    parameter.weight_label = &weighted_sign;
    parameter.weight = &weight;
  }
  return solved_by_libsvm(kernel, {signs.begin(), signs.end()}, parameter);
}

BoxSolution libsvm_ball(const Matrix& kernel, double tolerance) {
  svm_parameter parameter = parameters(ONE_CLASS, kernel.rows(), tolerance);
  parameter.nu = 1 / static_cast<double>(kernel.rows());
  BoxSolution result =
      solved_by_libsvm(kernel, std::vector<double>(static_cast<std::size_t>(kernel.rows()), 1), parameter);
  result.b /= result.b.sum();
  return result;
}

}  // namespace dsk::detail
