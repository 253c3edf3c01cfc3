#include <dsk/mean.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

MatricesResult function_of_matrices(const StackArgument& x, const std::string& function, double exponent, int threads) {
  const MatrixFunction wanted = MatrixFunction::parse(function, exponent);
  return as_array(compute([&] { return matrix_function(as_stack(x), wanted, threads); }));
}

MatrixResult rows_of_tangent_space(const MatrixArgument& reference, const StackArgument& x, int threads) {
  return as_array(compute([&] { return tangent_rows(as_matrix(reference), as_stack(x), threads); }));
}

/// The mean, and whether its iterations converged.
nb::tuple iterated_mean(const MatricesArgument& x, const std::string& metric, std::vector<double> weights,
                        const std::optional<MatrixArgument>& start, double tolerance, int max_iterations, int threads) {
  FixedPointOptions options{.metric = parse_metric(metric),
                            .weights = std::move(weights),
                            .tolerance = tolerance,
                            .max_iterations = max_iterations,
                            .threads = threads};
  if (start) options.start = as_matrix(*start);
  Mean found = compute([&] { return fixed_point_mean(as_batch(x, threads), options); });
  return nb::make_tuple(as_array(std::move(found.matrix)), found.stop == Mean::Stop::converged);
}

}  // namespace

void bind_geometry(nb::module_& module) {
  module.def("matrix_function", &function_of_matrices, "x"_a, "function"_a, "exponent"_a, "threads"_a);
  module.def("tangent_rows", &rows_of_tangent_space, "reference"_a, "x"_a, "threads"_a);
  module.def("fixed_point_mean", &iterated_mean, "x"_a, "metric"_a, "weights"_a, "start"_a.none(), "tolerance"_a,
             "max_iterations"_a, "threads"_a);
}

}  // namespace dsk::python
