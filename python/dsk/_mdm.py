"""The nearest class mean."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.extmath import softmax

from ._classifier import MatricesClassifier
from ._distances import metric_and_zeta
from ._estimator import MatricesTransformer, warn_of_means
from ._hermitian import is_complex, unembedded
from ._labels import labelled_matrices
from ._library import library
from ._options import MetricName, threads_of


class MDM(MatricesClassifier, MatricesTransformer):
    """Minimum distance to mean: the class whose mean is nearest. pyRiemann's MDM gives the same numbers.

    Parameters
    ----------
    metric : str, default="riemann"
        The metric of means and distances, as for :func:`dsk.mean`.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, d, d)
        The mean of each class.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> mdm = dsk.MDM().fit(X, y)
    >>> bool(mdm.score(X, y) > 0.9), mdm.means_.shape, mdm.transform(X).shape
    (True, (2, 4, 4), (60, 2))
    """

    means_: NDArray[Any]

    def __init__(self, metric: MetricName = "riemann", *, zeta: float = 0.5, n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.zeta = zeta
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> MDM:
        """Computes the mean of each class.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices in the means, none negative.

        Returns
        -------
        MDM
            The fitted estimator.
        """
        name, zeta = metric_and_zeta(self.metric, self.zeta)
        data = labelled_matrices(X, y, None, type(self).__name__, threads_of(self.n_jobs), sample_weight)
        self._take(library.train_mdm(data.dataset, name, zeta, threads_of(self.n_jobs)), data.classes)
        warn_of_means(self._model.means_converged, "a class mean")
        if is_complex(X):
            self.means_ = unembedded(self._model.means)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The softmax of minus the squared distances to the means.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        if is_complex(X):
            return softmax(-self.transform(X) ** 2)
        return self._predict(X)[1]

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Distances to the means.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        matrices = self._like_fitted(X)
        comparison = self._model.comparison
        distances = library.pairwise_distance(
            matrices, self._model.means, comparison.metric, False, comparison.zeta, threads_of(self.n_jobs), False
        )
        return distances / library.embedding_factor(comparison.metric, False) if is_complex(X) else distances

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        super()._take(model, classes)
        self.means_ = model.means
