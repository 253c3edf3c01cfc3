"""k-means, on matrices and in the feature space of a kernel."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin

from ._arrays import as_matrices, check_dim
from ._clustering import Clusters, CountOrAuto
from ._distances import pairwise_distance
from ._hermitian import is_complex, unembedded
from ._options import MetricName, NumberOrAuto, positive_or_auto


class KMeans(TransformerMixin, Clusters):
    """k-means with means by any metric.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters. With "auto", as many as explain clearly more of the variance than fewer
        clusters would, or 1 if the matrices look like a single group.
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
    cluster_centers_: NDArray[Any]

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

    def _take(self, found: Any, from_complex: bool) -> None:
        # Squared distances of the real matrices of twice the size are twice those of the complex ones.
        self.inertia_ = found.inertia / 2 if from_complex else found.inertia
        learned = found.learning is not None and found.learning["adopted"]
        self.cluster_centers_ = unembedded(found.centres) if from_complex and not learned else found.centres

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
        return pairwise_distance(
            X if is_complex(X) else matrices, self.cluster_centers_, metric=self.metric, zeta=self.zeta, n_jobs=self.n_jobs
        )


class KernelKMeans(Clusters):
    """k-means in the feature space of a kernel exp(-theta d^2).

    Exact up to 2000 matrices; of more, Nystrom features of 1000 landmarks are clustered.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters. With "auto", as many as explain clearly more of the variance than fewer
        clusters would, or 1 if the matrices look like a single group.
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

    def _take(self, found: Any, from_complex: bool) -> None:
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
