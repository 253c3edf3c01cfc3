"""Means by iterations, as in pyriemann.geometry.mean."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, matrices, require, threads

MEANS = {"airm": Worth(few=64, many=128, least=16), "stein": Worth(few=256, many=256, least=1)}


def _weights(sample_weight: Any, count: int) -> list[float]:
    if sample_weight is None:
        return []
    weights = np.asarray(sample_weight)
    require(weights.shape == (count,) and weights.dtype.kind in "fiu", "weights that are not one number per matrix")
    require(bool(np.isfinite(weights).all() and (weights >= 0).all() and weights.any()), "weights below 0, or only 0")
    return weights.astype(np.float64).tolist()


def _iterated_mean(X: Any, metric: str, tol: Any, maxiter: Any, init: Any, sample_weight: Any) -> Matrices:
    X = matrices(X)
    require(X.ndim >= 3, "a single matrix")
    MEANS[metric].require(X.shape[-1], X.shape[-3])
    require(isinstance(tol, numbers.Real) and float(tol) >= 0, "a tolerance that is not a number from 0 on")
    require(isinstance(maxiter, numbers.Integral) and int(maxiter) >= 1, "a number of iterations below 1")
    weights = _weights(sample_weight, X.shape[-3])
    if init is not None:
        init = np.ascontiguousarray(matrices(init, 2))
        require(init.shape == X.shape[-2:], "an init of another size")
    means = np.empty((*X.shape[:-3], *X.shape[-2:]))
    converged = []
    for index in np.ndindex(*X.shape[:-3]):
        means[index], stopped = library.fixed_point_mean(
            np.ascontiguousarray(X[index]), metric, weights, init, float(tol), int(maxiter), threads()
        )
        converged.append(stopped)
    for stopped in converged:
        if not stopped:
            warnings.warn("Convergence not reached", stacklevel=4)
    return means


def mean_logdet(
    X: Any, *, tol: Any = 10e-5, maxiter: Any = 50, init: Any = None, sample_weight: Any = None
) -> Matrices:
    return _iterated_mean(X, "stein", tol, maxiter, init, sample_weight)


def mean_riemann(
    X: Any, *, tol: Any = 10e-9, maxiter: Any = 50, init: Any = None, sample_weight: Any = None
) -> Matrices:
    return _iterated_mean(X, "airm", tol, maxiter, init, sample_weight)
