"""Clusters of matrices, without labels."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Optional, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._arrays import as_matrices, check_dim
from ._distances import metric_and_zeta, pairwise_distance
from ._estimator import MatricesEstimator
from ._hermitian import is_complex
from ._library import library
from ._options import MetricName, NumberOrAuto, count_or_auto, positive_or_auto, seed_of, threads_of

CountOrAuto = Union[int, Literal["auto"]]
_Self = TypeVar("_Self", bound="_Clusters")


class _Clusters(ClusterMixin, MatricesEstimator):
    """What the methods share. They set `_method`."""

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"X_types": ["3darray"], "requires_y": False}

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
        if is_complex(X):
            raise ValueError(f"{type(self).__name__} does not support complex data")
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
            float(self.tol),
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
        self._take(found)
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

    def _take(self, found: Any) -> None:
        """Takes what a method alone has."""

    def _assign(self, X: ArrayLike) -> NDArray[np.int32]:
        check_is_fitted(self)
        return self._clustering.assign(self._like_fitted(X), threads_of(self.n_jobs))


class KMeans(_Clusters):
    """k-means with means by any metric.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters. With "auto", the number with the best silhouette, or 1 if the matrices look
        like a single group.
    metric : str, default="riemann"
        The metric of means and distances, as for :func:`dsk.mean`.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    init : "k-means++" or array-like of shape (n_clusters, d, d), default="k-means++"
        How to start, or the centres to start from.
    n_init : int, default=10
        Number of starts, of which the best is kept. Given centres are one start.
    max_iter : int, default=300
        Largest number of iterations.
    tol : float, default=1e-6
        Relative change of the inertia at which to stop.
    max_clusters : int, default=10
        Largest number of clusters that "auto" tries.
    learn : bool, default=False
        Learn a subspace and adjusted eigenvalues from the clusters, and use them if that makes the clusters more stable
        on held-out matrices. ``learning_`` says how that went.
    random_state : int, RandomState or None, default=None
        Seed of the starts; None means 0.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Number of the cluster of each matrix, from 0 on; the largest cluster first.
    cluster_centers_ : ndarray of shape (n_clusters, d, d)
        The means. If a subspace was learned and adopted, they are matrices of that subspace.
    inertia_ : float
        Sum of squared distances from the centres.
    n_clusters_ : int
        Number of clusters.
    n_iter_ : int
        Iterations of the start that was kept.
    silhouette_ : float or None
        Mean silhouette, where the number of clusters was chosen; None for one cluster.
    tried_ : dict
        Silhouettes by number of clusters, where the number was chosen.
    learning_ : dict or None
        What learning led to.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=40, tau=3, random_state=1)
    >>> kmeans = dsk.KMeans(2).fit(X)
    >>> bool((kmeans.labels_[:30] == kmeans.labels_[0]).all()), kmeans.cluster_centers_.shape
    (True, (2, 4, 4))
    >>> bool((kmeans.predict(X) == kmeans.labels_).all())
    True
    """

    _method = "kmeans"
    cluster_centers_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: CountOrAuto = "auto",
        metric: MetricName = "riemann",
        *,
        zeta: float = 0.5,
        init: Union[Literal["k-means++"], ArrayLike] = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        max_clusters: int = 10,
        learn: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.zeta = zeta
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_clusters = max_clusters
        self.learn = learn
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _start(self, matrices: NDArray[Any], clusters: Optional[int]) -> Optional[NDArray[Any]]:
        if isinstance(self.init, str):
            if self.init != "k-means++":
                raise ValueError(f"init must be 'k-means++' or an array of centres; got {self.init!r}")
            return None
        start = as_matrices(self.init, "init")
        check_dim(start, matrices.shape[1], type(self).__name__, "init")
        if len(start) != clusters:
            raise ValueError(f"init holds {len(start)} centres, but n_clusters={self.n_clusters!r}")
        return start

    def _take(self, found: Any) -> None:
        self.cluster_centers_ = found.centres

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The cluster whose centre is nearest.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._assign(X)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Distances from the centres. Not available after a learned subspace was adopted.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_clusters)
        """
        matrices = self._like_fitted(X)
        if self.learning_ is not None and self.learning_["adopted"]:
            raise ValueError("the centres belong to a learned kernel; use predict")
        return pairwise_distance(matrices, self.cluster_centers_, metric=self.metric, zeta=self.zeta, n_jobs=self.n_jobs)


class KernelKMeans(_Clusters):
    """k-means in the feature space of a kernel exp(-theta d^2).

    Exact up to 2000 matrices; of more, Nystrom features of 1000 landmarks are clustered.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters. With "auto", the number with the best silhouette, or 1 if the matrices look
        like a single group.
    metric : str, default="stein"
        A metric that makes a kernel: "stein", "logeuclid", "euclid", "poweuclid", "chol", "logchol" or "harmonic".
    theta : float or "auto", default="auto"
        Width of the kernel. "auto" is 1 / the median squared distance, or the next larger theta that makes a kernel.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    n_init : int, default=10
        Number of k-means++ starts, of which the best is kept.
    max_iter : int, default=300
        Largest number of iterations.
    tol : float, default=1e-6
        Relative change of the inertia at which to stop.
    max_clusters : int, default=10
        Largest number of clusters that "auto" tries.
    learn : bool, default=False
        As for :class:`KMeans`.
    random_state : int, RandomState or None, default=None
        Seed of the starts and landmarks; None means 0.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Number of the cluster of each matrix, from 0 on; the largest cluster first.
    inertia_ : float
        Sum of squared distances from the centres, in feature space.
    theta_ : float
        Width of the kernel.
    n_clusters_ : int
        Number of clusters.
    n_iter_ : int
        Iterations of the start that was kept.
    silhouette_ : float or None
        Mean silhouette, where the number of clusters was chosen; None for one cluster.
    tried_ : dict
        Silhouettes by number of clusters, where the number was chosen.
    learning_ : dict or None
        What learning led to.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=40, tau=3, random_state=1)
    >>> found = dsk.KernelKMeans(2, theta=2).fit(X)
    >>> bool((found.predict(X) == found.labels_).all()), found.theta_
    (True, 2.0)
    """

    _method = "kernel-kmeans"
    theta_: float

    def __init__(
        self,
        n_clusters: CountOrAuto = "auto",
        metric: MetricName = "stein",
        theta: NumberOrAuto = "auto",
        *,
        zeta: float = 0.5,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        max_clusters: int = 10,
        learn: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.theta = theta
        self.zeta = zeta
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_clusters = max_clusters
        self.learn = learn
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _theta(self) -> Optional[float]:
        return positive_or_auto("theta", self.theta)

    def _take(self, found: Any) -> None:
        self.theta_ = found.theta

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The cluster whose centre is nearest in feature space.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._assign(X)


class SpectralClustering(_Clusters):
    """Spectral clustering: k-means on eigenvectors of the normalised Laplacian of a graph of near matrices.

    Memory grows with the number of matrices times ``n_neighbors``, not with the number of pairs.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters. With "auto", the number with the largest eigengap, or 1 if the matrices look
        like a single group.
    metric : str, default="stein"
        Any symmetric metric, as for :func:`dsk.pairwise_distance`.
    theta : float or "auto", default="auto"
        Weights of the graph are exp(-theta d^2). "auto" takes exp(-d^2 / (s_i s_j)), s_i being the distance of matrix i
        from the last of its neighbours; of a complete graph, 1 / the median squared distance.
    n_neighbors : int, default=10
        Number of nearest matrices that each matrix is joined to; 0 joins all.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    n_init : int, default=10
        Number of k-means++ starts, of which the best is kept.
    max_iter : int, default=300
        Largest number of iterations of k-means.
    tol : float, default=1e-6
        Relative change of the inertia at which k-means stops.
    max_clusters : int, default=10
        Largest number of clusters that "auto" tries.
    learn : bool, default=False
        As for :class:`KMeans`.
    random_state : int, RandomState or None, default=None
        Seed of the starts; None means 0.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Number of the cluster of each matrix, from 0 on; the largest cluster first.
    eigenvalues_ : ndarray
        The largest eigenvalues of the normalised graph.
    inertia_ : float
        Of k-means on the eigenvectors.
    n_clusters_ : int
        Number of clusters.
    n_iter_ : int
        Iterations of the start that was kept.
    silhouette_ : float or None
        Mean silhouette by the metric, where the number of clusters was chosen; None for one cluster.
    tried_ : dict
        Silhouettes and eigengaps by number of clusters, where the number was chosen.
    learning_ : dict or None
        What learning led to.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=40, tau=3, random_state=1)
    >>> labels = dsk.SpectralClustering(2).fit_predict(X)
    >>> bool((labels[:30] == labels[0]).all() and (labels[30:] == labels[-1]).all())
    True
    """

    _method = "spectral"
    eigenvalues_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: CountOrAuto = "auto",
        metric: MetricName = "stein",
        theta: NumberOrAuto = "auto",
        *,
        n_neighbors: int = 10,
        zeta: float = 0.5,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-6,
        max_clusters: int = 10,
        learn: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.theta = theta
        self.n_neighbors = n_neighbors
        self.zeta = zeta
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.max_clusters = max_clusters
        self.learn = learn
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _theta(self) -> Optional[float]:
        return positive_or_auto("theta", self.theta)

    def _neighbours(self) -> int:
        return 0 if self.n_neighbors == 0 else count_or_auto("n_neighbors", self.n_neighbors) or 10

    def _take(self, found: Any) -> None:
        self.eigenvalues_ = np.asarray(found.eigenvalues)
