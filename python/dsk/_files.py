"""Files that the command line reads and writes too."""

from __future__ import annotations

import json
import os
import re
import zipfile
import zlib
from typing import Any, Literal, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_matrices
from ._automatic import Classifier
from ._discriminative import DiscriminativeStein
from ._discriminative_kernel import DiscriminativeKernel
from ._hermitian import is_complex as has_complex_entries, unembedded
from ._labels import encoded_labels, classes_of
from ._learned import LearnedKernel
from ._library import library
from ._matlab73 import readable
from ._mdm import MDM
from ._neighbours import KNeighborsClassifier
from ._options import NumberOrAuto, existing
from ._svc import SVC

Path = Union[str, os.PathLike[str]]


_LONGEST_META = 1 << 24


def _kind(path: str) -> str:
    try:
        if not os.path.isfile(path):
            return "kernel"
        with zipfile.ZipFile(path) as archive, archive.open("meta.json") as meta:
            return json.loads(meta.read(_LONGEST_META))["kind"]
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, OSError, EOFError, zlib.error, NotImplementedError, RecursionError, RuntimeError):
        return "kernel"  # the library says what is wrong with the file


def load(path: Path) -> Union[Classifier, DiscriminativeStein, KNeighborsClassifier, MDM, SVC]:
    """Reads a .dsk file, of the command line or of an estimator's ``save``.

    Parameters
    ----------
    path : str or path-like
        What ``dsk learn``, ``dsk train`` or ``save`` wrote.

    Returns
    -------
    DiscriminativeStein, KNeighborsClassifier, SVC, MDM or Classifier
        Fitted, with the parameters that the file contains. A kernel becomes a DiscriminativeStein, or a
        DiscriminativeKernel if it is by another metric; a model that is none of the others, such as a subspace with a
        classifier after it, becomes a Classifier. Every model can be read as a Classifier, by ``dsk.Classifier.load``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        One line with the file's name and what is wrong with it.

    Examples
    --------
    >>> import dsk, tempfile, os
    >>> X, y = dsk.make_wishart_classes(n_per_class=10, dim=3, random_state=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.dsk")
    ...     dsk.KNeighborsClassifier(n_neighbors=3).fit(X, y).save(path)
    ...     dsk.load(path)
    KNeighborsClassifier(n_neighbors=3)
    """
    name = existing(path)
    if _kind(name) == "kernel":
        return _transformer(LearnedKernel(library.Kernel.load(name)))
    model = library.Model.load(name)
    if model.kind == "knn":
        return _neighbours(model)
    if model.kind == "svm":
        return _svc(model)
    if model.kind == "mdm":
        return _mdm(model)
    return Classifier._of_model(model)


def _is_integer(name: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) is not None


def _transformer(learned: LearnedKernel) -> DiscriminativeStein:
    settings: dict[str, Any] = {
        "criterion": learned.criterion or "alignment",
        "adjustment": learned.adjustment,
        "theta": learned.theta,
        "penalty": learned.penalty,
        "scale": "none" if learned.scale == 1 else learned.scale,
    }
    estimator = DiscriminativeStein(**settings)
    if learned.metric != "stein":
        zeta: NumberOrAuto = learned.zeta if learned.metric == "powereuclidean" else "auto"
        estimator = DiscriminativeKernel(learned.metric, zeta=zeta, **settings)
    names = learned._handle.classes
    estimator._take(learned, classes_of(names, bool(names) and all(map(_is_integer, names))))
    return estimator


def _comparison_parameters(model: Any) -> dict[str, Any]:
    if model.kernel_weights is not None:
        return {"kernel": "combined"}
    parameters = _kernel_parameters(model.comparison)
    if model.approximation is not None:
        parameters["approximate"] = f"nystrom:{model.approximation['landmarks']}"
        parameters["choose_on"] = max(2, model.approximation["chosen_on"])
    return parameters


def _kernel_parameters(comparison: Any) -> dict[str, Any]:
    if comparison.kernel is not None:
        return {"kernel": LearnedKernel(comparison.kernel)}
    if comparison.metric == "powereuclidean":
        return {"kernel": comparison.metric, "zeta": comparison.zeta}
    return {"kernel": comparison.metric}


def _neighbours(model: Any) -> KNeighborsClassifier:
    estimator = KNeighborsClassifier(n_neighbors=model.neighbours, **_comparison_parameters(model))
    estimator._take(model, classes_of(model.names, model.integral))
    estimator.n_neighbors_ = model.neighbours
    estimator.validation_accuracy_ = None
    return estimator


def _svc(model: Any) -> SVC:
    parameters = _comparison_parameters(model)
    if model.kernel_weights is None and model.comparison.kernel is None:
        parameters["theta"] = model.theta
    classes = classes_of(model.names, model.integral)
    if model.balanced:
        parameters["class_weight"] = "balanced"
    elif model.class_weights:
        parameters["class_weight"] = dict(zip(classes.tolist(), model.class_weights))
    estimator = SVC(
        C=model.c,
        probability=model.has_probabilities,
        margin="squared" if model.squared_margin else "linear",
        theta_range="auto" if model.smallest_eigenvalue is None or model.kernel_weights is not None else "any",
        **parameters,
    )
    estimator._take(model, classes)
    estimator.validation_accuracy_ = None
    return estimator


def _mdm(model: Any) -> MDM:
    metric = model.comparison.metric
    estimator = MDM("riemann" if metric == "airm" else metric, zeta=model.comparison.zeta)
    estimator._take(model, classes_of(model.names, model.integral))
    return estimator


class DataSet(NamedTuple):
    """Matrices with their labels and groups; unpacks as ``X, y, groups``."""

    X: NDArray[Any]
    y: Optional[NDArray[Any]]
    groups: Optional[NDArray[Any]]


def load_dataset(
    path: Path,
    labels: Optional[Path] = None,
    repair: str = "none",
    part: Literal["train", "test"] = "train",
    repair_all: bool = False,
) -> DataSet:
    """Reads .npz, .npy, .mat or .csv, as the command line does.

    MATLAB 7.3 files are read by h5py where dsk was built without HDF5, as in wheels: ``pip install dsk[matlab]``.

    Parameters
    ----------
    path : str or path-like
        The file; .npz and .mat contain X, and optionally y and groups.
    labels : str or path-like, optional
        .npy or .csv with the labels, in place of the file's own.
    repair : str, default="none"
        As for :func:`repair`.
    part : {"train", "test"}, default="train"
        Which part of a .mat file with train and test data to read.
    repair_all : bool, default=False
        Repair every matrix, not only those that are not positive definite.

    Returns
    -------
    DataSet
        X, y and groups; the last two may be None.

    Examples
    --------
    >>> import dsk, tempfile, os
    >>> X, y = dsk.make_wishart_classes(n_per_class=2, dim=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "X.npz")
    ...     dsk.save_dataset(path, X, y)
    ...     dsk.load_dataset(path).y.tolist()
    [0, 0, 1, 1]
    """
    with readable(existing(path)) as file:
        data, is_complex = library.read_dataset(
            file, "" if labels is None else existing(labels), repair, repair_all, part
        )
    matrices = data.matrices()

    def decoded(encoded: Any) -> Optional[NDArray[Any]]:
        return None if encoded is None else classes_of(encoded.names, encoded.integral)[encoded.codes]

    return DataSet(unembedded(matrices) if is_complex else matrices, decoded(data.labels()), decoded(data.groups()))


def save_dataset(
    path: Path,
    X: ArrayLike,
    y: Optional[ArrayLike] = None,
    groups: Optional[ArrayLike] = None,
    feature_names: Optional[Sequence[str]] = None,
) -> None:
    """Writes a data set for the command line, by the extension: .npz, .npy, .mat or .csv.

    Parameters
    ----------
    path : str or path-like
        The file. It is written completely or not at all.
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices.
    y, groups : array-like of shape (n,), optional
        Labels and groups.
    feature_names : sequence of str, optional
        Names of the d rows of the matrices, such as channels; only .npz files keep them, as ``channels``.
    """
    if has_complex_entries(X):
        raise ValueError("complex matrices cannot be written here; use numpy.savez(path, X=X, y=y), which the command line reads")
    encoded = [None if values is None else encoded_labels(np.asarray(values))[1] for values in (y, groups)]
    data = library.Dataset(as_matrices(X), *encoded)
    if feature_names is not None:
        data = data.with_channels([str(name) for name in feature_names])
    data.save(os.fspath(path))


def repair(X: ArrayLike, how: str = "shrink", every_matrix: bool = False) -> NDArray[np.float64]:
    """Makes matrices positive definite; those that already are stay unchanged.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Matrices that are symmetric, but rank deficient or a little indefinite.
    how : str, default="shrink"
        "shrink:0.01" goes a hundredth of the way to a multiple of the identity, "ridge:1e-6" adds one, "clip:1e-10"
        raises the smallest eigenvalues; amounts are relative, so that units do not matter.
    every_matrix : bool, default=False
        Change all matrices, also those that are positive definite.

    Returns
    -------
    ndarray of shape (n, d, d)

    Examples
    --------
    >>> import dsk, numpy as np
    >>> np.linalg.matrix_rank(dsk.repair(np.ones((1, 3, 3)), "shrink:0.1")[0]).item()
    3
    """
    return library.repair(as_matrices(X), how, every_matrix)
