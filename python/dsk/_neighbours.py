"""Nearest neighbours."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ._classifier import KernelClassifier
from ._folds import given_folds
from ._hermitian import is_complex
from ._labels import labelled_matrices
from ._library import library
from ._options import Device, MetricName, NumberOrAuto, count_or_auto, threads_of


class KNeighborsClassifier(KernelClassifier):
    """The class that most of the nearest training matrices have.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        "auto" is the best of 1, 3, 5, 7 and 9 by cross-validation inside the training set.
    metric : str, optional
        A metric's name as for :func:`dsk.pairwise_distance`, in place of `kernel`.
    kernel : str, DiscriminativeStein or LearnedKernel, default="stein"
        How to compare matrices: a metric's name; an estimator, which is cloned and fitted to the training set; a
        learned kernel, which is used as it is; or "auto", the best by cross-validation of the plain Stein divergence
        and four learned ones.
    zeta : float or "auto", default="auto"
        Exponent of the power-Euclidean metric.
    approximate : str, optional
        For many matrices: approximate the kernel by landmarks. "nystrom:1000" takes 1000 landmarks,
        "nystrom:error=0.01" as many, up to 2000, as are needed for a residual of at most a hundredth of the kernel matrix's
        trace, and "nystrom:auto" is the same. Needs a positive definite kernel.
    choose_on : int, default=2000
        With `approximate`: choose kernel and settings on a balanced sample of this many matrices.
    cv : int, splitter or iterable, default=5
        Number of cross-validation folds, one of scikit-learn's splitters, or pairs of positions to train and to test
        on. With `approximate` a number.
    random_state : int, RandomState or None
        Seed of the folds. None means 0: the same folds every time.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes Stein divergences and Euclidean distances of mapped matrices on a GPU.
    verbose : bool, default=False
        Show a progress bar while kernels are learned.

    Attributes
    ----------
    n_neighbors_ : int
        As given or chosen.
    validation_accuracy_ : float or None
        Cross-validated accuracy of the chosen settings; None if all settings were given.
    approximation_ : dict or None
        With `approximate`: the number of landmarks, how they were chosen, the residual's share of the trace,
        and the number of matrices that settings were chosen on.
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
    >>> knn = dsk.KNeighborsClassifier(5).fit(X[::2], y[::2])
    >>> bool(knn.score(X[1::2], y[1::2]) > 0.8)
    True
    >>> knn.predict_proba(X[:1]).sum().item()
    1.0
    """

    _kind = "knn"

    def __init__(
        self,
        n_neighbors: NumberOrAuto = "auto",
        metric: Optional[MetricName] = None,
        *,
        kernel: Any = "stein",
        zeta: NumberOrAuto = "auto",
        approximate: Optional[str] = None,
        choose_on: int = 2000,
        cv: Any = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        device: Device = "cpu",
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.kernel = kernel
        self.zeta = zeta
        self.approximate = approximate
        self.choose_on = choose_on
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> KNeighborsClassifier:
        """Keeps the training set; settings that are "auto" are chosen by cross-validation inside it.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold.
        sample_weight : array-like of shape (n,), optional
            How many votes each matrix has, none negative: a matrix of weight 2 counts as two equal neighbours, and as
            two equal matrices in cross-validation and where a kernel is learned. Not with `approximate`.

        Returns
        -------
        KNeighborsClassifier
            The fitted estimator.
        """
        neighbours = count_or_auto("n_neighbors", self.n_neighbors)
        self._choose_on()
        choice = self._kernel_choice()
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs), sample_weight)
        selection = self._selection(choice)
        if neighbours is not None and neighbours > len(data.dataset):
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {neighbours}, n_samples_fit = {len(data.dataset)}"
            )
        if neighbours is not None:
            selection.neighbours = [neighbours]
        self._train(data, choice, selection, given_folds(self.cv, data, y, groups))
        return self

    def kneighbors(
        self, X: Optional[ArrayLike] = None, n_neighbors: Optional[int] = None, return_distance: bool = True
    ) -> Union[NDArray[np.intp], tuple[NDArray[np.float64], NDArray[np.intp]]]:
        """The nearest training matrices, nearest first.

        Parameters
        ----------
        X : array-like of shape (n, d, d), optional
            Symmetric positive definite matrices; without them the training matrices, each without itself.
        n_neighbors : int, optional
            How many; as fitted by default.
        return_distance : bool, default=True
            Return their distances too.

        Returns
        -------
        distances : ndarray of shape (n, n_neighbors)
            Only with ``return_distance``.
        indices : ndarray of shape (n, n_neighbors)
            Positions in the training set, without matrices of weight 0.
        """
        check_is_fitted(self)
        count = self.n_neighbors_ if n_neighbors is None else count_or_auto("n_neighbors", n_neighbors)
        known = self._model.training_codes.size - (X is None)
        if count is None or count > known:
            raise ValueError(f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {count}, n_samples_fit = {known}")
        distances = self._distances(X)
        if X is None:
            np.fill_diagonal(distances, np.inf)
        indices = np.argsort(distances, axis=1, kind="stable")[:, :count]
        if not return_distance:
            return indices
        return np.take_along_axis(distances, indices, axis=1), indices

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

    def _distances(self, X: Optional[ArrayLike]) -> NDArray[np.float64]:
        """To the training matrices."""
        training, threads = self._model.training_matrices, threads_of(self.n_jobs)
        matrices = training if X is None else self._like_fitted(X)
        kernel = self._model.comparison.kernel
        if kernel is not None:
            return np.sqrt(kernel.matrix(matrices, training, True, threads))
        distances = library.pairwise_distance(
            matrices, training, self.metric_, False, self.zeta_, threads, False, self._device()
        )
        return distances / library.embedding_factor(self.metric_, False) if is_complex(X) else distances

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        super()._take(model, classes)
        self.n_neighbors_ = model.neighbours
