"""Generated matrices, for trying things out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import classes_of
from ._library import library
from ._options import as_number, seed_of


def make_wishart_classes(
    n_classes: int = 2,
    n_per_class: int = 1000,
    dim: int = 5,
    degrees: int = 200,
    tau: float = 0.1,
    random_state: Any = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Classes of scatter matrices that differ in their variance.

    Class c holds scatter matrices of `degrees` Gaussian samples with covariance (1 + c tau) I, divided by `degrees`.

    Parameters
    ----------
    n_classes, n_per_class : int
        How many matrices.
    dim : int, default=5
        Their size.
    degrees : int, default=200
        Degrees of freedom; at least `dim`. The fewer, the more the classes overlap.
    tau : float, default=0.1
        How far the classes lie apart.
    random_state : int, RandomState or None, default=0
        The same integer gives the same matrices on every machine.

    Returns
    -------
    X : ndarray of shape (n_classes * n_per_class, dim, dim)
    y : ndarray of shape (n_classes * n_per_class,)

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_classes=3, n_per_class=2, dim=4)
    >>> X.shape, y.tolist()
    ((6, 4, 4), [0, 0, 1, 1, 2, 2])
    """
    data = library.wishart_classes(n_classes, n_per_class, dim, degrees, as_number("tau", tau), seed_of(random_state))
    labels = data.labels()
    return data.matrices(), classes_of(labels.names, labels.integral)[labels.codes]


def random_spd(
    n_matrices: int, dim: int, condition: float = 10.0, scale: float = 1.0, random_state: Any = 0
) -> NDArray[np.float64]:
    """Random rotations of eigenvalues spaced evenly in the logarithm.

    Parameters
    ----------
    n_matrices, dim : int
        How many matrices, and their size.
    condition : float, default=10
        Largest over smallest eigenvalue of every matrix.
    scale : float, default=1
        Largest eigenvalue of every matrix.
    random_state : int, RandomState or None, default=0
        The same integer gives the same matrices on every machine.

    Returns
    -------
    ndarray of shape (n_matrices, dim, dim)

    Examples
    --------
    >>> import dsk, numpy as np
    >>> np.linalg.eigvalsh(dsk.random_spd(1, 3, condition=100)[0]).round(6).tolist()
    [0.01, 0.1, 1.0]
    """
    return library.random_spd(n_matrices, dim, as_number("condition", condition), as_number("scale", scale), seed_of(random_state))
