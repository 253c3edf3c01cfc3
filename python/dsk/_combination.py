"""Weights of several kernels."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from ._arrays import as_floats
from ._labels import encoded_labels
from ._library import library
from ._options import threads_of


class KernelWeights(NamedTuple):
    """What :func:`align_kernels` finds."""

    weights: NDArray[np.float64]
    variances: NDArray[np.float64]
    alignment: float


def align_kernels(
    kernels: ArrayLike,
    y: ArrayLike,
    sample_weight: Optional[ArrayLike] = None,
    *,
    n_jobs: Optional[int] = None,
) -> KernelWeights:
    """Weights that give a sum of kernels the largest centred alignment with the classes.

    The quadratic programme of Cortes, Mohri and Rostamizadeh (2012). ``dsk.SVC(kernel="combined")`` solves the same
    programme, but with sums over kernel matrices of held-out folds.

    Parameters
    ----------
    kernels : array-like of shape (p, n, n)
        Symmetric kernel matrices of one training set.
    y : array-like of shape (n,)
        Its classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the training set, none negative: a weight of 2 counts as two equal matrices.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Returns
    -------
    weights : ndarray of shape (p,)
        Non-negative, with sum 1. They apply to kernels divided by their variances.
    variances : ndarray of shape (p,)
        Of the training set in the feature space of each kernel.
    alignment : float
        Of the sum of the kernels with the classes; 1 would be perfect.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, degrees=20, tau=1, random_state=1)
    >>> kernels = [dsk.kernel(X, metric=metric) for metric in ("stein", "logeuclidean", "euclidean")]
    >>> found = dsk.align_kernels(kernels, y)
    >>> total = sum(w / v * K for w, v, K in zip(found.weights, found.variances, kernels))
    >>> total.shape
    (40, 40)
    """
    stack = as_floats(kernels, "kernels")
    labels = column_or_1d(y)
    if stack.ndim != 3 or stack.shape[1:] != (len(labels), len(labels)):
        raise ValueError(f"kernels must have shape (p, n, n) with n = {len(labels)}, the number of labels; got {stack.shape}")
    weights = [] if sample_weight is None else column_or_1d(as_floats(sample_weight, "sample_weight")).tolist()
    return KernelWeights(*library.align_kernels(stack, encoded_labels(labels)[1], weights, threads_of(n_jobs)))
