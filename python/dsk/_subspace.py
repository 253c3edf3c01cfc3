"""Projection to a subspace that separates the classes."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._estimator import MatricesTransformer, warn_of_means
from ._folds import given_folds, number_of_folds
from ._labels import LabelledMatrices, labelled_matrices
from ._library import library
from ._options import (
    Criterion,
    NumberOrAuto,
    as_number,
    as_whole_number,
    count_or_auto,
    positive_or_auto,
    seed_of,
    threads_of,
)
from ._progress import Progress


class Project(MatricesTransformer):
    """Learns the directions in which classes of SPD matrices differ: X becomes W' X W, a smaller matrix.

    W has few columns, the spatial filters of EEG. They start from the directions in which the means of the classes
    differ most, and are improved so that the Stein kernel of the projected matrices fits the classes. The result does
    not depend on units or on a linear mixing of the channels.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of columns of W. "auto": the best by cross-validation of class means in kernel space, among d itself,
        d/2, d/3, d/4, d/6 and d/8.
    criterion : str, default="centred"
        What to maximise: "centred", "alignment", "separability" or "neighbour", as for :class:`DiscriminativeStein`.
    learn : bool, default=True
        False: only the start, in closed form.
    penalty : float, default=0.01
        Weight of the squared distance of W from its start.
    max_iter : int, default=40
        Maximum number of iterations.
    theta : float or "auto", default="auto"
        Width of the kernel exp(-theta S); "auto" optimises it along with W.
    tol : float, default=1e-4
        Relative change of the objective at which to stop.
    cv : int, splitter or iterable, default=5
        What chooses `n_components`: a number of cross-validation folds, one of scikit-learn's splitters, or pairs of
        positions to train and to test on.
    random_state : int, RandomState or None
        Seed of the folds. None means 0: the same folds every time.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    verbose : bool, default=False
        Show a progress bar while `n_components` is chosen.

    Attributes
    ----------
    filters_ : ndarray of shape (d, m)
        W. The columns are not ordered: only the space that they span matters.
    patterns_ : ndarray of shape (d, m)
        C W (W' C W)^-1, C being the arithmetic mean of the training set, with its weights: how each component appears in the channels.
        This is what to draw on a scalp.
    n_components_ : int
        m, as given or chosen.
    theta_ : float
        As given or learned.
    history_ : ndarray
        Objective at the start, then after each iteration; empty if there is nothing to learn because m = d.
    stop_ : str
        "converged", "iteration_limit" or "line_search".
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=6, degrees=20, tau=1, random_state=1)
    >>> project = dsk.Project(n_components=2).fit(X, y)
    >>> project.transform(X).shape, project.filters_.shape, project.patterns_.shape
    ((60, 2, 2), (6, 2), (6, 2))
    >>> bool(make_pipeline(dsk.Project(2), dsk.MDM("logdet")).fit(X, y).score(X, y) > 0.8)
    True
    """

    def __init__(
        self,
        n_components: NumberOrAuto = "auto",
        criterion: Criterion = "centred",
        learn: bool = True,
        penalty: float = 0.01,
        max_iter: int = 40,
        theta: NumberOrAuto = "auto",
        *,
        tol: float = 1e-4,
        cv: Any = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.criterion = criterion
        self.learn = learn
        self.penalty = penalty
        self.max_iter = max_iter
        self.theta = theta
        self.tol = tol
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> Project:
        """Learns W.

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
            is its own neighbour for the "neighbour" criterion.

        Returns
        -------
        Project
            The fitted transformer.
        """
        components = count_or_auto("n_components", self.n_components)
        theta = positive_or_auto("theta", self.theta)
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs), sample_weight)
        with Progress("folds", self.verbose) as progress:
            found = library.learn_subspace(
                data.dataset,
                components,
                self.criterion,
                theta,
                as_number("penalty", self.penalty),
                as_whole_number("max_iter", self.max_iter) if self.learn else 0,
                as_number("tol", self.tol),
                number_of_folds(self.cv),
                given_folds(self.cv, data, y, groups),
                seed_of(self.random_state),
                threads_of(self.n_jobs),
                progress.listener(),
            )
        self._take(found, data)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The projected matrices.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, m, m)
        """
        matrices = self._like_fitted(X)
        return library.project(matrices, np.ascontiguousarray(self.filters_), threads_of(self.n_jobs))

    def _take(self, found: tuple[Any, ...], data: LabelledMatrices) -> None:
        filters, patterns, theta, history, stop, iterations, converged = found
        warn_of_means(converged, "the mean by which matrices are whitened", calls=2)
        self.filters_ = filters
        self.patterns_ = patterns
        self.n_components_: int = filters.shape[1]
        self.theta_: float = theta
        self.history_ = np.array(history)
        self.stop_: str = stop
        self.n_iter_: int = iterations
        self.classes_ = data.classes
        self.n_features_in_ = data.dim
