"""What the methods that find clusters share."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Optional, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._arrays import as_matrices
from ._distances import metric_and_zeta
from ._estimator import MatricesEstimator
from ._hermitian import is_complex
from ._library import library
from ._options import MetricName, as_number, count_or_auto, seed_of, threads_of

CountOrAuto = Union[int, Literal["auto"]]
_Self = TypeVar("_Self", bound="Clusters")


class Clusters(ClusterMixin, MatricesEstimator):
    """Finds clusters by the method of the library that a child names in `_method`."""

    _needs_labels = False
    _method = ""
    n_clusters: CountOrAuto
    metric: MetricName
    zeta: float
    n_init: int
    max_iter: int
    tol: float
    max_clusters: int
    learn: bool
    random_state: Any
    n_jobs: Optional[int]

    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    n_clusters_: int
    silhouette_: Optional[float]
    tried_: dict[str, list[float]]
    learning_: Optional[dict[str, Any]]
    n_features_in_: int
    _clustering: Any

    def fit(self: _Self, X: ArrayLike, y: object = None) -> _Self:
        """Finds the clusters.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored

        Returns
        -------
        object
            The fitted estimator.
        """
        matrices = as_matrices(X)
        clusters = count_or_auto("n_clusters", self.n_clusters)
        if clusters is not None and clusters > len(matrices):
            raise ValueError(f"n_samples={len(matrices)} should be >= n_clusters={clusters}.")
        restarts = count_or_auto("n_init", self.n_init)
        iterations = count_or_auto("max_iter", self.max_iter)
        most = count_or_auto("max_clusters", self.max_clusters)
        name, zeta = metric_and_zeta(self.metric, self.zeta)
        found = library.cluster(
            matrices,
            self._method,
            clusters,
            10 if most is None else most,
            name,
            zeta,
            self._theta(),
            self._neighbours(),
            10 if restarts is None else restarts,
            300 if iterations is None else iterations,
            as_number("tol", self.tol),
            self._start(matrices, clusters),
            bool(self.learn),
            seed_of(self.random_state),
            threads_of(self.n_jobs),
        )
        for note in found.notes:
            warnings.warn(note, ConvergenceWarning, stacklevel=2)
        self._clustering = found
        self.labels_ = found.labels
        self.inertia_ = found.inertia
        self.n_iter_ = found.iterations
        self.n_clusters_ = found.clusters
        self.silhouette_ = found.silhouette
        self.tried_ = found.tried
        self.learning_ = found.learning
        self.n_features_in_ = matrices.shape[1]
        self._take(found, is_complex(X))
        return self

    def fit_predict(self, X: ArrayLike, y: object = None) -> NDArray[np.int32]:
        """Finds the clusters and returns the cluster of each matrix.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored

        Returns
        -------
        ndarray of shape (n,)
            Numbers of clusters, from 0 on; the largest cluster first.
        """
        return self.fit(X).labels_

    def _theta(self) -> Optional[float]:
        return None

    def _neighbours(self) -> int:
        return 10

    def _start(self, matrices: NDArray[Any], clusters: Optional[int]) -> Optional[NDArray[Any]]:
        return None

    def _take(self, found: Any, from_complex: bool) -> None:
        """Takes what a method alone has."""

    def _assign(self, X: ArrayLike) -> NDArray[np.int32]:
        check_is_fitted(self)
        return self._clustering.assign(self._like_fitted(X), threads_of(self.n_jobs))
