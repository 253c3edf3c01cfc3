"""Results of comparisons, and their report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray


class _Kept:
    """What an evaluation shows, without the library's own object: how it comes out of a pickle."""

    def __init__(self, handle: Any, methods: int, source: tuple[str, str]) -> None:
        self._confusions = [handle.confusion(k) for k in range(methods)]
        self._splits = [handle.split(k) for k in range(handle.splits)]
        self._page: str = handle.page(*source)

    @property
    def splits(self) -> int:
        return len(self._splits)

    def confusion(self, method: int) -> Any:
        return self._confusions[method]

    def split(self, number: int) -> Any:
        return self._splits[number]

    def page(self, *source: str) -> str:
        return self._page

    def report(self, path: str, *source: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page)


class Evaluation(Sequence[dict[str, Any]]):
    """Results of :func:`evaluate`: a sequence of rows, one dict per method, which ``pandas.DataFrame`` accepts.

    The last row is that of ``majority``, the most frequent class, unless it was asked for elsewhere. Each row has the
    accuracy ("mean", "std", and its 95 % "interval"), the balanced accuracy of the confusion matrix ("balanced_mean",
    "balanced_std"), and a comparison with the plain Stein kernel ("baseline", "difference", its 95 % interval from "low"
    to "high", the "test", its "p", and "p_holm", which is adjusted for the number of methods). "p_student" and
    "p_wilcoxon" treat the splits as independent, as in the paper. Entries that do not exist, such as the deviation of
    a single split, are None.

    Attributes
    ----------
    answer : str
        The outcome in one or two sentences: the best method, and whether it is significantly above the runner-up and
        the majority class.
    protocol, tests : str
        The protocol, and what the p-values and intervals are, in words.
    results : list of dict
        One row per method and split, with the accuracy and the chosen settings.
    classes : ndarray
        Labels, in the order of :meth:`confusion`.
    not_scored : list of str
        Names of the classes, as text, that are in no test part.
    warnings : list of str
        Remarks about the data and the results, such as classes that lie in a single group or are never scored, and
        methods that answer with a single class.
    settings : dict of str
        What the results depend on, as the report lists it.
    """

    def __init__(self, handle: Any, classes: NDArray[Any], command: str = "") -> None:
        self._handle, self.classes = handle, classes
        self._source = (command, datetime.now().strftime("%Y-%m-%d %H:%M"))
        self.protocol: str = handle.protocol
        self.tests: str = handle.tests
        self.not_scored: list[str] = handle.not_scored
        self.settings: dict[str, str] = handle.settings
        self.warnings: list[str] = handle.warnings
        self._rows: list[dict[str, Any]] = handle.methods
        self.results: list[dict[str, Any]] = handle.results
        self.answer: str = handle.answer

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if not isinstance(self._handle, _Kept):
            state["_handle"] = _Kept(self._handle, len(self._handle.methods), self._source)
        return state

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: Any) -> Any:
        return self._rows[position]

    def __repr__(self) -> str:
        width = max(16, *(len(row["method"]) for row in self))
        lines = [f"{'method':<{width}} {'accuracy, %':>14} {'from baseline':>24} {'p':>9} {'p (Holm)':>9} {'p (t)':>9}"]
        for row in self:
            against = "" if row["difference"] is None else (
                f"{100 * row['difference']:+.2f} [{100 * row['low']:+.2f}, {100 * row['high']:+.2f}]"
            )
            p = ["" if row[name] is None else f"{row[name]:.2g}" for name in ("p", "p_holm", "p_student")]
            deviation = "–" if row["std"] is None else f"{100 * row['std']:.2f}"
            accuracy = f"{100 * row['mean']:7.2f} ± {deviation:<4}"
            lines.append(f"{row['method']:<{width}} {accuracy} {against:>24} {p[0]:>9} {p[1]:>9} {p[2]:>9}")
        return "\n".join([*lines, self.answer])

    def to_frame(self) -> Any:
        """One row per method, as a pandas.DataFrame with the methods' names as its index."""
        import pandas

        return pandas.DataFrame(list(self)).set_index("method")

    def results_frame(self) -> Any:
        """One row per method and split, as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.results)

    def confusion(self, method: str) -> NDArray[np.int64]:
        """Confusion matrix over all splits: true classes in rows, predicted classes in columns."""
        names = [row["method"] for row in self]
        if method not in names:
            raise ValueError(f"unknown method {method!r}; use one of {', '.join(names)}")
        return self._handle.confusion(names.index(method)).astype(np.int64)

    def split(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions of the training and the test matrices of a split."""
        train, test = self._handle.split(number)
        return np.array(train), np.array(test)

    def report(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """As :func:`dsk.report`."""
        return report(self, path)


def report(evaluation: Evaluation, path: Union[str, os.PathLike[str], None] = None) -> str:
    """One self-contained HTML page of an evaluation, as ``dsk evaluate --report`` writes it.

    Parameters
    ----------
    evaluation : Evaluation
        The result of :func:`evaluate`.
    path : str or path-like, optional
        Where to write the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=3, degrees=20, tau=1, random_state=1)
    >>> page = dsk.report(dsk.evaluate(X, y, "SK:knn,LEK:knn", "halves:4"))
    >>> page[:15]
    '<!DOCTYPE html>'
    """
    if not isinstance(evaluation, Evaluation):
        raise TypeError(f"evaluation must be what dsk.evaluate returns; got {evaluation!r}")
    if path is not None:
        evaluation._handle.report(os.fspath(path), *evaluation._source)
    return evaluation._handle.page(*evaluation._source)
