"""The part that classifiers share: prediction, and for those with a kernel its choice and their settings."""

from __future__ import annotations

import numbers
import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ._discriminative import DiscriminativeStein
from ._distances import metric_and_zeta
from ._estimator import MatricesEstimator, pass_on_warnings
from ._folds import Folds, number_of_folds
from ._labels import LabelledMatrices
from ._learned import LearnedKernel
from ._library import library
from ._options import (
    as_number,
    as_whole_number,
    device_name,
    is_auto,
    number_or_auto,
    positive_or_auto,
    scale_text,
    seed_of,
    theta_range_of,
    threads_of,
)
from ._progress import Progress

_PLAIN_ZETA = 0.5
_PLAIN_KERNEL = "stein"
_COMBINED_KERNEL = "combined"


class KernelChoice(NamedTuple):
    """What a classifier's parameter `kernel` stands for."""

    comparison: Any
    to_learn: Optional[DiscriminativeStein] = None
    automatic: bool = False
    combined: bool = False


class MatricesClassifier(ClassifierMixin, MatricesEstimator):
    """Predicts by the library's model, `_model`."""

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        self._model = model
        self.classes_ = classes
        self.n_features_in_ = model.dim

    def _predict(self, X: ArrayLike, groups: Any = None) -> tuple[NDArray[np.intc], NDArray[np.float64]]:
        matrices = self._like_fitted(X)
        return self._model.predict(matrices, groups, threads_of(self.n_jobs), self._device())

    def _device(self) -> str:
        return device_name(getattr(self, "device", "cpu"))

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
        codes, _ = self._predict(X)
        return self.classes_[codes]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Saves the model to a .dsk file, for :func:`dsk.load` and ``dsk predict``."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))


class KernelClassifier(MatricesClassifier):
    """Compares matrices by a kernel; settings not given are chosen by cross-validation."""

    _kind: str

    def _kernel_choice(self) -> KernelChoice:
        kernel, zeta = self.kernel, number_or_auto("zeta", self.zeta)
        if self.metric is not None:
            if not isinstance(kernel, str) or kernel != _PLAIN_KERNEL:
                raise ValueError("metric and kernel both choose how matrices are compared; give one of them")
            if not isinstance(self.metric, str):
                raise TypeError(f"metric must be a name such as 'stein'; got {self.metric!r}")
            kernel = self.metric
        if isinstance(kernel, str):
            if is_auto(kernel):
                return KernelChoice(library.Comparison("stein", _PLAIN_ZETA, None), automatic=True)
            if kernel == _COMBINED_KERNEL and self.metric is None and self._kind == "svm":
                if zeta is not None:
                    raise ValueError("kernel='combined' has a zeta of its own")
                return KernelChoice(library.Comparison("stein", _PLAIN_ZETA, None), combined=True)
            name, exponent = metric_and_zeta(kernel, _PLAIN_ZETA if zeta is None else zeta)
            return KernelChoice(library.Comparison(name, exponent, None))
        if hasattr(kernel, "get_params"):
            kernel = clone(kernel)
        learned = kernel if isinstance(kernel, LearnedKernel) else getattr(kernel, "learned_", None)
        if isinstance(learned, LearnedKernel):
            return KernelChoice(library.Comparison(learned.metric, learned.zeta, learned._handle))
        if isinstance(kernel, DiscriminativeStein):
            if kernel.batch is not None:
                raise ValueError("a kernel with a batch is learned by its own fit: fit it first and pass its learned_")
            metric, given_zeta = kernel._metric_and_zeta()
            return KernelChoice(library.Comparison(metric, given_zeta or _PLAIN_ZETA, None), to_learn=kernel)
        raise ValueError(
            "kernel must be a metric's name, 'auto', a DiscriminativeStein, a DiscriminativeKernel or a LearnedKernel; "
            f"got {kernel!r}"
        )

    def _selection(self, choice: KernelChoice) -> Any:
        """What cross-validation tries, without the classifier's own setting."""
        selection = library.Selection()
        selection.folds = number_of_folds(self.cv)
        selection.set_device(self._device())
        selection.seed = seed_of(self.random_state)
        if not is_auto(self.zeta):
            selection.zetas = [choice.comparison.zeta]
        if choice.to_learn is not None:
            kernel = choice.to_learn
            exponent = kernel._metric_and_zeta()[1]
            if exponent is not None:
                selection.zetas = [exponent]
            selection.theta = positive_or_auto("theta", kernel.theta)
            selection.penalty = number_or_auto("penalty", kernel.penalty)
            selection.max_iterations = as_whole_number("max_iter", kernel.max_iter)
            selection.tolerance = as_number("tol", kernel.tol)
            selection.set_scale(scale_text(kernel.scale))
            if not is_auto(kernel.allow_indefinite):
                selection.set_theta_range(theta_range_of(kernel.allow_indefinite))
        return selection

    def _train(
        self,
        data: LabelledMatrices,
        choice: KernelChoice,
        selection: Any,
        folds: Folds,
        probabilities: bool = False,
    ) -> None:
        """Trains the library's model and takes its attributes; what is "auto" is chosen by cross-validation."""
        learning = choice.to_learn
        if folds and self.approximate is not None:
            raise ValueError("cv must be a number of folds with approximate, which chooses settings on a sample")
        selection.set_folds(folds)
        with Progress("kernels learned", self.verbose) as progress:
            trained = library.train(
                data.dataset,
                choice.comparison,
                None if learning is None else learning.criterion,
                "power" if learning is None else learning.adjustment,
                self._kind,
                choice.automatic,
                choice.combined,
                selection,
                probabilities,
                self.approximate,
                self._choose_on(),
                threads_of(self.n_jobs),
                progress.listener(),
            )
        pass_on_warnings(trained.warnings, calls=2)
        self._take(trained.model, data.classes)
        self.validation_accuracy_ = trained.validation_accuracy
        if trained.kernel is not None:
            self.learned_ = LearnedKernel(trained.kernel)

    def _choose_on(self) -> int:
        """Number of matrices that kernel and settings are chosen on; 0 for all."""
        if self.approximate is None:
            return 0
        if not isinstance(self.approximate, str):
            raise ValueError(f"approximate must be None or a string such as 'nystrom:1000'; got {self.approximate!r}")
        if isinstance(self.choose_on, bool) or not isinstance(self.choose_on, numbers.Integral) or self.choose_on < 2:
            raise ValueError(f"choose_on must be a whole number, 2 or more; got {self.choose_on!r}")
        return as_whole_number("choose_on", self.choose_on)

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        super()._take(model, classes)
        if model.kind not in ("knn", "svm"):
            return
        self.approximation_ = model.approximation
        for name in ("metric_", "zeta_", "weights_", "learned_"):
            if hasattr(self, name):
                delattr(self, name)
        if model.kernel_weights is not None:
            self.weights_ = model.kernel_weights
            return
        self.metric_ = model.comparison.metric
        self.zeta_ = model.comparison.zeta
        kernel = model.comparison.kernel
        if kernel is not None:
            self.learned_ = LearnedKernel(kernel)
