"""Coordinates that keep near matrices near."""

from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.manifold import spectral_embedding

from ._distances import pairwise_distance
from ._estimator import MatricesEstimator
from ._options import MetricName, count_or_auto, positive_or_auto


class SpectralEmbedding(MatricesEstimator):
    """Laplacian eigenmaps: a few coordinates for each matrix, so that near matrices stay near.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    metric : str, default="riemann"
        As for :func:`dsk.pairwise_distance`; it must be symmetric.
    eps : float, optional
        Width of the affinity exp(-d^2 / (4 eps)); by default half the square of the median distance, as in pyRiemann.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The coordinates, each from -1 to 1.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> dsk.SpectralEmbedding(2).fit_transform(X).shape
    (40, 2)
    """

    _needs_labels = False

    def __init__(
        self,
        n_components: int = 2,
        metric: MetricName = "riemann",
        eps: Optional[float] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.eps = eps
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None) -> SpectralEmbedding:
        """Computes the coordinates.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored

        Returns
        -------
        SpectralEmbedding
            The fitted estimator.
        """
        components = count_or_auto("n_components", self.n_components)
        distances = pairwise_distance(X, metric=self.metric, n_jobs=self.n_jobs)
        if not np.array_equal(distances, distances.T):
            raise ValueError(f"metric {self.metric!r} is not symmetric and has no embedding; use 'kullback_sym'")
        if components is None or components >= len(distances):
            raise ValueError(
                f"n_components = {self.n_components!r} must be below the number of matrices, n_samples={len(distances)}"
            )
        given = None if self.eps is None else positive_or_auto("eps", self.eps)
        eps = float(np.median(distances) ** 2 / 2) if given is None else given
        if eps == 0:
            raise ValueError("most matrices are equal: give eps")
        affinities = np.exp(-(distances**2) / (4 * eps))
        sums = affinities.sum(axis=1)
        affinities /= np.outer(sums, sums)
        rows = spectral_embedding(affinities, n_components=components, norm_laplacian=True, random_state=0)
        self.embedding_: NDArray[np.float64] = 2 * (rows - rows.min(axis=0)) / np.ptp(rows, axis=0) - 1
        self.n_features_in_: int = np.asarray(X).shape[1]
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> NDArray[np.float64]:
        """The coordinates.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        return self.fit(X).embedding_
