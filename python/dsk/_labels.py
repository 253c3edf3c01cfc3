"""Class labels as scikit-learn knows them, and as names in .dsk files."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._arrays import as_matrices
from ._library import library
from ._weights import checked_weights


class LabelledMatrices(NamedTuple):
    """What a classifier is fitted to."""

    dataset: Any
    classes: NDArray[Any]
    dim: int
    given: int  # number of matrices, with those of weight 0, which the data set does not hold
    kept: Optional[NDArray[np.intp]] = None  # positions of its matrices among those given; None for all


def classes_of(names: list[str], integral: bool) -> NDArray[Any]:
    """The classes that a file's names stand for."""
    return np.array(names, dtype=np.int64) if integral else np.array(names)


def _names_of(classes: NDArray[Any]) -> tuple[list[str], bool]:
    if classes.dtype.kind in "iu":
        return [str(int(label)) for label in classes], True
    if classes.dtype.kind == "f" and np.isfinite(classes).all() and np.all(classes == np.round(classes)):
        return [str(int(label)) for label in classes], True
    return [str(label) for label in classes], False


def encoded_labels(values: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    classes, codes = np.unique(values, return_inverse=True)
    names, integral = _names_of(classes)
    return classes, library.Labels(names, codes.reshape(-1).astype(np.intc), integral)


def encoded_groups_of(groups: Any, count: int) -> Any:
    """One group per matrix, as the library takes them; None for none."""
    if groups is None:
        return None
    grouping = column_or_1d(groups, warn=True)
    if len(grouping) != count:
        raise ValueError(f"{len(grouping)} groups do not match {count} matrices")
    return encoded_labels(grouping)[1]


def _checked_labels(y: ArrayLike) -> NDArray[Any]:
    """Class labels in one dimension, or an error or a warning of scikit-learn's.

    Whole numbers of which each occurs twice on average have nothing that its checks could find, and those take longer
    than the means of small matrices.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iu" and 2 * len(np.unique(y)) <= len(y):
        return y
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return labels


def labelled_matrices(
    X: ArrayLike,
    y: ArrayLike,
    groups: Any = None,
    who: str = "This estimator",
    threads: int = 0,
    sample_weight: Optional[ArrayLike] = None,
) -> LabelledMatrices:
    """Checks matrices, labels and weights together; `threads` = 0 uses all cores. Matrices of weight 0 are left out."""
    matrices = as_matrices(X)
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None")
    labels = _checked_labels(y)
    if len(labels) != len(matrices):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[len(matrices), len(labels)]}"
        )
    given, kept = len(matrices), None
    encoded_groups_of(groups, given)
    weights = checked_weights(sample_weight, matrices)
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        matrices, labels, weights = matrices[kept], labels[kept], weights[kept]
        groups = None if groups is None else column_or_1d(groups)[kept]
    if weights is not None and (weights == 1).all():
        weights = None
    classes, encoded = encoded_labels(labels)
    if len(classes) < 2:
        raise ValueError(f"{who} needs samples of at least 2 classes, but y holds only one class: {classes[0]!r}")
    encoded_groups = encoded_groups_of(groups, len(matrices))
    dataset = library.Dataset(matrices, encoded, encoded_groups, threads, [] if weights is None else weights.tolist())
    return LabelledMatrices(dataset, classes, matrices.shape[1], given, kept)
