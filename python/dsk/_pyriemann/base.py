"""Functions of matrices, as in pyriemann.geometry.base."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, count_of, matrices, require, stacked, threads

FUNCTIONS = Worth(few=128, many=128, least=1)
EXPONENTIALS = Worth(few=48, many=128, least=16)


def _function_of(C: Any, function: str, exponent: float = 1.0, worth: Worth = FUNCTIONS) -> Matrices:
    C = matrices(C)
    worth.require(C.shape[-1], count_of(C))
    return library.matrix_function(stacked(C), function, exponent, threads()).reshape(C.shape)


def expm(C: Any) -> Matrices:
    return _function_of(C, "exponential", worth=EXPONENTIALS)


def invsqrtm(C: Any) -> Matrices:
    return _function_of(C, "inverse_root")


def logm(C: Any) -> Matrices:
    return _function_of(C, "logarithm")


def powm(C: Any, alpha: Any) -> Matrices:
    require(isinstance(alpha, numbers.Real), "an exponent that is not a number")
    require(bool(np.isfinite(float(alpha))), "an exponent that is not finite")
    return _function_of(C, "power", float(alpha))


def sqrtm(C: Any) -> Matrices:
    return _function_of(C, "root")
