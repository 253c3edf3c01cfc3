#include <dsk/describe.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

using EpochsArgument = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::vector<MatrixView> trials_of(const EpochsArgument& epochs) {
  const auto channels = static_cast<Index>(epochs.shape(1)), times = static_cast<Index>(epochs.shape(2));
  std::vector<MatrixView> trials;
  for (Index i = 0; i < static_cast<Index>(epochs.shape(0)); ++i)
    trials.emplace_back(epochs.data() + i * channels * times, channels, times);
  return trials;
}

/// The signals after the filters of a bank: the channels of the first band, then those of the second, and so on.
MatricesResult filtered(const EpochsArgument& epochs, const std::string& bands, double rate, int order) {
  const SeriesOptions options{.bands = Band::parse_list(bands), .rate = rate, .order = order};
  const std::vector<MatrixView> trials = trials_of(epochs);
  auto values = std::make_unique<std::vector<double>>();
  std::size_t rows = 0;
  compute([&] {
    for (const MatrixView& trial : trials) {
      const Matrix signals = filter_bank(trial, options);
      rows = static_cast<std::size_t>(signals.rows());
      values->insert(values->end(), signals.data(), signals.data() + signals.size());
    }
  });
  double* const data = values->data();
  nb::capsule owner(values.get(), [](void* pointer) noexcept { delete static_cast<std::vector<double>*>(pointer); });
  static_cast<void>(values.release());
  return MatricesResult(data, {trials.size(), rows, static_cast<std::size_t>(epochs.shape(2))}, owner);
}

using TrialArgument = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

MatricesResult described(const std::vector<TrialArgument>& trials, const std::string& estimator,
                         const std::string& bands, double rate, int order, int threads) {
  SeriesOptions options{.estimator = parse_estimator(estimator), .rate = rate, .order = order, .threads = threads};
  if (!bands.empty()) options.bands = Band::parse_list(bands);
  std::vector<MatrixView> views;
  for (const TrialArgument& trial : trials)
    views.emplace_back(trial.data(), static_cast<Index>(trial.shape(0)), static_cast<Index>(trial.shape(1)));
  return as_array(compute([&] { return describe_series(views, options).matrices; }));
}

}  // namespace

void bind_series(nb::module_& module) {
  module.def("describe_series", &described, "trials"_a, "estimator"_a, "bands"_a, "rate"_a, "order"_a, "threads"_a);
  module.def("filter_bank", &filtered, "epochs"_a, "bands"_a, "rate"_a, "order"_a);
}

}  // namespace dsk::python
