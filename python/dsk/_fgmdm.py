"""The nearest class mean after a geodesic filter."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._arrays import as_matrices
from ._discriminant import discriminant_directions
from ._estimator import MatricesTransformer
from ._hermitian import is_complex
from ._mdm import MDM
from ._means import TangentSpace
from ._options import MetricName
from ._weights import checked_weights


class FgMDM(ClassifierMixin, MatricesTransformer):
    """Minimum distance to mean after a geodesic filter. pyRiemann's FgMDM gives the same numbers.

    The matrices are mapped to the tangent space at their mean, projected to the directions of a linear discriminant
    analysis, mapped back, and classified by :class:`MDM`.

    Parameters
    ----------
    metric : str, default="riemann"
        The metric of means and distances, as for :func:`dsk.mean`. The map is that of the affine invariant metric.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> bool(dsk.FgMDM().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.8)
    True
    """

    def __init__(self, metric: MetricName = "riemann", n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> FgMDM:
        """Computes the filter, and the mean of each class behind it.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices in the means, none negative. The discriminant analysis takes those above 0 alike.

        Returns
        -------
        FgMDM
            The fitted estimator.
        """
        # Complex matrices have real coordinates in the tangent space, and so a filter of their own.
        matrices = np.asarray(X) if is_complex(X) else as_matrices(X)
        if y is None:
            raise ValueError("FgMDM requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        if len(labels) != len(matrices):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[len(matrices), len(labels)]}"
            )
        weights = checked_weights(sample_weight, matrices)
        if weights is not None and not weights.all():
            matrices, labels, weights = matrices[weights > 0], labels[weights > 0], weights[weights > 0]
        if len(np.unique(labels)) < 2:
            raise ValueError(f"FgMDM needs samples of at least 2 classes, but y holds only one class: {labels[0]!r}")
        self._space = TangentSpace(self.metric, self.n_jobs).fit(matrices, sample_weight=weights)
        rows = self._space.transform(matrices)
        directions = discriminant_directions(rows, labels)
        self._filter = directions.T @ np.linalg.pinv(directions @ directions.T) @ directions
        self._mdm = MDM(self.metric, n_jobs=self.n_jobs).fit(self._space.inverse_transform(rows @ self._filter), labels, weights)
        self.classes_: NDArray[Any] = self._mdm.classes_
        self.n_features_in_: int = self._space.n_features_in_
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes of new matrices.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n,)
        """
        filtered = self._filtered(X)
        return self._mdm.predict(filtered)

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
        filtered = self._filtered(X)
        return self._mdm.predict_proba(filtered)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Distances to the means behind the filter.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        filtered = self._filtered(X)
        return self._mdm.transform(filtered)

    def _filtered(self, X: ArrayLike) -> NDArray[Any]:
        matrices = self._like_fitted(X)
        return self._space.inverse_transform(self._space.transform(matrices) @ self._filter)
