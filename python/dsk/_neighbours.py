"""Nearest neighbours."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._classifier import MatricesClassifier
from ._labels import LabelledMatrices, labelled_matrices
from ._learned import LearnedKernel
from ._library import library
from ._options import NumberOrAuto, count_or_auto, seed_of, threads_of


class KNeighborsClassifier(MatricesClassifier):
    """The class that most of the nearest training matrices have.

    Parameters
    ----------
    kernel : str, DiscriminativeStein or LearnedKernel, default="stein"
        What is near. A metric's name as for :func:`dsk.pairwise_distance`; an estimator, which is cloned and learned
        from the training set; a learned kernel, which is used as it is; or "auto", the best by cross-validation of
        the plain Stein divergence and four learned ones.
    n_neighbors : int or "auto", default="auto"
        "auto" is the best of 1, 3, 5, 7 and 9 by cross-validation inside the training set.
    zeta : float or "auto", default="auto"
        Exponent of the power-Euclidean metric.
    approximate : str, optional
        For many matrices: features from landmarks in place of all pairs. "nystrom:1000" takes 1000 landmarks,
        "nystrom:error=0.01" as few as leave a hundredth of the kernel matrix's trace out, but no more than 2000,
        "nystrom:auto" is the same. Needs a positive definite kernel.
    choose_on : int, default=2000
        With `approximate`: kernel and settings are chosen on so many matrices, the classes balanced.
    cv : int, default=5
        Folds of the cross-validation.
    random_state : int, RandomState or None
        Seed of the folds. None is 0: the same folds every time.
    n_jobs : int, optional
        Threads; None leaves their number to OpenMP, -1 takes all cores.
    verbose : bool, default=False
        Show a progress bar while kernels are learned.

    Attributes
    ----------
    n_neighbors_ : int
        As given or chosen.
    validation_accuracy_ : float or None
        Of what was chosen, in cross-validation; None if nothing was.
    approximation_ : dict or None
        With `approximate`: the number of landmarks, their choice, the share of the trace that they leave out, and what
        it was learned on.
    learned_ : LearnedKernel
        If the kernel is a learned one.
    metric_, zeta_ : str, float
        What matrices are compared by.
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
        """Keeps the training set, and chooses what is "auto" by cross-validation inside it.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Such as subjects; no group is on both sides of a fold.

        Returns
        -------
        KNeighborsClassifier
            Itself.
        """
        neighbours = count_or_auto("n_neighbors", self.n_neighbors)
        self._choose_on()
        choice = self._kernel_choice()
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs))
        comparison, criterion, learned = choice.comparison, "", None
        self.validation_accuracy_ = None
        if self._is_free(choice, self.n_neighbors):
            selection = self._selection(choice)
            if neighbours is not None:
                selection.neighbours = [neighbours]
            chosen = self._choose(data, choice, selection)
            comparison, criterion, learned = chosen["comparison"], chosen["criterion"], chosen["kernel"]
            neighbours = int(chosen["setting"])
            self.validation_accuracy_ = chosen["validation_accuracy"]
        self._take(self._train(data, comparison, neighbours, criterion), data.classes)
        if learned is not None:
            self.learned_ = LearnedKernel(learned)
        self.n_neighbors_ = neighbours
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Shares of the neighbours' votes.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return self._predict(X)[1]

    def _train(self, data: LabelledMatrices, comparison: Any, neighbours: int, criterion: str) -> Any:
        threads = threads_of(self.n_jobs)
        if self.approximate is None:
            return library.train_knn(data.dataset, comparison, neighbours, criterion, threads)
        seed = seed_of(self.random_state)
        return library.train_nystrom_knn(
            data.dataset, comparison, self.approximate, neighbours, criterion, self._choose_on(), seed, threads
        )
