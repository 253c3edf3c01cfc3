#pragma once

#include <nanobind/nanobind.h>

namespace dsk::python {

/// Each adds its part of the module.
void bind_clustering(nanobind::module_& module);
void bind_covariance(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_distances(nanobind::module_& module);
void bind_geometry(nanobind::module_& module);
void bind_kernel(nanobind::module_& module);
void bind_learning(nanobind::module_& module);
void bind_means(nanobind::module_& module);
void bind_pictures(nanobind::module_& module);
void bind_series(nanobind::module_& module);
void bind_transforms(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_classifiers(nanobind::module_& module);
void bind_evaluation(nanobind::module_& module);

}  // namespace dsk::python
