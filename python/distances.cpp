#include <dsk/kernel.hpp>
#include <dsk/metric.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

PairOptions pair_options(int threads, bool float32, const std::string& device) {
  return {.threads = threads,
          .precision = float32 ? Precision::float32 : Precision::float64,
          .device = parse_device(device)};
}

/// work(x) or work(x, y).
template <class Work>
MatrixResult over_pairs(const MatricesArgument& x, const std::optional<MatricesArgument>& y, Metric metric, int threads,
                        const Work& work) {
  const Check check = required_check(metric);
  return as_array(compute([&] {
    return y ? work(as_batch(x, threads, check), as_batch(*y, threads, check)) : work(as_batch(x, threads, check));
  }));
}

StackView unchecked(const MatricesArgument& matrices) {
  return {{static_cast<const double*>(matrices.data()), matrices.size()},
          static_cast<Index>(matrices.shape(0)),
          static_cast<Index>(matrices.shape(1)),
          static_cast<Index>(matrices.shape(2))};
}

MatrixResult distances(const MatricesArgument& x, const std::optional<MatricesArgument>& y, const std::string& metric,
                       bool squared, double zeta, int threads, bool float32, const std::string& device) {
  const DistanceOptions options{parse_metric(metric), squared, zeta, pair_options(threads, float32, device)};
  if (x.dtype() == nb::dtype<double>() && (!y || y->dtype() == nb::dtype<double>()))
    return as_array(compute([&] {
      return y ? pairwise_distances(unchecked(x), unchecked(*y), options) : pairwise_distances(unchecked(x), options);
    }));
  return over_pairs(x, y, options.metric, threads,
                    [&](const auto&... batches) { return pairwise_distances(batches..., options); });
}

MatrixResult kernel(const MatricesArgument& x, const std::optional<MatricesArgument>& y, const std::string& metric,
                    double theta, double zeta, bool allow_indefinite, int threads, bool float32,
                    const std::string& device) {
  const KernelOptions options{parse_metric(metric), theta, zeta, allow_indefinite,
                              pair_options(threads, float32, device)};
  return over_pairs(x, y, options.metric, threads,
                    [&](const auto&... batches) { return kernel_matrix(batches..., options); });
}

MatrixResult principal_components(const MatrixArgument& values, Index components) {
  return as_array(compute([&] { return kernel_principal_components(as_matrix(values), components); }));
}

/// The largest condition number that single precision is not made for; 0 if it is made for all of them.
double beyond_float32(const MatricesArgument& x, int threads) {
  const double condition =
      compute([&] { return stein_accuracy(as_batch(x, threads), Precision::float32, threads).condition; });
  return condition > float32_condition_limit ? condition : 0;
}

}  // namespace

void bind_distances(nb::module_& module) {
  module.def("pairwise_distance", &distances, "x"_a, "y"_a.none(), "metric"_a, "squared"_a, "zeta"_a, "threads"_a,
             "float32"_a, "device"_a = "cpu");
  module.def("kernel_matrix", &kernel, "x"_a, "y"_a.none(), "metric"_a, "theta"_a, "zeta"_a, "allow_indefinite"_a,
             "threads"_a, "float32"_a, "device"_a = "cpu");
  module.def("embedding_factor",
             [](const std::string& metric, bool squared) { return embedding_factor(parse_metric(metric), squared); });
  module.def("has_kernel",
             [](const std::string& metric) { return theta_rule(parse_metric(metric)) != ThetaRule::none; });
  module.def("check_device", [](const std::string& device) { parse_device(device); });
  module.def("beyond_float32", &beyond_float32, "x"_a, "threads"_a);
  module.def("kernel_principal_components", &principal_components, "kernel"_a, "components"_a);
  module.def("metric_name", [](const std::string& text) { return std::string(name(parse_metric(text))); });
  module.def("is_valid_theta", [](const std::string& metric, double theta, Index dim) {
    return is_valid_theta(parse_metric(metric), theta, dim);
  });
}

}  // namespace dsk::python
