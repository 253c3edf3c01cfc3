"""Spectral clustering."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._clustering import Clusters, CountOrAuto
from ._options import MetricName, NumberOrAuto, count_or_auto, positive_or_auto


class SpectralClustering(Clusters):
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

    def _take(self, found: Any, from_complex: bool) -> None:
        self.eigenvalues_ = np.asarray(found.eigenvalues)
