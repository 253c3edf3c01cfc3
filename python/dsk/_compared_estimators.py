"""Estimators beside the library's methods in an evaluation: the same splits, the same tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ._library import library

_SIGNIFICANCE_LEVEL = 0.05


class Contestant(NamedTuple):
    """A method or an estimator with its predictions, codes of classes, for the test part of each split."""

    name: str
    predicted: list[NDArray[np.intp]]
    seconds: float = 0.0
    is_estimator: bool = True


def names_of(estimators: Sequence[Any], taken: Sequence[str]) -> list[str]:
    """Texts of the estimators, as they print on one line, each different from the others."""
    names: list[str] = []
    for estimator in estimators:
        text = " ".join(repr(estimator).split())
        name, number = text, 2
        while name in names or name in taken:
            name, number = f"{text} ({number})", number + 1
        names.append(name)
    return names


def predictions(
    name: str, estimator: Any, X: NDArray[Any], codes: NDArray[Any], splits: Sequence[tuple[Any, Any]]
) -> Contestant:
    """A clone of the estimator is fitted to the training part of each split."""
    start = time.perf_counter()
    predicted = []
    for train, test in splits:
        fitted = clone(estimator).fit(X[train], codes[train])
        predicted.append(np.asarray(fitted.predict(X[test])).astype(np.intp))
    return Contestant(name, predicted, time.perf_counter() - start)


class Scores:
    """What the library computes of the predictions of its own methods, for anybody's."""

    def __init__(self, codes: NDArray[Any], n_classes: int, splits: Sequence[tuple[Any, Any]], test: Optional[str]) -> None:
        self.codes, self.n_classes, self.splits, self.test = codes, n_classes, splits, test
        sizes = np.array([(len(train), len(scored)) for train, scored in splits], dtype=float)
        self.resampling = (sizes[:, 1].sum() / sizes[:, 0].sum() if test == "corrected" else 0.0, 1 / sizes[:, 1].max())
        self.scored = np.unique(np.concatenate([codes[scored] for _, scored in splits]))

    def hits(self, contestant: Contestant) -> list[NDArray[np.float64]]:
        return [
            (self.codes[scored] == predicted).astype(float)
            for (_, scored), predicted in zip(self.splits, contestant.predicted)
        ]

    def accuracies(self, contestant: Contestant) -> list[float]:
        if self.test == "mcnemar":
            return [float(np.concatenate(self.hits(contestant)).mean())]
        return [float(hits.mean()) for hits in self.hits(contestant)]

    def confusion(self, contestant: Contestant) -> NDArray[np.int64]:
        return np.sum([self._confusion(contestant, split) for split in range(len(self.splits))], axis=0)

    def _confusion(self, contestant: Contestant, split: int) -> NDArray[np.int64]:
        matrix = np.zeros((self.n_classes, self.n_classes), dtype=np.int64)
        np.add.at(matrix, (self.codes[self.splits[split][1]], contestant.predicted[split]), 1)
        return matrix

    def _balanced(self, confusion: NDArray[np.int64]) -> float:
        return float(np.mean([confusion[c, c] / confusion[c].sum() for c in self.scored]))

    def row(self, contestant: Contestant) -> dict[str, Any]:
        """Without the comparison with a baseline."""
        accuracies, confusion = self.accuracies(contestant), self.confusion(contestant)
        each = [self._confusion(contestant, split) for split in range(len(self.splits))]
        balanced = [self._balanced(one) for one in each if all(one[c].sum() for c in self.scored)]
        several = len(accuracies) > 1
        interval = None
        if self.test == "mcnemar":
            interval = library.share_interval(int(np.trace(confusion)), int(confusion.sum()))
        elif self.test is not None:
            low, high = library.mean_interval(accuracies, *self.resampling)
            interval = (max(low, 0.0), min(high, 1.0))
        return {
            "method": contestant.name,
            "mean": float(np.mean(accuracies)),
            "std": float(np.std(accuracies, ddof=1)) if several else None,
            "interval": interval,
            "balanced_mean": self._balanced(confusion),
            "balanced_std": float(np.std(balanced, ddof=1)) if len(balanced) > 1 else None,
            "answers_one_class": bool((confusion.sum(axis=0) > 0).sum() == 1),
            "seconds": contestant.seconds,
        }

    def compare(self, contestant: Contestant, baseline: Contestant) -> Optional[dict[str, Any]]:
        if self.test is None:
            return None
        if self.test == "mcnemar":
            mine, theirs = (np.concatenate(self.hits(one)).tolist() for one in (contestant, baseline))
            return library.compare_hits(mine, theirs)
        return library.compare_paired(self.accuracies(contestant), self.accuracies(baseline), *self.resampling)


_MAJORITY = "majority"
_COMPARISON = ("baseline", "difference", "low", "high", "test", "p", "p_holm", "p_student", "p_wilcoxon")


def compared_rows(scores: Scores, rows: list[dict[str, Any]], contestants: Sequence[Contestant]) -> list[dict[str, Any]]:
    """The library's rows and those of the estimators. Estimators are compared with the baseline of the methods, or with
    the first estimator; p-values are adjusted for all comparisons together."""
    by_name = {one.name: one for one in contestants}
    estimators = [one for one in contestants if one.is_estimator]
    methods = [row["method"] for row in rows if row["method"] != _MAJORITY]
    baseline = next((row["baseline"] for row in rows if row["baseline"] in methods), None)
    if baseline is None:
        baseline = methods[0] if methods else estimators[0].name

    def against_baseline(one: Contestant) -> dict[str, Any]:
        against = None if one.name == baseline else scores.compare(one, by_name[baseline])
        facts: dict[str, Any] = {name: None for name in _COMPARISON}
        return facts if against is None else {**facts, **against, "baseline": baseline}

    added = []
    for one in estimators:
        row = scores.row(one)
        seconds = row.pop("seconds")
        added.append({**row, **against_baseline(one), "seconds": seconds})
    if not methods:
        for row in rows:
            row.update(against_baseline(by_name[row["method"]]))
    at = len(rows) - (1 if rows and rows[-1]["method"] == _MAJORITY else 0)
    merged = [*rows[:at], *added, *rows[at:]]
    compared = [row for row in merged if row["p"] is not None]
    for row, adjusted in zip(compared, library.holm_adjusted([row["p"] for row in compared])):
        row["p_holm"] = adjusted
    return merged


def answer_of(scores: Scores, rows: Sequence[dict[str, Any]], contestants: Sequence[Contestant]) -> str:
    """The best of all, and whether it is significantly above the runner-up."""
    by_name = {one.name: one for one in contestants}
    ranked = sorted((row for row in rows if row["method"] in by_name and row["method"] != _MAJORITY), key=lambda row: -row["mean"])
    best = ranked[0]
    text = f"{best['method']} has the highest accuracy, {100 * best['mean']:.1f} %"
    if len(ranked) < 2:
        return text + "."
    against = [scores.compare(by_name[best["method"]], by_name[row["method"]]) for row in ranked[1:]]
    if against[0] is None:
        return f"{text}; the runner-up is {ranked[1]['method']} ({100 * ranked[1]['mean']:.1f} %)."
    p = library.holm_adjusted([one["p"] for one in against if one is not None])[0]
    significant = against[0]["difference"] > 0 and p < _SIGNIFICANCE_LEVEL
    return (
        f"{text}, {'' if significant else 'not '}significantly above the runner-up, {ranked[1]['method']} "
        f"({100 * ranked[1]['mean']:.1f} %, p = {p:.2g})."
    )
