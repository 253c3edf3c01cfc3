#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/tuple.h>

#include <complex>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

std::optional<LabelParts> parts_of(const Labels* labels) {
  if (labels == nullptr) return {};
  return LabelParts{labels->names(), labels->codes(), labels->integral()};
}

MatrixStack in_double(const MatricesArgument& matrices) {
  MatrixStack stack{static_cast<Index>(matrices.shape(0)), static_cast<Index>(matrices.shape(1)), {}};
  const auto take = [&](const auto* first) { stack.values.assign(first, first + matrices.size()); };
  if (matrices.dtype() == nb::dtype<float>())
    take(static_cast<const float*>(matrices.data()));
  else
    take(static_cast<const double*>(matrices.data()));
  return stack;
}

Repair parse_repair(const std::string& how, bool every_matrix) {
  Repair result = Repair::parse(how);
  result.every_matrix = every_matrix;
  return result;
}

using ComplexArgument = nb::ndarray<const std::complex<double>, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// Complex (n, d, d) as real (n, 2d, 2d).
MatricesResult embedded(const ComplexArgument& x, double tolerance) {
  if (x.shape(1) != x.shape(2)) throw InvalidInput("matrices must be square");
  const std::span<const std::complex<double>> values(x.data(), x.size());
  return as_array(compute([&] {
    return embed_hermitian(values, static_cast<Index>(x.shape(0)), static_cast<Index>(x.shape(1)), tolerance);
  }));
}

/// The data set, and whether its matrices are embedded complex ones.
std::tuple<Dataset, bool> read(const std::filesystem::path& path, const std::filesystem::path& labels,
                               const std::string& repair, bool repair_all, const std::string& part) {
  if (part != "train" && part != "test") throw InvalidInput("part must be train or test");
  bool is_complex = false;
  Dataset data = compute([&] {
    return load(path, {.labels = labels,
                       .repair = parse_repair(repair, repair_all),
                       .part = part == "test" ? LoadOptions::Part::test : LoadOptions::Part::train,
                       .on_complex = [&] { is_complex = true; }});
  });
  return {std::move(data), is_complex};
}

}  // namespace

void bind_data(nb::module_& module) {
  nb::class_<LabelParts>(module, "Labels", "Classes as names and positions in them")
      .def(
          "__init__",
          [](LabelParts* self, std::vector<std::string> names, const CodesArgument& codes, bool integral) {
            new (self) LabelParts{std::move(names), {codes.data(), codes.data() + codes.size()}, integral};
          },
          "names"_a, "codes"_a, "integral"_a)
      .def_ro("names", &LabelParts::names)
      .def_prop_ro(
          "codes", [](const LabelParts& self) { return as_array(std::vector<int>(self.codes)); },
          nb::rv_policy::automatic)
      .def_ro("integral", &LabelParts::integral);

  nb::class_<Dataset>(module, "Dataset", "Checked matrices, with labels and groups if there are some")
      .def(
          "__init__",
          [](Dataset* self, const MatricesArgument& x, const std::optional<LabelParts>& labels,
             const std::optional<LabelParts>& groups, int threads, const std::vector<double>& weights) {
            new (self) Dataset(
                compute([&] { return Dataset(as_batch(x, threads), as_labels(labels), as_labels(groups), weights); }));
          },
          "x"_a, "labels"_a.none() = nb::none(), "groups"_a.none() = nb::none(), "threads"_a = 0,
          "weights"_a = std::vector<double>())
      .def_prop_ro("dim", &Dataset::dim)
      .def("__len__", &Dataset::size)
      .def("matrices", [](const Dataset& self) { return as_array(self.matrices()); })
      .def("labels", [](const Dataset& self) { return parts_of(self.has_labels() ? &self.labels() : nullptr); })
      .def("groups", [](const Dataset& self) { return parts_of(self.has_groups() ? &self.groups() : nullptr); })
      .def("channels", [](const Dataset& self) { return self.channels(); })
      .def(
          "with_channels",
          [](const Dataset& self, std::vector<std::string> names) { return self.with_channels(std::move(names)); },
          "names"_a)
      .def("weights", [](const Dataset& self) { return self.weights(); })
      .def("save", [](const Dataset& self, const std::filesystem::path& path) { compute([&] { save(self, path); }); });

  module.def("read_dataset", &read, "path"_a, "labels"_a, "repair"_a, "repair_all"_a, "part"_a);
  module.def("reads_matlab73", &reads_matlab73);
  module.def("embed_hermitian", &embedded, "x"_a, "tolerance"_a);
  module.def(
      "repair",
      [](const MatricesArgument& x, const std::string& how, bool every_matrix) {
        return as_array(compute([&] { return repair(in_double(x), parse_repair(how, every_matrix)); }));
      },
      "x"_a, "how"_a, "every_matrix"_a);
  module.def(
      "random_spd",
      [](Index count, Index dim, double condition, double scale, std::uint64_t seed) {
        return as_array(compute([&] { return random_spd({count, dim, condition, scale, seed}); }));
      },
      "count"_a, "dim"_a, "condition"_a, "scale"_a, "seed"_a);
  module.def(
      "wishart_classes",
      [](Index classes, Index per_class, Index dim, Index degrees, double tau, std::uint64_t seed) {
        return compute([&] { return wishart_classes({classes, per_class, dim, degrees, tau, seed}); });
      },
      "classes"_a, "per_class"_a, "dim"_a, "degrees"_a, "tau"_a, "seed"_a);
}

}  // namespace dsk::python
