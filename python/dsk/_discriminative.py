"""The discriminative Stein kernel as a transformer."""

from __future__ import annotations

import os
from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ._arrays import second_of_pair
from ._estimator import MatricesTransformer, pass_on_warnings
from ._folds import given_folds, number_of_folds
from ._labels import labelled_matrices
from ._learned import LearnedKernel
from ._library import library
from ._options import (
    Adjustment,
    Criterion,
    Device,
    NumberOrAuto,
    as_number,
    as_whole_number,
    batch_size,
    device_name,
    number_or_auto,
    positive_or_auto,
    scale_text,
    seed_of,
    theta_range_of,
    threads_of,
)
from ._progress import Progress


class DiscriminativeStein(MatricesTransformer):
    """Learns from labelled SPD matrices how to adjust their eigenvalues so that classes separate.

    After fitting, :meth:`transform` returns matrices of the same shape with adjusted eigenvalues, to be compared by
    the Stein divergence, and :meth:`kernel` returns their kernel values exp(-theta S).

    Parameters
    ----------
    criterion : str, default="alignment"
        What to optimise: "alignment" ("ka"), "separability" ("cs"), "radius-margin" ("rm"), "trace-margin" ("tm"),
        "centred" or "neighbour". Try "centred" first with many or unbalanced classes.
    adjustment : {"power", "coefficient", "affine"}, default="power"
        How to adjust eigenvalues. "power" depends on the units of the data: see `scale`.
    theta : float or "auto", default="auto"
        Width of the kernel; "auto" takes the best by the criterion before adjusting.
    penalty : float or "auto", default="auto"
        Weight of |alpha - 1|^2; "auto" chooses it by cross-validation inside X, and adjusts nothing if no
        adjustment clearly beats the plain kernel.
    scale : {"none", "unit"} or float, default="none"
        Divide the matrices by this first; "unit" is the geometric mean of all eigenvalues.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=1e-5
        Relative change of the objective at which to stop.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    random_state : int, RandomState or None
        Seed of the folds and of the random blocks. None means 0: the same folds every time.
    classifier : {"knn", "svm"}, default="knn"
        Classifier that scores the penalties in cross-validation: the one that will use the kernel.
    cv : int, splitter or iterable, default=5
        Number of cross-validation folds, one of scikit-learn's splitters, or pairs of positions to train and to test
        on.
    allow_indefinite : bool or "auto", default="auto"
        Whether theta may be one for which the kernel need not be positive definite. "auto": if it is "auto" too and the
        criterion is "centred" or "neighbour".
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes on a GPU.
    batch : int, optional
        Estimate the criterion over random blocks of this many matrices, for training sets too large for all pairs. CPU
        only, and not for the margin criteria. An automatic penalty is then chosen on 2,000 matrices.
    verbose : bool, default=False
        Show a progress bar (tqdm, if it is installed).

    Attributes
    ----------
    alpha_, beta_ : ndarray of shape (d,)
        Adjustment of each eigenvalue, largest first; all 1 and all 0 leave matrices unchanged.
    theta_, penalty_, scale_ : float
        As given or chosen. An infinite penalty means that nothing is adjusted.
    C_ : float
        Of the margin criteria; 0 for the others.
    history_ : ndarray
        Objective of the plain kernel, then after each iteration.
    stop_ : str
        "converged", "iteration_limit" or "line_search".
    n_iter_ : int
        Number of iterations.
    criterion_value_, standard_error_ : float
        Criterion of the learned kernel, and its standard error. With `batch` the criterion is an estimate for all pairs;
        without, it is exact and the standard error is 0.
    penalty_scores_ : list of dict
        Score of each penalty in cross-validation; empty if one was given.
    learned_ : LearnedKernel
        The kernel as a value, for reuse without learning again.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> stein = dsk.DiscriminativeStein(criterion="centred", adjustment="affine", penalty=0.01).fit(X, y)
    >>> stein.transform(X).shape
    (60, 4, 4)
    >>> bool(make_pipeline(dsk.DiscriminativeStein(), dsk.KNeighborsClassifier()).fit(X, y).score(X, y) > 0.8)
    True
    """

    def __init__(
        self,
        criterion: Criterion = "alignment",
        adjustment: Adjustment = "power",
        theta: NumberOrAuto = "auto",
        penalty: NumberOrAuto = "auto",
        scale: Union[float, Literal["none", "unit"]] = "none",
        max_iter: int = 100,
        tol: float = 1e-5,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        *,
        classifier: Literal["knn", "svm"] = "knn",
        cv: Any = 5,
        allow_indefinite: Union[bool, Literal["auto"]] = "auto",
        device: Device = "cpu",
        batch: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.criterion = criterion
        self.adjustment = adjustment
        self.theta = theta
        self.penalty = penalty
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.classifier = classifier
        self.cv = cv
        self.allow_indefinite = allow_indefinite
        self.device = device
        self.batch = batch
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> DiscriminativeStein:
        """Learns the kernel.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices, none negative: a matrix of weight 2 counts as two equal ones, except that no matrix
            is its own neighbour for the "neighbour" criterion. Not for the margin criteria.

        Returns
        -------
        DiscriminativeStein
            The fitted estimator.
        """
        if self.batch is not None and self.device != "cpu":
            raise ValueError(f"batch works on the CPU; it cannot be used with device={self.device!r}")
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs), sample_weight)
        with Progress("kernels learned", self.verbose) as progress:
            handle, scores, error, warnings = library.learn(
                data.dataset,
                self.criterion,
                self.adjustment,
                positive_or_auto("theta", self.theta),
                None,
                number_or_auto("penalty", self.penalty),
                scale_text(self.scale),
                theta_range_of(self.allow_indefinite),
                as_whole_number("max_iter", self.max_iter),
                as_number("tol", self.tol),
                self.classifier,
                number_of_folds(self.cv),
                given_folds(self.cv, data, y, groups),
                seed_of(self.random_state),
                threads_of(self.n_jobs),
                progress.listener(),
                None,
                device_name(self.device),
                *self._metric_and_zeta(),
                batch_size(self.batch),
            )
        pass_on_warnings(warnings, calls=1)
        self._take(LearnedKernel(handle), data.classes)
        self.standard_error_: float = 0.0 if error is None else error
        self.penalty_scores_: list[dict[str, Any]] = scores
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The matrices with adjusted eigenvalues.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, d, d)
        """
        return self._fitted_handle().adjust(self._like_fitted(X), threads_of(self.n_jobs))

    def kernel(self, X: ArrayLike, Y: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """Kernel values of all pairs of X with X, or with Y.

        Parameters
        ----------
        X, Y : array-like of shape (n, d, d) and (m, d, d)
            Matrices before adjusting.

        Returns
        -------
        ndarray of shape (n, n) or (n, m)
        """
        matrices = self._like_fitted(X)
        return self._fitted_handle().matrix(matrices, second_of_pair(Y, matrices), False, threads_of(self.n_jobs))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Saves the kernel to a .dsk file, for :func:`dsk.load` and the command line."""
        check_is_fitted(self)
        self.learned_.save(path)

    def _metric_and_zeta(self) -> tuple[str, Optional[float]]:
        """What matrices are compared by; zeta None is learned."""
        return "stein", None

    def _fitted_handle(self) -> Any:
        check_is_fitted(self)
        return self.learned_._handle

    def _take(self, learned: LearnedKernel, classes: NDArray[Any]) -> None:
        self.learned_ = learned
        self.alpha_ = learned.alpha
        self.beta_ = learned.beta
        self.theta_ = learned.theta
        self.C_ = learned.C
        self.penalty_ = learned.penalty
        self.scale_ = learned.scale
        self.history_ = learned.history
        self.stop_ = learned.stop
        self.n_iter_ = learned.n_iter
        self.criterion_value_ = learned.criterion_value
        self.standard_error_ = 0.0
        self.penalty_scores_ = []
        self.classes_ = classes
        self.n_features_in_ = learned.dim
