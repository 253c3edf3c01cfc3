#include <dsk/mean.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

/// The mean, why its computation stopped and after how many iterations.
nb::tuple mean_of(const MatricesArgument& x, const std::string& metric, double zeta, std::vector<double> weights,
                  double tolerance, int max_iterations, int threads) {
  const MeanOptions options{.metric = parse_metric(metric),
                            .zeta = zeta,
                            .weights = std::move(weights),
                            .tolerance = tolerance,
                            .max_iterations = max_iterations,
                            .threads = threads};
  Mean found = compute([&] { return mean(as_batch(x, threads), options); });
  return nb::make_tuple(as_array(std::move(found.matrix)), std::string(name(found.stop)), found.iterations);
}

MatrixResult to_tangent_space(const MatrixArgument& reference, const MatricesArgument& x, int threads) {
  return as_array(compute([&] { return TangentSpace(as_matrix(reference)).map(as_batch(x, threads), threads); }));
}

MatricesResult from_tangent_space(const MatrixArgument& reference, const MatrixArgument& rows, int threads) {
  return as_array(compute([&] { return TangentSpace(as_matrix(reference)).back(as_matrix(rows), threads); }));
}

}  // namespace

void bind_means(nb::module_& module) {
  module.def("mean", &mean_of, "x"_a, "metric"_a, "zeta"_a, "weights"_a, "tolerance"_a, "max_iterations"_a,
             "threads"_a);
  module.def("to_tangent_space", &to_tangent_space, "reference"_a, "x"_a, "threads"_a);
  module.def("from_tangent_space", &from_tangent_space, "reference"_a, "rows"_a, "threads"_a);
}

}  // namespace dsk::python
