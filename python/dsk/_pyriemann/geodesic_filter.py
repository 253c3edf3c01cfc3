"""The geodesic filter of FgMDM and FGDA, as in pyriemann.tangentspace."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._discriminant import Discriminant
from .._library import library
from .arguments import LeaveToPyriemann, Matrices, matrices, require, threads

LARGEST = 128  # rows of a matrix: the products have d^3 numbers
_LARGEST_EXPONENT = 600.0  # beyond, exponentials may leave the range of double


def fit_discriminant(analysis: Any, X: Any, y: Any, sample_weight: Any = None) -> Matrices:
    """The directions of the filter, in the time of the number of matrices instead of the features."""
    matrices(X, 3)
    labels = np.asarray(y)
    require(labels.shape == (len(X),), "no label for each matrix")
    rows = analysis._ts.fit_transform(X, sample_weight=sample_weight)
    try:
        found = Discriminant(rows, labels)
    except np.linalg.LinAlgError as error:
        raise LeaveToPyriemann(f"a discriminant analysis in which {error}") from error
    analysis.classes_ = found.classes_
    analysis._lda = found.as_sklearn(len(found.classes_) - 1)
    W = found.coef_
    squared_lengths = W @ W.T
    single = len(W) == 1 and squared_lengths[0, 0] > 0
    analysis._W = W.T @ (W / squared_lengths if single else np.linalg.pinv(squared_lengths) @ W)
    return rows


def filtered(analysis: Any, ts: Any) -> Matrices:
    """Matrices of rows that are projected to the one direction by which two classes differ.

    They are C^1/2 exp(t_i U) C^1/2 for numbers t_i and one symmetric matrix U = V diag(u) V', that is, sums of the same d
    matrices of rank 1 with weights exp(t_i u_k).
    """
    require(type(ts) is np.ndarray and ts.dtype == np.float64 and ts.ndim == 2 and ts.size > 0, "rows that are not of float64")
    space, directions = analysis._ts, analysis._lda.coef_
    require(isinstance(space._metric_map, str) and space._metric_map == "riemann", "a metric other than riemann")
    require(len(directions) == 1, "more than two classes")
    reference = matrices(space.reference_, 2)
    dim = len(reference)
    require(dim <= LARGEST, "sizes for which pyRiemann is faster")
    require(directions.shape[1] == ts.shape[1] == dim * (dim + 1) // 2, "a reference of another size")
    length = np.sqrt(directions[0] @ directions[0])
    require(bool(1e-100 < length < 1e100), "a direction of no length")
    direction = directions[0] / length
    values, vectors = np.linalg.eigh(_symmetric(direction, dim))
    exponents = np.multiply.outer(ts @ direction, values)
    require(bool(np.abs(exponents).max() < _LARGEST_EXPONENT), "matrices at the limits of double")
    root = library.matrix_function(np.ascontiguousarray(reference[np.newaxis]), "root", 1.0, threads())[0]
    columns = (root @ vectors).T
    products = (columns[:, :, np.newaxis] * columns[:, np.newaxis]).reshape(dim, dim * dim)
    return (np.exp(exponents, out=exponents) @ products).reshape(-1, dim, dim)


def _symmetric(row: NDArray[np.float64], dim: int) -> Matrices:
    """The matrix whose upper triangle, those off the diagonal times the square root of 2, is the row."""
    places, mirrored, scales = _upper_triangle(dim)
    result = np.empty(dim * dim)
    result[places] = result[mirrored] = row * scales
    return result.reshape(dim, dim)


@functools.lru_cache(maxsize=8)
def _upper_triangle(dim: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    rows, columns = np.triu_indices(dim)
    return rows * dim + columns, columns * dim + rows, np.where(rows == columns, 1.0, np.sqrt(0.5))
