"""Arrays as users have them, as the library takes them."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._hermitian import embedded, is_complex

_READ_IN_PLACE = (np.dtype(np.float64), np.dtype(np.float32))


def as_matrices(X: ArrayLike, name: str = "X") -> NDArray[Any]:
    """`X` as a C-contiguous array (n, d, d) of float64 or float32: itself wherever it is one, and a copy otherwise.

    Complex matrices become real ones of twice the size. Whether the matrices are positive definite is the library's business, and so are NaN and infinity.
    """
    if type(X) is np.ndarray and X.dtype in _READ_IN_PLACE and X.ndim == 3 and X.size and X.shape[1] == X.shape[2]:
        return X if X.flags.c_contiguous else np.ascontiguousarray(X)
    array = _of_matrices(_as_numbers(X, name), name)
    return embedded(array) if is_complex(array) else np.ascontiguousarray(array)


def as_array(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error


def as_floats(values: Any, name: str) -> NDArray[np.float64]:
    """A contiguous array of float64, itself wherever it is one."""
    array = as_array(values, name)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    try:
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers: {error}") from error


def _as_numbers(X: ArrayLike, name: str) -> NDArray[Any]:
    if np.ma.is_masked(X):
        raise ValueError(f"{name} is a masked array with masked entries, which are not supported")
    if hasattr(X, "toarray"):
        raise TypeError(f"Sparse data was passed for {name}, but dense data is required. Use {name}.toarray().")
    array = as_array(X, name)
    if array.dtype in _READ_IN_PLACE or array.dtype in (np.complex128, np.complex64):
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers; argument must be a string or a number: {error}") from error


def _of_matrices(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim != 3:
        hint = f" For a single matrix pass {name}[np.newaxis]." if array.ndim == 2 else ""
        raise ValueError(
            f"Expected 3D array (n_matrices, d, d), got {array.ndim}D array of shape {array.shape} for {name}.{hint} "
            "Reshape your data, or make covariance matrices of it with dsk.covariance."
        )
    if array.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.shape[1] == 0 or array.shape[2] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.shape[1] != array.shape[2]:
        raise ValueError(f"{name} must hold square matrices, shape (n_matrices, d, d); got shape {array.shape}")
    return array


def check_dim(array: NDArray[Any], dim: int, who: str, name: str = "X") -> None:
    """Raises ValueError unless the matrices are of the size that `who` was fitted with."""
    if array.shape[1] != dim:
        raise ValueError(
            f"{name} has {array.shape[1]} features, but {who} is expecting {dim} features as input "
            f"(matrices of {dim} x {dim})"
        )


def second_of_pair(Y: Optional[ArrayLike], X: NDArray[Any]) -> Optional[NDArray[Any]]:
    if Y is None:
        return None
    array = as_matrices(Y, "Y")
    if array.shape[1] != X.shape[1]:
        raise ValueError(
            f"X holds matrices of {X.shape[1]} x {X.shape[1]}, but Y of {array.shape[1]} x {array.shape[1]}"
        )
    return array


class Pair(NamedTuple):
    """Matrices to compare, the second of them with themselves if None, and whether they are complex ones."""

    x: NDArray[Any]
    y: Optional[NDArray[Any]]
    is_complex: bool


def as_pair(X: ArrayLike, Y: Optional[ArrayLike]) -> Pair:
    """Both as `as_matrices` gives them. If one of them is complex, so is the other."""
    if Y is None:
        return Pair(as_matrices(X), None, is_complex(X))
    if is_complex(X) != is_complex(Y):
        X, Y = np.asarray(X) + 0j, np.asarray(Y) + 0j
    x = as_matrices(X)
    return Pair(x, second_of_pair(Y, x), is_complex(X))
