"""Comparison of methods on held-out data."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._labels import labelled_matrices
from ._library import library
from ._options import NumberOrAuto, count_or_auto, number_or_auto, positive_or_auto, scale_text, seed_of, threads_of
from ._progress import Progress


class Evaluation(Sequence[dict[str, Any]]):
    """Results of :func:`evaluate`: a sequence of rows, one dict per method, which ``pandas.DataFrame`` accepts.

    The last row is that of ``majority``, the most frequent class, unless it was asked for elsewhere. Each row has the
    accuracy ("mean", "std", and its 95 % "interval"), the balanced accuracy of the confusion matrix ("balanced_mean",
    "balanced_std"), and a comparison with the plain Stein kernel ("baseline", "difference", its 95 % interval from "low"
    to "high", the "test", its "p", and "p_holm", which is adjusted for the number of methods). "p_student" and
    "p_wilcoxon" take the splits for independent, as in the paper. Entries that do not exist, such as the deviation of
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

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: Any) -> Any:
        return self._rows[position]

    def __repr__(self) -> str:
        lines = [f"{'method':<16} {'accuracy, %':>14} {'from baseline':>24} {'p':>9} {'p (Holm)':>9} {'p (t)':>9}"]
        for row in self:
            against = "" if row["difference"] is None else (
                f"{100 * row['difference']:+.2f} [{100 * row['low']:+.2f}, {100 * row['high']:+.2f}]"
            )
            p = ["" if row[name] is None else f"{row[name]:.2g}" for name in ("p", "p_holm", "p_student")]
            deviation = "–" if row["std"] is None else f"{100 * row['std']:.2f}"
            accuracy = f"{100 * row['mean']:7.2f} ± {deviation:<4}"
            lines.append(f"{row['method']:<16} {accuracy} {against:>24} {p[0]:>9} {p[1]:>9} {p[2]:>9}")
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
            raise ValueError(f"no method {method!r}; there are {', '.join(names)}")
        return self._handle.confusion(names.index(method)).astype(np.int64)

    def split(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions of the training and the test matrices of a split."""
        train, test = self._handle.split(number)
        return np.array(train), np.array(test)

    def report(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """As :func:`dsk.report`."""
        return report(self, path)


def evaluate(
    X: ArrayLike,
    y: ArrayLike,
    methods: Union[str, Sequence[str]] = ("SK:knn", "DSK-auto:knn"),
    protocol: str = "halves:20",
    *,
    groups: Optional[ArrayLike] = None,
    theta: NumberOrAuto = "auto",
    penalty: NumberOrAuto = "auto",
    n_neighbors: NumberOrAuto = "auto",
    C: NumberOrAuto = "auto",
    zeta: NumberOrAuto = "auto",
    scale: NumberOrAuto = "none",
    theta_range: str = "auto",
    recentre: str = "none",
    project: Union[int, str] = "none",
    cv: int = 5,
    random_state: Any = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    results_file: Union[str, os.PathLike[str], None] = None,
) -> Evaluation:
    """Compares methods over many splits; settings not given are chosen inside each split's training part.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices.
    y : array-like of shape (n,)
        Their classes.
    methods : str or sequence of str
        "auto" (the best of everything by cross-validation, as :class:`Classifier`); AIRM, CHK, EUK, HEK, LEK, PEK,
        SK, DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a}, DSK-{KA,CS,CA,NN}-s (a subspace) or DSK-auto, each with ":knn", ":svm"
        or, except for adjusted eigenvalues, ":mean"; MDM or MDM-stein, MDM-logeuclidean, ... (the nearest class
        mean); TS:lr, TS:svm (the tangent space); majority (always the most frequent class).
    protocol : str, default="halves:20"
        "halves:N" (random stratified halves), "kfold:N", "loo" (leave one out) or "logo" (leave one group out).
    groups : array-like of shape (n,), optional
        Groups, such as subjects, that are kept together in a split or fold.
    theta, penalty, n_neighbors, C, zeta : float or "auto", default="auto"
        A number replaces the search.
    scale : {"none", "unit"} or float, default="none"
        Divide the matrices by this before learning a kernel.
    theta_range : {"auto", "valid", "any"}, default="auto"
        Values that the search may choose for theta: those for which the kernel is positive definite for every sample,
        all above 0, or both. "auto" means "valid" for the paper's methods, AIRM to DSK-auto with k-NN or an SVM.
    recentre : {"none", "all", "groups"}, default="none"
        Move the mean of the matrices to the unit matrix: of all in the training part, or of each group, also of those
        in the test part.
    project : {"none", "auto", "ladder", "start"} or int, default="none"
        Compare matrices in a subspace: its size by cross-validation, several sizes together (with class means), by
        cross-validation in closed form, or with a given number of components. The methods auto and DSK-...-s have
        subspaces in any case.
    cv : int, default=5
        Number of cross-validation folds inside the training parts.
    random_state : int, RandomState or None
        Seed of splits and folds. None means 0.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores. The results are the same for any number.
    verbose : bool, default=False
        Show a progress bar (tqdm, if it is installed).
    results_file : str or path-like, optional
        Save results to this file, as JSON; an existing file is resumed.

    Returns
    -------
    Evaluation
        Rows with mean and standard deviation of the accuracy, and the difference from the plain Stein kernel with its
        95 % interval and p-values: by the corrected resampled t-test for halves and folds, by the paired t-test over
        groups where groups are left out, by McNemar's exact test where single matrices are.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=3, degrees=20, tau=1, random_state=1)
    >>> evaluation = dsk.evaluate(X, y, "SK:knn,LEK:knn", "halves:4")
    >>> [row["method"] for row in evaluation]
    ['SK:knn', 'LEK:knn', 'majority']
    >>> sorted(evaluation.to_frame().columns)[:3]
    ['answers_one_class', 'balanced_mean', 'balanced_std']
    """
    if not isinstance(methods, (str, Sequence)) or not all(isinstance(method, str) for method in methods):
        raise TypeError(f"methods must be a string or a sequence of strings; got {methods!r}")
    methods = methods if isinstance(methods, str) else tuple(methods)
    arguments = dict(locals())
    names = methods if isinstance(methods, str) else ",".join(methods)
    if theta_range not in ("auto", "valid", "any"):
        raise ValueError(f"theta_range must be 'auto', 'valid' or 'any'; got {theta_range!r}")
    seed = seed_of(random_state)
    data = labelled_matrices(X, y, groups, "evaluate", threads_of(n_jobs))
    selection = library.Selection()
    selection.folds, selection.seed = int(cv), seed
    selection.theta, selection.penalty = positive_or_auto("theta", theta), number_or_auto("penalty", penalty)
    if (neighbours := count_or_auto("n_neighbors", n_neighbors)) is not None:
        selection.neighbours = [neighbours]
    if (c := positive_or_auto("C", C)) is not None:
        selection.svm_cs = [c]
    if (exponent := number_or_auto("zeta", zeta)) is not None:
        selection.zetas = [exponent]
    selection.set_scale(scale_text(scale))
    selection.set_theta_range(theta_range)
    selection.set_recentre(recentre)
    selection.set_project(str(project))
    with Progress("methods on splits", verbose) as progress:
        handle = library.evaluate(
            data.dataset, names, protocol, seed, selection, results_file, threads_of(n_jobs), progress.listener()
        )
    return Evaluation(handle, data.classes, _call(arguments))


def _call(arguments: dict[str, Any]) -> str:
    """The call of :func:`evaluate` with these arguments, as it would be written; arrays go by their names."""
    text = ["X", "y"]
    for name, parameter in inspect.signature(evaluate).parameters.items():
        if name == "groups" and arguments[name] is not None:
            text.append("groups=groups")
        elif name not in ("X", "y", "groups") and arguments[name] != parameter.default:
            text.append(f"{name}={arguments[name]!r}")
    return f"dsk.evaluate({', '.join(text)})"


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
    if path is not None:
        evaluation._handle.report(os.fspath(path), *evaluation._source)
    return evaluation._handle.page(*evaluation._source)
