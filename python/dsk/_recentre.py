"""Recentring: the mean of matrices is moved to the identity matrix."""

from __future__ import annotations

from typing import Any, Literal, Optional, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_matrices
from ._estimator import MatricesTransformer, warn_of_means
from ._hermitian import embedded, is_complex, unembedded
from ._labels import encoded_groups_of
from ._library import library
from ._means import mean
from ._options import Recentring, one_of, threads_of
from ._weights import checked_weights


class Recentre(MatricesTransformer):
    """Moves the affine invariant mean M of matrices to the identity matrix: X becomes M^-1/2 X M^-1/2.

    With ``by="groups"``, each group, such as a subject or a session, is moved by its own mean. Differences between
    groups that have nothing to do with classes disappear, and what is learned from some subjects carries over to
    others. Labels are not used. New matrices are moved by their own group's mean as well, not by one from the training
    set, so transform whole groups at once.

    Parameters
    ----------
    by : {"all", "groups"}, default="all"
        Use the mean of the training set, or that of each group.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    mean_ : ndarray of shape (d, d)
        The mean of the training set; not with ``by="groups"``.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> X, y = dsk.make_wishart_classes(n_per_class=10, dim=3, tau=1, random_state=1)
    >>> bool(np.allclose(dsk.mean(dsk.Recentre().fit_transform(X)), np.eye(3)))
    True
    >>> subjects = np.arange(20) % 2
    >>> moved = dsk.Recentre(by="groups").fit_transform(X, groups=subjects)
    >>> bool(np.allclose(dsk.mean(moved[subjects == 1]), np.eye(3)))
    True
    """

    _needs_labels = False

    def __init__(self, by: Literal["all", "groups"] = "all", n_jobs: Optional[int] = None) -> None:
        self.by = by
        self.n_jobs = n_jobs

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> Recentre:
        """Computes the mean of the training set, if it is needed.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored
        groups : array-like of shape (n,), optional
            Not used: groups are recentred when they are transformed.
        sample_weight : array-like of shape (n,), optional
            Weights of the mean, none negative; not used with ``by="groups"``.

        Returns
        -------
        Recentre
            The fitted transformer.
        """
        by = one_of("by", self.by, tuple(name for name in get_args(Recentring) if name != "none"))
        matrices = as_matrices(X)
        encoded_groups_of(groups, len(matrices))
        if by == "all":
            self.mean_ = mean(X, weights=checked_weights(sample_weight, matrices), n_jobs=self.n_jobs)
        else:
            library.Dataset(matrices, None, None, threads_of(self.n_jobs))  # checks them
            if hasattr(self, "mean_"):
                del self.mean_
        self.n_features_in_: int = matrices.shape[1]
        return self

    def transform(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[Any]:
        """The recentred matrices.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        groups : array-like of shape (n,), optional
            Their groups, for ``by="groups"`` only; without them all matrices are one group.

        Returns
        -------
        ndarray of shape (n, d, d)
        """
        matrices = self._like_fitted(X)
        encoded = encoded_groups_of(groups, len(matrices))
        if self.by == "groups":
            recentred, converged = library.recentre_groups(matrices, encoded, threads_of(self.n_jobs))
            warn_of_means(converged, "the mean of a group")
        else:
            real_mean = embedded(self.mean_) if is_complex(self.mean_) else self.mean_
            recentred = library.project(matrices, _inverse_root(real_mean), threads_of(self.n_jobs))
        return unembedded(recentred) if is_complex(X) else recentred

    def fit_transform(
        self,
        X: ArrayLike,
        y: object = None,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> NDArray[Any]:
        """Fits and transforms the same matrices, with their groups.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored
        groups : array-like of shape (n,), optional
            As for :meth:`transform`.
        sample_weight : array-like of shape (n,), optional
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, d, d)
        """
        return self.fit(X, y, groups, sample_weight).transform(X, groups)


def _inverse_root(matrix: NDArray[Any]) -> NDArray[np.float64]:
    values, vectors = np.linalg.eigh(matrix)
    return np.ascontiguousarray((vectors / np.sqrt(values)) @ vectors.T)
