"""Comparison of methods on held-out data."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Optional, Union, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_matrices
from ._compared_estimators import beside_methods
from ._hermitian import is_complex as has_complex_entries
from ._labels import encoded_labels, labelled_matrices
from ._library import library
from ._options import (
    Device,
    NumberOrAuto,
    Projection,
    Recentring,
    ThetaRange,
    as_whole_number,
    count_or_auto,
    device_name,
    number_or_auto,
    one_of,
    positive_or_auto,
    projection_text,
    scale_text,
    seed_of,
    threads_of,
)
from ._progress import Progress

Methods = Union[str, Sequence[Any]]


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
    methods: Methods = ("SK:knn", "DSK-auto:knn"),
    protocol: Union[str, ArrayLike] = "halves:20",
    *,
    groups: Optional[ArrayLike] = None,
    theta: NumberOrAuto = "auto",
    penalty: NumberOrAuto = "auto",
    n_neighbors: NumberOrAuto = "auto",
    C: NumberOrAuto = "auto",
    zeta: NumberOrAuto = "auto",
    scale: Union[float, Literal["none", "unit"]] = "none",
    theta_range: ThetaRange = "auto",
    recentre: Recentring = "none",
    project: Union[int, Projection] = "none",
    cv: int = 5,
    random_state: Any = None,
    n_jobs: Optional[int] = None,
    device: Device = "cpu",
    verbose: bool = False,
    results_file: Union[str, os.PathLike[str], None] = None,
    feature_names: Optional[Sequence[str]] = None,
) -> Evaluation:
    """Compares methods over many splits; settings not given are chosen inside each split's training part.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices.
    y : array-like of shape (n,)
        Their classes.
    methods : str or sequence of str and estimators
        An estimator, one of ours, scikit-learn's or pyRiemann's, is cloned and fitted to the training part of each split,
        and compared by the same tests, also in reports. The names are:
        "auto" (the best of everything by cross-validation, as :class:`Classifier`); AIRM, CHK, EUK, HEK, LEK, PEK,
        LCK, KL, KLR, KLS, TH, BW, SK, DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a}, DSK-{KA,CS,CA,NN}-s (a subspace) or DSK-auto, each with ":knn", ":svm"
        or, except for adjusted eigenvalues, ":mean"; MDM or MDM-stein, MDM-logeuclidean, ... (the nearest class
        mean); TS:lr, TS:svm (the tangent space); majority (always the most frequent class).
    protocol : str or array-like of shape (n,), default="halves:20"
        "halves:N" (random stratified halves), "kfold:N", "loo" (leave one out) or "logo" (leave one group out). Given
        splits: for each matrix "train" or "test", or the number of the split that scores it, -1 for none.
    groups : array-like of shape (n,), optional
        Groups, such as subjects, that are kept together in a split or fold.
    theta, penalty, n_neighbors, C, zeta : float or "auto", default="auto"
        A number replaces the search.
    scale : {"none", "unit"} or float, default="none"
        Divide the matrices by this before learning a kernel.
    theta_range : {"auto", "valid", "any"}, default="auto"
        Values that the search may choose for theta: those for which the kernel is positive definite for every sample,
        all above 0, or both. "auto" tries both, except for the paper's methods, plain kernels and DSK-{KA,CS,RM,TM} with
        k-NN or an SVM, for which it means "valid".
    recentre : {"none", "all", "groups"}, default="none"
        Move the mean of the matrices to the identity matrix: of all in the training part, or of each group, also of those
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
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes Stein divergences and Euclidean distances of mapped matrices on a GPU.
    verbose : bool, default=False
        Show a progress bar (tqdm, if it is installed).
    results_file : str or path-like, optional
        Save results to this file, as JSON; an existing file is resumed.
    feature_names : sequence of str, optional
        Names of the d rows of the matrices, such as channels, for the figures of reports, which show none of complex
        matrices.

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
    listed = _listed(methods)
    feature_names = None if feature_names is None else [str(name) for name in feature_names]
    arguments = dict(locals(), methods=methods if isinstance(methods, str) else tuple(listed))
    names = [method for method in listed if isinstance(method, str)]
    estimators = [method for method in listed if not isinstance(method, str)]
    seed = seed_of(random_state)
    data = labelled_matrices(X, y, groups, "evaluate", threads_of(n_jobs))
    if feature_names is not None:
        if (dim := np.shape(X)[-1]) != len(feature_names):
            raise ValueError(f"{len(feature_names)} feature_names do not match matrices of size {dim}")
        # Complex matrices become real ones of twice the size, whose rows have no names.
        if not has_complex_entries(X):
            data = data._replace(dataset=data.dataset.with_channels(feature_names))
    selection = library.Selection()
    selection.folds, selection.seed = as_whole_number("cv", cv), seed
    selection.theta, selection.penalty = positive_or_auto("theta", theta), number_or_auto("penalty", penalty)
    if (neighbours := count_or_auto("n_neighbors", n_neighbors)) is not None:
        selection.neighbours = [neighbours]
    if (c := positive_or_auto("C", C)) is not None:
        selection.svm_cs = [c]
    if (exponent := number_or_auto("zeta", zeta)) is not None:
        selection.zetas = [exponent]
    selection.set_scale(scale_text(scale))
    selection.set_theta_range(one_of("theta_range", theta_range, get_args(ThetaRange)))
    selection.set_recentre(one_of("recentre", recentre, get_args(Recentring)))
    selection.set_project(projection_text(project))
    selection.set_device(device_name(device))
    text, parts = _protocol(protocol)
    with Progress("methods on splits", verbose) as progress:
        handle = library.evaluate(
            data.dataset,
            ",".join(names) or "majority",
            text,
            parts,
            seed,
            selection,
            results_file,
            threads_of(n_jobs),
            progress.listener(),
        )
    if estimators:
        handle = beside_methods(handle, listed, np.asarray(X) if has_complex_entries(X) else as_matrices(X), data)
    return Evaluation(handle, data.classes, _call(arguments))


def _listed(methods: Any) -> list[Any]:
    """Names and estimators, in the order given."""
    if isinstance(methods, str):
        return [methods]
    if hasattr(methods, "fit"):
        return [methods]
    if not isinstance(methods, Sequence) or not all(isinstance(one, str) or hasattr(one, "fit") for one in methods):
        raise TypeError(f"methods must be a string or a sequence of strings and estimators; got {methods!r}")
    return list(methods)


def _protocol(protocol: Any) -> tuple[str, Any]:
    """The name of a protocol, or the parts of given splits."""
    if isinstance(protocol, str):
        return protocol, None
    parts = np.asarray(protocol)
    if parts.ndim != 1 or parts.dtype.kind not in "iuU":
        raise TypeError(f"protocol must be a string, or one name or number of a split per matrix; got {protocol!r}")
    return "given", encoded_labels(parts)[1]


def _call(arguments: dict[str, Any]) -> str:
    """The call of :func:`evaluate` with these arguments, as it would be written; arrays go by their names."""
    text = ["X", "y"]
    for name, parameter in inspect.signature(evaluate).parameters.items():
        if name == "groups" and arguments[name] is not None:
            text.append("groups=groups")
        elif name == "protocol" and not isinstance(arguments[name], str):
            text.append("protocol=parts")
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
    if not isinstance(evaluation, Evaluation):
        raise TypeError(f"evaluation must be what dsk.evaluate returns; got {evaluation!r}")
    if path is not None:
        evaluation._handle.report(os.fspath(path), *evaluation._source)
    return evaluation._handle.page(*evaluation._source)
