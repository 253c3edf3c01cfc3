"""Complex Hermitian matrices as real symmetric ones of twice the size.

Each entry a + ib becomes the 2 x 2 block [[a, -b], [b, a]]. Products, inverses, functions, Cholesky factors and means of
the real matrices are those of the complex ones; eigenvalues come in pairs, so that squared distances and log-determinants
are doubled; ``library.embedding_factor`` knows by how much distances grow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import library

_TOLERANCE = {np.dtype(np.complex128): 1e-8, np.dtype(np.complex64): 1e-5}


def embedded(X: NDArray[Any]) -> NDArray[Any]:
    """Complex (..., d, d) as real (..., 2d, 2d), as the command line embeds complex files. Raises ValueError, naming
    the matrix, if one is not Hermitian."""
    dim = X.shape[-1]
    stacked = np.ascontiguousarray(X.reshape(-1, dim, dim), dtype=np.complex128)
    real = library.embed_hermitian(stacked, _TOLERANCE[X.dtype])
    return np.asarray(real.reshape(*X.shape[:-2], 2 * dim, 2 * dim).astype(X.real.dtype, copy=False))


def unembedded(M: NDArray[Any]) -> NDArray[Any]:
    """The complex matrices that `embedded` makes these of."""
    real = (M[..., ::2, ::2] + M[..., 1::2, 1::2]) / 2
    imaginary = (M[..., 1::2, ::2] - M[..., ::2, 1::2]) / 2
    return np.asarray(real + 1j * imaginary)


def is_complex(X: Any) -> bool:
    try:
        return np.asarray(X).dtype.kind == "c"
    except ValueError:  # no array at all
        return False


def embedded_features(dim: int) -> NDArray[np.intp]:
    """Which coordinates of an embedded symmetric matrix of size 2 dim, its upper triangle row by row, are those of the
    complex one: the real parts of the upper triangle row by row, then the imaginary parts above the diagonal."""

    def position(row: NDArray[np.intp], column: NDArray[np.intp]) -> NDArray[np.intp]:
        return row * 2 * dim - row * (row - 1) // 2 + column - row

    rows, columns = np.triu_indices(dim)
    above = np.triu_indices(dim, 1)
    return np.concatenate([position(2 * rows, 2 * columns), position(2 * above[0] + 1, 2 * above[1])])
