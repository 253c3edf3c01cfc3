"""Support vector machines."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from ._classifier import KernelChoice, KernelClassifier
from ._estimator import pass_on_warnings
from ._folds import Folds, given_folds
from ._labels import LabelledMatrices, labelled_matrices
from ._library import library
from ._options import (
    Device,
    Margin,
    MetricName,
    NumberOrAuto,
    ThetaRange,
    as_number,
    one_of,
    positive_or_auto,
    threads_of,
)
from ._progress import Progress
from ._svc_attributes import dual_coefficients, support_positions

_DEFAULT_CLASS_WEIGHT = 1.0


def _has_probabilities(estimator: SVC) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(KernelClassifier):
    """Support vector machines for all pairs of classes, over the kernel exp(-theta d^2).

    Parameters
    ----------
    kernel : str, DiscriminativeStein or LearnedKernel, default="stein"
        A metric's name as for :func:`dsk.kernel`; an estimator, which is cloned and fitted to the training set; a
        learned kernel, which is used as it is; "auto", the best by cross-validation of the plain Stein kernel and
        four learned ones; or "combined", a weighted sum of Stein, log-Euclidean, power-Euclidean and Cholesky kernels of
        several widths, of whole matrices and in learned subspaces. Its weights are those of centred alignment, or all
        the same where cross-validation finds that as good.
    metric : str, optional
        A metric's name, in place of `kernel`. "riemann" is the machine of pyRiemann's SVC: a linear one on the tangent
        space at the mean of the training set.
    C : float or "auto", default="auto"
        "auto" is the best of 1, 10, 100 and 1000 by cross-validation inside the training set.
    theta : float or "auto", default="auto"
        Width of the kernel. "auto": the best of five by cross-validation; for a learned kernel its own, or the best of
        its own and those five if its penalty is "auto" too.
    zeta : float or "auto", default="auto"
        Exponent of the power-Euclidean metric.
    theta_range : {"auto", "valid", "any"}, default="auto"
        Values that theta may have. "valid": those for which the kernel is positive definite for every sample, which
        for large matrices can all be too large. "any": all above 0; a training kernel that is not positive definite
        is clipped, see ``smallest_eigenvalue_``. "auto": cross-validation tries both, or only valid ones with
        `approximate` and for a kernel to be learned by another criterion than "centred" and "neighbour"; a given theta
        may have any value.
    class_weight : dict or "balanced", optional
        Factors of C by class.
    probability : bool, default=False
        Calibrate probabilities, for :meth:`predict_proba`.
    margin : {"linear", "squared"}, default="linear"
        Loss: linear or squared slacks; "squared" is the L2-norm soft margin.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        One column per class, or one per pair of classes.
    approximate : str, optional
        For many matrices: approximate the kernel by landmarks. "nystrom:1000" takes 1000 landmarks,
        "nystrom:error=0.01" as many, up to 2000, as are needed for a residual of at most a hundredth of the kernel matrix's
        trace, and "nystrom:auto" is the same. Needs a positive definite kernel.
    choose_on : int, default=2000
        With `approximate`: choose kernel and settings on a balanced sample of this many matrices.
    cv : int, splitter or iterable, default=5
        Number of cross-validation folds, one of scikit-learn's splitters, or pairs of positions to train and to test
        on. With `approximate` a number.
    random_state : int, RandomState or None
        Seed of the folds. None means 0: the same folds every time.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes Stein divergences and Euclidean distances of mapped matrices on a GPU.
    verbose : bool, default=False
        Show a progress bar while kernels are learned.

    Attributes
    ----------
    C_, theta_ : float
        As given or chosen; ``kernel="combined"`` has no single theta.
    validation_accuracy_ : float or None
        Cross-validated accuracy of the chosen settings; None if all settings were given.
    support_vectors_ : ndarray of shape (n_support, d, d)
        The support matrices of the machines; like the three below, not with ``metric="riemann"``.
    support_ : ndarray of shape (n_support,)
        Their positions in the training set.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Their coefficients, laid out as scikit-learn does. With two classes, ``kernel(X, support_vectors_) @
        dual_coef_.T + intercept_`` is the decision function.
    n_support_ : ndarray of shape (n_classes,)
        Number of support matrices of each class.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Intercept of each machine.
    smallest_eigenvalue_ : float or None
        Smallest eigenvalue of the training kernel, where theta does not guarantee that it is positive definite.
    approximation_ : dict or None
        With `approximate`: the number of landmarks, how they were chosen, the residual's share of the trace,
        and the number of matrices that settings were chosen on.
    learned_ : LearnedKernel
        The learned kernel, if there is one.
    metric_, zeta_ : str, float
        The metric that compares matrices; not with ``kernel="combined"``.
    weights_ : dict
        With ``kernel="combined"``: a dict from the name of each kernel to its weight, which applies after the kernel is
        divided by its variance in the training set. Weights sum to 1; kernels with weight 0 are left out.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> bool(dsk.SVC(C=10, theta=2).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.8)
    True
    >>> combined = dsk.SVC(kernel="combined").fit(X[::2], y[::2])
    >>> round(sum(combined.weights_.values()), 9)
    1.0
    >>> search = GridSearchCV(dsk.SVC(), {"kernel": ["stein", "logeuclidean"]}, cv=3).fit(X, y)
    >>> bool(search.best_score_ > 0.8)
    True
    """

    _kind = "svm"

    def __init__(
        self,
        kernel: Any = "stein",
        C: NumberOrAuto = "auto",
        *,
        metric: Optional[MetricName] = None,
        theta: NumberOrAuto = "auto",
        zeta: NumberOrAuto = "auto",
        theta_range: ThetaRange = "auto",
        class_weight: Union[dict[Any, float], Literal["balanced"], None] = None,
        probability: bool = False,
        margin: Margin = "linear",
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        approximate: Optional[str] = None,
        choose_on: int = 2000,
        cv: Any = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        device: Device = "cpu",
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.metric = metric
        self.theta = theta
        self.zeta = zeta
        self.theta_range = theta_range
        self.class_weight = class_weight
        self.probability = probability
        self.margin = margin
        self.decision_function_shape = decision_function_shape
        self.approximate = approximate
        self.choose_on = choose_on
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> SVC:
        """Trains the machines; settings that are "auto" are chosen by cross-validation inside the training set.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold.
        sample_weight : array-like of shape (n,), optional
            Factors of C of the matrices, none negative: a matrix of weight 2 counts as two equal ones, in
            cross-validation too. Not with `approximate`.

        Returns
        -------
        SVC
            The fitted estimator.
        """
        self._check_names()
        c, theta = positive_or_auto("C", self.C), positive_or_auto("theta", self.theta)
        threads = threads_of(self.n_jobs)
        if self._is_tangent():
            data = labelled_matrices(X, y, groups, type(self).__name__, threads, sample_weight)
            return self._fit_tangent(data, c, given_folds(self.cv, data, y, groups))
        choice = self._kernel_choice()
        if theta is not None and (choice.comparison.kernel is not None or choice.to_learn is not None):
            raise ValueError("a learned kernel has its own theta; leave the classifier's theta at 'auto'")
        data = labelled_matrices(X, y, groups, type(self).__name__, threads, sample_weight)
        selection = self._svm_selection(choice, c, theta, data.classes)
        self._train(data, choice, selection, given_folds(self.cv, data, y, groups), bool(self.probability))
        self.support_ = support_positions(self._model, data)
        return self

    @property
    def support_vectors_(self) -> NDArray[np.float64]:
        # Kept by the model alone, so that a pickle holds them once.
        check_is_fitted(self)
        if self._model.kind != "svm":
            raise AttributeError("the linear machine on the tangent space has no support matrices")
        return self._model.support_matrices

    def _is_tangent(self) -> bool:
        return isinstance(self.metric, str) and self.metric in ("riemann", "airm")

    def _fit_tangent(self, data: LabelledMatrices, c: Optional[float], folds: Folds) -> SVC:
        for name, plain in (("theta", "auto"), ("class_weight", None), ("probability", False), ("margin", "linear"),
                            ("approximate", None)):
            if getattr(self, name) != plain:
                raise ValueError(f"{name} is not for the linear machine on the tangent space of metric='riemann'")
        if not isinstance(self.kernel, str) or self.kernel != "stein":
            raise ValueError("metric and kernel both choose how matrices are compared; give one of them")
        selection = self._selection(KernelChoice(library.Comparison("stein", 0.5, None)))
        selection.set_folds(folds)
        if c is not None:
            selection.svm_cs = [c]
        with Progress("folds", self.verbose) as progress:
            trained = library.train_method(data.dataset, "TS:svm", selection, threads_of(self.n_jobs), progress.listener())
        pass_on_warnings(trained.warnings, calls=1)
        for name in ("support_", "n_support_", "dual_coef_", "intercept_", "theta_", "C_", "smallest_eigenvalue_"):
            if hasattr(self, name):
                delattr(self, name)
        self._take(trained.model, data.classes)
        self.metric_ = "airm"
        self.validation_accuracy_ = trained.validation_accuracy
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Decision values of matrices for each class.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            With two classes one number, positive for the second; with more as `decision_function_shape` says, and
            as scikit-learn's SVC.
        """
        matrices = self._like_fitted(X)
        if self._model.kind != "svm":
            raise AttributeError("the linear machine on the tangent space predicts classes only; use predict")
        decisions = self._model.decisions(matrices, threads_of(self.n_jobs), self._device())
        if len(self.classes_) == 2:
            return -decisions.ravel()
        if self.decision_function_shape == "ovo":
            return decisions
        return _ovr_decision_function(decisions < 0, -decisions, len(self.classes_))

    @available_if(_has_probabilities)
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities; the most probable class may differ from :meth:`predict`.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return self._predict(X)[1]

    def _check_names(self) -> None:
        one_of("theta_range", self.theta_range, get_args(ThetaRange))
        one_of("margin", self.margin, get_args(Margin))
        one_of("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))

    def _svm_selection(
        self, choice: KernelChoice, c: Optional[float], theta: Optional[float], classes: NDArray[Any]
    ) -> Any:
        selection = self._selection(choice)
        if c is not None:
            selection.svm_cs = [c]
        if theta is not None:
            selection.theta = theta
        if self.theta_range != "auto":
            selection.set_theta_range(self.theta_range)
        selection.set_margin(self.margin)
        selection.balanced = self.class_weight == "balanced"
        selection.class_weights = self._weights(classes)
        return selection

    def _weights(self, classes: NDArray[Any]) -> list[float]:
        if self.class_weight is None or self.class_weight == "balanced":
            return []
        if not isinstance(self.class_weight, dict):
            raise ValueError(f"class_weight must be a dict, 'balanced' or None; got {self.class_weight!r}")
        absent = sorted(set(self.class_weight) - set(classes.tolist()), key=str)
        if absent:
            raise ValueError(f"The classes, {absent}, are not in class_label: y holds {classes.tolist()}")
        return [
            as_number("class_weight", self.class_weight.get(label, _DEFAULT_CLASS_WEIGHT)) for label in classes.tolist()
        ]

    def _take(self, model: Any, classes: NDArray[Any]) -> None:
        super()._take(model, classes)
        if model.kind != "svm":
            return
        self.C_ = model.c
        if hasattr(self, "theta_"):
            delattr(self, "theta_")
        if model.kernel_weights is None:
            self.theta_ = model.theta
        self.n_support_ = np.bincount(model.support_codes, minlength=len(classes))
        self.dual_coef_ = dual_coefficients(model.coefficients, model.support_codes, len(classes))
        self.intercept_ = -model.offsets if len(classes) == 2 else model.offsets
        self.smallest_eigenvalue_ = model.smallest_eigenvalue
