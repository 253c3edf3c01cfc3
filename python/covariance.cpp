#include <dsk/covariance.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

using TrialsArgument = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

MatricesResult covariances(const TrialsArgument& trials, const std::string& estimator, int threads) {
  const CovarianceOptions options{parse_estimator(estimator), threads};
  const StackView view{std::span(trials.data(), trials.size()), static_cast<Index>(trials.shape(0)),
                       static_cast<Index>(trials.shape(1)), static_cast<Index>(trials.shape(2))};
  return as_array(compute([&] { return covariance(view, options); }));
}

}  // namespace

void bind_covariance(nb::module_& module) {
  module.def("covariances", &covariances, "trials"_a, "estimator"_a, "threads"_a);
}

}  // namespace dsk::python
