"""What the replacements take, and when they leave a call to pyRiemann."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .._options import threads_of

Matrices = NDArray[np.float64]


class LeaveToPyriemann(Exception):
    """Says why pyRiemann's own function shall run."""


class Worth(NamedTuple):
    """Sizes for which this library is faster: matrices up to `few` in any number, up to `many` if there are `least`.

    NumPy calls LAPACK for one matrix after the other, which is faster for few large matrices. Measured with one thread.
    """

    few: int
    many: int
    least: int

    def require(self, dim: int, count: int) -> None:
        require(dim <= self.few or (dim <= self.many and count >= self.least), "sizes for which pyRiemann is faster")


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise LeaveToPyriemann(reason)


def matrices(X: Any, ndim: Optional[int] = None) -> Matrices:
    """`X` if it is made of square matrices of float64."""
    require(type(X) is np.ndarray, "not a NumPy array")
    require(X.dtype == np.float64, "not of dtype float64")
    require(X.ndim >= 2 and X.size > 0 and X.shape[-1] == X.shape[-2], "matrices that are not square")
    require(ndim is None or X.ndim == ndim, "another number of dimensions")
    return X


def count_of(X: Matrices) -> int:
    return X.size // X.shape[-1] ** 2


def stacked(X: Matrices) -> Matrices:
    """The matrices as a contiguous array (n, d, d)."""
    return np.ascontiguousarray(X.reshape(-1, X.shape[-2], X.shape[-1]))


def threads() -> int:
    return threads_of(None)
