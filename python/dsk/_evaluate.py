"""Comparison of methods on held-out data."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any, Literal, Optional, Union, get_args

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import as_matrices
from ._compared_estimators import beside_methods
from ._evaluation import Evaluation
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
