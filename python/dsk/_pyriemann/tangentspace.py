"""The tangent space, as in pyriemann.geometry.tangentspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, count_of, matrices, require, stacked, threads

TANGENT_SPACE = Worth(few=128, many=128, least=1)
FROM_TANGENT_SPACE = Worth(few=24, many=96, least=16)


def _like_riemann(metric: Any) -> None:
    require(isinstance(metric, str) and metric == "riemann", "a metric other than riemann")


def _reference(Cref: Any, dim: int) -> Matrices:
    Cref = matrices(Cref, 2)
    require(Cref.shape[0] == dim, "a reference of another size")
    return np.ascontiguousarray(Cref)


def tangent_space(X: Any, Cref: Any, *, metric: Any = "riemann") -> Matrices:
    _like_riemann(metric)
    X = matrices(X)
    TANGENT_SPACE.require(X.shape[-1], count_of(X))
    rows = library.tangent_rows(_reference(Cref, X.shape[-1]), stacked(X), threads())
    return rows.reshape(*X.shape[:-2], rows.shape[-1])


def untangent_space(T: Any, Cref: Any, *, metric: Any = "riemann") -> Matrices:
    _like_riemann(metric)
    require(type(T) is np.ndarray and T.dtype == np.float64 and T.ndim >= 1 and T.size > 0, "rows that are not of float64")
    dim = int((np.sqrt(1 + 8 * T.shape[-1]) - 1) / 2)
    FROM_TANGENT_SPACE.require(dim, T.size // T.shape[-1])
    rows = np.ascontiguousarray(T.reshape(-1, T.shape[-1]))
    return library.from_tangent_space(_reference(Cref, dim), rows, threads()).reshape(*T.shape[:-1], dim, dim)
