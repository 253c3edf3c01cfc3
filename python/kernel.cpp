#include <dsk/files.hpp>

#include <nanobind/stl/filesystem.h>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

const EigenvalueAdjustment& adjustment(const SavedKernel& self) {
  return self.kernel.adjustment();
}

/// W of the subspace that matrices are compared in, none for a kernel of whole matrices.
std::optional<MatrixResult> filters_of_kernel(const SavedKernel& self) {
  const Transform before = self.kernel.before();
  if (before.is_identity()) return {};
  const auto* const first = std::get_if<Projection>(&before.steps().front());
  if (first == nullptr || first->result_dim() == first->dim()) return {};
  return as_array(Matrix(first->w));
}

MatrixResult matrix(const SavedKernel& self, const MatricesArgument& x, const std::optional<MatricesArgument>& y,
                    bool divergence, int threads) {
  const PairOptions options{.threads = threads};
  const auto over = [&](const auto&... batches) {
    return divergence ? pairwise_divergences(self.kernel, batches..., options)
                      : kernel_matrix(self.kernel, batches..., options);
  };
  return as_array(
      compute([&] { return y ? over(as_batch(x, threads), as_batch(*y, threads)) : over(as_batch(x, threads)); }));
}

}  // namespace

void bind_kernel(nb::module_& module) {
  nb::class_<SavedKernel>(module, "Kernel", "A learned kernel and how it was learned")
      .def_static("load", [](const std::filesystem::path& file) { return compute([&] { return load_kernel(file); }); })
      .def_static(
          "plain",
          [](Index dim, double theta, const std::string& metric, double zeta) {
            return SavedKernel{LearnedKernel::plain(dim, theta, parse_metric(metric), zeta), SavedKernel::Origin()};
          },
          "dim"_a, "theta"_a, "metric"_a, "zeta"_a)
      .def("save",
           [](const SavedKernel& self, const std::filesystem::path& file) { compute([&] { save(self, file); }); })
      .def_prop_ro("dim", [](const SavedKernel& self) { return self.kernel.dim(); })
      .def_prop_ro("filters", &filters_of_kernel, nb::rv_policy::automatic)
      .def_prop_ro("theta", [](const SavedKernel& self) { return self.kernel.theta(); })
      .def_prop_ro("metric", [](const SavedKernel& self) { return std::string(name(self.kernel.metric())); })
      .def_prop_ro("zeta", [](const SavedKernel& self) { return self.kernel.zeta(); })
      .def_prop_ro("adjustment", [](const SavedKernel& self) { return std::string(name(adjustment(self).kind)); })
      .def_prop_ro(
          "alpha", [](const SavedKernel& self) { return as_array(adjustment(self).alpha); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "beta", [](const SavedKernel& self) { return as_array(adjustment(self).beta); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "centre", [](const SavedKernel& self) { return as_array(adjustment(self).centre); }, nb::rv_policy::automatic)
      .def_prop_ro("scale", [](const SavedKernel& self) { return adjustment(self).scale; })
      .def_prop_ro("is_plain", [](const SavedKernel& self) { return adjustment(self).is_none(); })
      .def_prop_ro("criterion", [](const SavedKernel& self) { return self.origin.criterion; })
      .def_prop_ro("value", [](const SavedKernel& self) { return self.origin.value; })
      .def_prop_ro("c", [](const SavedKernel& self) { return self.origin.c; })
      .def_prop_ro("penalty", [](const SavedKernel& self) { return self.origin.penalty; })
      .def_prop_ro("iterations", [](const SavedKernel& self) { return self.origin.iterations; })
      .def_prop_ro("stop", [](const SavedKernel& self) { return self.origin.stop; })
      .def_prop_ro("history", [](const SavedKernel& self) { return self.origin.history; })
      .def_prop_ro("classes", [](const SavedKernel& self) { return self.origin.classes; })
      .def_prop_ro("samples", [](const SavedKernel& self) { return self.origin.samples; })
      .def(
          "adjust",
          [](const SavedKernel& self, const MatricesArgument& x, int threads) {
            return as_array(compute([&] { return self.kernel.adjust(as_batch(x, threads), threads); }));
          },
          "x"_a, "threads"_a)
      .def("matrix", &matrix, "x"_a, "y"_a.none(), "divergence"_a, "threads"_a);
}

}  // namespace dsk::python
