#include <dsk/engine.hpp>
#include <dsk/version.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <omp.h>

#include <exception>

#include "bindings.hpp"

NB_MODULE(_dsk, module) {
  module.doc() = "The C++ library behind the package; use dsk itself";
  module.attr("version") = DSK_VERSION;
  nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const dsk::NumericalFailure& failure) {
      PyErr_SetString(PyExc_ValueError, failure.what());
    }
  });
  module.def("simd_target", &dsk::simd_target);
  module.def("max_threads", &omp_get_max_threads);
  module.def("use_one_thread", [] { omp_set_num_threads(1); });
  dsk::python::bind_clustering(module);
  dsk::python::bind_covariance(module);
  dsk::python::bind_data(module);
  dsk::python::bind_distances(module);
  dsk::python::bind_geometry(module);
  dsk::python::bind_kernel(module);
  dsk::python::bind_learning(module);
  dsk::python::bind_means(module);
  dsk::python::bind_pictures(module);
  dsk::python::bind_series(module);
  dsk::python::bind_transforms(module);
  dsk::python::bind_classifiers(module);
  dsk::python::bind_training(module);
  dsk::python::bind_evaluation(module);
}
