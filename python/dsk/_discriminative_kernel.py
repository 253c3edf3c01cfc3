"""Learned kernels by other metrics than Stein's."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

from numpy.typing import ArrayLike, NDArray

from ._discriminative import DiscriminativeStein
from ._learned import LearnedKernel
from ._options import Adjustment, Criterion, Device, NumberOrAuto, positive_or_auto


class DiscriminativeKernel(DiscriminativeStein):
    """Learns from labelled SPD matrices how to adjust their eigenvalues, for the kernel of any learnable metric.

    What :class:`DiscriminativeStein` does with the Stein divergence, with the metric as a parameter: a grid search can
    compare them. The metrics beside Stein are Euclidean after a map of each matrix, and are learned much faster.

    Parameters
    ----------
    metric : {"logeuclidean", "powereuclidean", "cholesky", "stein"}, default="logeuclidean"
        How matrices are compared; pyRiemann's names work too.
    criterion, adjustment, theta, penalty, scale, max_iter, tol, n_jobs, random_state, classifier, cv
        As for :class:`DiscriminativeStein`.
    allow_indefinite, device, batch, verbose
        As for :class:`DiscriminativeStein`.
    zeta : float or "auto", default="auto"
        Exponent of the power-Euclidean metric; "auto" learns it with the rest, starting from 1/2.

    Attributes
    ----------
    zeta_ : float
        As given or learned; only the power-Euclidean metric has it.
    learned_, alpha_, beta_, theta_, penalty_, scale_, C_, history_, stop_, n_iter_, penalty_scores_, classes_
        As for :class:`DiscriminativeStein`.
    criterion_value_, standard_error_
        As for :class:`DiscriminativeStein`.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> kernel = dsk.DiscriminativeKernel("logeuclidean", criterion="centred", adjustment="affine", penalty=0.01)
    >>> kernel.fit(X, y).transform(X).shape
    (60, 4, 4)
    >>> bool(dsk.SVC(kernel=kernel, C=10).fit(X, y).score(X, y) > 0.8)
    True
    """

    def __init__(
        self,
        metric: str = "logeuclidean",
        criterion: Criterion = "alignment",
        adjustment: Adjustment = "power",
        theta: NumberOrAuto = "auto",
        penalty: NumberOrAuto = "auto",
        scale: Union[float, Literal["none", "unit"]] = "none",
        max_iter: int = 100,
        tol: float = 1e-5,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        *,
        zeta: NumberOrAuto = "auto",
        classifier: Literal["knn", "svm"] = "knn",
        cv: Any = 5,
        allow_indefinite: Union[bool, Literal["auto"]] = "auto",
        device: Device = "cpu",
        batch: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            criterion,
            adjustment,
            theta,
            penalty,
            scale,
            max_iter,
            tol,
            n_jobs,
            random_state,
            classifier=classifier,
            cv=cv,
            allow_indefinite=allow_indefinite,
            device=device,
            batch=batch,
            verbose=verbose,
        )
        self.metric = metric
        self.zeta = zeta

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> DiscriminativeKernel:
        """Learns the kernel.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices, as for DiscriminativeStein.

        Returns
        -------
        DiscriminativeKernel
            The fitted estimator.
        """
        super().fit(X, y, groups, sample_weight)
        return self

    def _metric_and_zeta(self) -> tuple[str, Optional[float]]:
        if not isinstance(self.metric, str):
            raise TypeError(f"metric must be a name such as 'stein'; got {self.metric!r}")
        return self.metric, positive_or_auto("zeta", self.zeta)

    def _take(self, learned: LearnedKernel, classes: NDArray[Any]) -> None:
        super()._take(learned, classes)
        self.zeta_ = learned.zeta
