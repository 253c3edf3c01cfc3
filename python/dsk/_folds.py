"""Folds of cross-validation as users give them: a number, one of scikit-learn's splitters, or pairs of positions."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from ._labels import LabelledMatrices
from ._options import as_whole_number

Folds = list[tuple[list[int], list[int]]]
_DEFAULT = 5


def is_number(cv: Any) -> bool:
    return isinstance(cv, numbers.Integral) and not isinstance(cv, bool)


def number_of_folds(cv: Any) -> int:
    """The number, or any where `given_folds` takes its place."""
    return as_whole_number("cv", cv) if is_number(cv) else _DEFAULT


def given_folds(cv: Any, data: LabelledMatrices, y: Any, groups: Any) -> Folds:
    """The folds of a splitter or of a list of pairs, without matrices of weight 0; none for a number."""
    if is_number(cv):
        return []
    if cv is None or isinstance(cv, (str, float, bool)):
        raise ValueError(f"cv must be a number of folds, one of scikit-learn's splitters, or pairs of positions; got {cv!r}")
    labels = np.asarray(y).reshape(-1)
    position = np.full(data.given, -1)
    kept = np.arange(data.given) if data.kept is None else data.kept
    position[kept] = np.arange(len(kept))

    def positions(part: Any) -> list[int]:
        indices = np.asarray(part)
        if indices.dtype == bool:
            indices = np.flatnonzero(indices)
        if indices.size and (indices.min() < -data.given or indices.max() >= data.given):
            raise ValueError(f"cv has positions from {indices.min()} to {indices.max()}, but there are {data.given} matrices")
        found = position[indices.astype(np.intp)]
        return sorted(found[found >= 0].tolist())

    splitter = check_cv(cv, labels, classifier=True)
    folds = [
        (positions(train), positions(test)) for train, test in splitter.split(np.zeros((data.given, 1)), labels, groups)
    ]
    if not folds or not all(train and test for train, test in folds):
        raise ValueError("cv gives no folds, or a fold without matrices")
    return folds
