"""Estimators beside the library's methods in an evaluation: the same splits, the same tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ._labels import LabelledMatrices
from ._library import library


def _names_of(estimators: Sequence[Any], taken: Sequence[str]) -> list[str]:
    """Texts of the estimators, as they print on one line, of pipelines their steps, each different from the others."""
    names: list[str] = []
    for estimator in estimators:
        parts = [part for _, part in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]
        text = " + ".join(" ".join(repr(part).split()) for part in parts)
        name, number = text, 2
        while name in names or name in taken:
            name, number = f"{text} ({number})", number + 1
        names.append(name)
    return names


def beside_methods(handle: Any, listed: Sequence[Any], X: NDArray[Any], data: LabelledMatrices) -> Any:
    """The evaluation of the methods given by name, with the estimators: a clone of each is fitted to the training part of
    each split. `listed` has names, some of them several with commas, and estimators."""
    own = [row["method"] for row in handle.methods]
    estimators = [one for one in listed if not isinstance(one, str)]
    names = _names_of(estimators, own)
    named, outside = iter(own), iter(names)
    order: list[str] = []
    for one in listed:
        order.extend([next(named) for _ in one.split(",")] if isinstance(one, str) else [next(outside)])
    codes = data.dataset.labels().codes
    splits = [tuple(map(np.array, handle.split(number))) for number in range(handle.splits)]
    predicted: list[list[list[int]]] = []
    seconds: list[list[float]] = []
    for estimator in estimators:
        predicted.append([])
        seconds.append([])
        for train, test in splits:
            start = time.perf_counter()
            fitted = clone(estimator).fit(X[train], codes[train])
            predicted[-1].append(np.asarray(fitted.predict(X[test])).astype(int).tolist())
            seconds[-1].append(time.perf_counter() - start)
    return library.with_predictions(handle, data.dataset, order, names, predicted, seconds)
