"""Nearest neighbours."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._classifier import KernelClassifier
from ._labels import labelled_matrices
from ._options import NumberOrAuto, count_or_auto, threads_of


class KNeighborsClassifier(KernelClassifier):
    """The class that most of the nearest training matrices have.

    Parameters
    ----------
    kernel : str, DiscriminativeStein or LearnedKernel, default="stein"
        How to compare matrices: a metric's name as for :func:`dsk.pairwise_distance`; an estimator, which is cloned
        and fitted to the training set; a learned kernel, which is used as it is; or "auto", the best by
        cross-validation of the plain Stein divergence and four learned ones.
    n_neighbors : int or "auto", default="auto"
        "auto" is the best of 1, 3, 5, 7 and 9 by cross-validation inside the training set.
    zeta : float or "auto", default="auto"
        Exponent of the power-Euclidean metric.
    approximate : str, optional
        For many matrices: approximate the kernel by landmarks. "nystrom:1000" takes 1000 landmarks,
        "nystrom:error=0.01" as few, but at most 2000, as leave out a hundredth of the kernel matrix's trace, and
        "nystrom:auto" is the same. Needs a positive definite kernel.
    choose_on : int, default=2000
        With `approximate`: choose kernel and settings on a balanced sample of this many matrices.
    cv : int, default=5
        Number of cross-validation folds.
    random_state : int, RandomState or None
        Seed of the folds. None means 0: the same folds every time.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    verbose : bool, default=False
        Show a progress bar while kernels are learned.

    Attributes
    ----------
    n_neighbors_ : int
        As given or chosen.
    validation_accuracy_ : float or None
        Cross-validated accuracy of the chosen settings; None if all settings were given.
    approximation_ : dict or None
        With `approximate`: the number of landmarks, how they were chosen, the share of the trace that they leave
        out, and the number of matrices that settings were chosen on.
    learned_ : LearnedKernel
        The learned kernel, if there is one.
    metric_, zeta_ : str, float
        The metric that compares matrices.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> knn = dsk.KNeighborsClassifier(n_neighbors=5).fit(X[::2], y[::2])
    >>> bool(knn.score(X[1::2], y[1::2]) > 0.8)
    True
    >>> knn.predict_proba(X[:1]).sum().item()
    1.0
    """

    _kind = "knn"

    def __init__(
        self,
        kernel: Any = "stein",
        n_neighbors: NumberOrAuto = "auto",
        *,
        zeta: NumberOrAuto = "auto",
        approximate: Optional[str] = None,
        choose_on: int = 2000,
        cv: int = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.zeta = zeta
        self.approximate = approximate
        self.choose_on = choose_on
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Optional[ArrayLike] = None) -> KNeighborsClassifier:
        """Keeps the training set; settings that are "auto" are chosen by cross-validation inside it.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold.

        Returns
        -------
        KNeighborsClassifier
            The fitted estimator.
        """
        neighbours = count_or_auto("n_neighbors", self.n_neighbors)
        self._choose_on()
        choice = self._kernel_choice()
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs))
        selection = self._selection(choice)
        if neighbours is not None and neighbours > len(data.dataset):
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {neighbours}, n_samples_fit = {len(data.dataset)}"
            )
        if neighbours is not None:
            selection.neighbours = [neighbours]
        self._train(data, choice, selection)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Share of the neighbours that vote for each class.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return self._predict(X)[1]

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        super()._take(model, classes)
        self.n_neighbors_ = model.neighbours
