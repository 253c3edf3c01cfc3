#pragma once

#include <dsk/matrices.hpp>
#include <dsk/train.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace dsk::python {

/// Matrices as they lie in NumPy's memory, float64 or float32; the batch made of them is the only copy.
using MatricesArgument = nanobind::ndarray<nanobind::ro, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;
using StackArgument = nanobind::ndarray<const double, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;
using MatrixArgument = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using MatrixResult = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<2>>;
using MatricesResult = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<3>>;
using VectorResult = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<1>>;
using CodesArgument = nanobind::ndarray<const int, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using CodesResult = nanobind::ndarray<nanobind::numpy, int, nanobind::ndim<1>>;

/// The matrices, checked; `threads` = 0 uses all cores. Can be called without holding Python's global lock.
SpdBatch as_batch(const MatricesArgument& matrices, int threads, Check check = Check::positive_definite);

/// Classes or groups of matrices: names, positions in them, and whether they are integers.
struct LabelParts {
  std::vector<std::string> names;
  std::vector<int> codes;
  bool integral = false;
};

/// Throws InvalidInput for positions outside the names.
std::optional<Labels> as_labels(const std::optional<LabelParts>& parts);

/// Positions of the matrices to learn from and of those to score, fold by fold.
using FoldsArgument = std::vector<std::pair<std::vector<Index>, std::vector<Index>>>;
std::vector<Split> as_splits(const FoldsArgument& folds);

/// A copy of the matrices, which are not checked.
MatrixStack as_stack(const StackArgument& matrices);

/// A copy of a two-dimensional array.
Matrix as_matrix(const MatrixArgument& values);

/// NumPy arrays that own what they are given.
MatrixResult as_array(Matrix&& matrix);
MatricesResult as_array(const SpdBatch& batch);
MatricesResult as_array(MatrixStack&& stack);
VectorResult as_array(const Eigen::VectorXd& vector);
CodesResult as_array(std::vector<int>&& codes);

}  // namespace dsk::python
