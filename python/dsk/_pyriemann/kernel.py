"""Inner products of matrices, as in pyriemann.geometry.kernel."""

from __future__ import annotations

import numbers
from typing import Any, Callable, Optional

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, matrices, require, stacked, threads
from .mean import mean_riemann

KERNEL = Worth(few=40, many=128, least=16)


def _inner_products(rows: Callable[[Matrices], Matrices], X: Matrices, Y: Optional[Matrices], reg: float) -> Matrices:
    own = rows(X)
    # NumPy multiplies an array with itself in another way: X with itself has the same bits, with and without Y.
    products = own @ (own if Y is None or Y is X else rows(Y)).T
    if Y is None:
        products.flat[:: len(own) + 1] += reg
    return products


def _kernel_arguments(X: Any, Y: Any, Cref: Any, reg: Any) -> None:
    X = matrices(X, 3)
    if Y is not None:
        require(matrices(Y, 3).shape[1:] == X.shape[1:], "matrices of different sizes")
    if Cref is not None:
        require(matrices(Cref, 2).shape == X.shape[1:], "a reference of another size")
    require(isinstance(reg, numbers.Real), "a regularisation that is not a number")


def kernel_euclid(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)

    def rows(some: Matrices) -> Matrices:
        return (some if Cref is None else some - Cref).reshape(len(some), -1)

    return _inner_products(rows, X, Y, reg)


def kernel_logeuclid(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)
    KERNEL.require(X.shape[-1], len(X))
    reference = 0.0 if Cref is None else _logarithms(Cref)

    def rows(some: Matrices) -> Matrices:
        return (_logarithms(some) - reference).reshape(len(some), -1)

    return _inner_products(rows, X, Y, reg)


def _logarithms(X: Matrices) -> Matrices:
    return library.matrix_function(stacked(X), "logarithm", 1.0, threads()).reshape(X.shape)


def kernel_riemann(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)
    KERNEL.require(X.shape[-1], len(X))
    reference = mean_riemann(X) if Cref is None else np.ascontiguousarray(Cref)

    def rows(some: Matrices) -> Matrices:
        return library.tangent_rows(reference, stacked(some), threads())

    return _inner_products(rows, X, Y, reg)
