"""The classifier to try first."""

from __future__ import annotations

import os
from typing import Any, Optional, Union, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ._classifier import MatricesClassifier
from ._estimator import pass_on_warnings
from ._folds import given_folds, number_of_folds
from ._labels import classes_of, encoded_groups_of, labelled_matrices
from ._library import library
from ._options import (
    Device,
    Projection,
    Recentring,
    existing,
    one_of,
    projection_text,
    seed_of,
    threads_of,
)
from ._progress import Progress


class Classifier(MatricesClassifier):
    """Finds the best of many ways to classify SPD matrices by cross-validation: the one to try first.

    Candidates are the nearest class mean, logistic regression and linear support vector machines on the tangent space,
    and class means, k-NN and support vector machines with Stein, log-Euclidean and power-Euclidean kernels; those with
    the Stein kernel also with adjusted eigenvalues, and in subspaces that are learned from the training set, one by one
    and several together. Everything is learned without the held-out folds. Up to 4,000 matrices, the scores of the best eight are averaged, unless one alone is
    clearly better. ``dsk train`` without options does the same.

    Parameters
    ----------
    random_state : int, RandomState or None
        Seed of the folds. None means 0: the same folds every time.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores. The result is the same for any number.
    recentre : {"none", "all", "groups"}, default="none"
        "groups" moves the mean of each group (subject, session) to the identity matrix, without looking at labels. New
        groups are moved by their own means, so predict whole groups at once. "all" uses the mean of the training set;
        the candidates do not depend on that mean, or are tried both ways, so it changes nothing here.
    project : {"auto", "start", "ladder", "none"} or int, default="auto"
        Subspaces that are tried. "auto": several sizes, learned; "start": the same sizes in closed form, which is
        faster; "ladder": as "auto", but no adjusted eigenvalues are tried; a number: only subspaces with this number of
        components. "none" is the same as "auto" here: the number of components is chosen in any case.
    cv : int, splitter or iterable, default=5
        Number of cross-validation folds, with which small training sets are divided several times; one of
        scikit-learn's splitters; or pairs of positions to train and to test on.
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes Stein divergences and Euclidean distances of mapped matrices on a GPU.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    candidates_ : list of dict
        What was tried, the chosen one first: "name", "accuracy" in cross-validation, its "standard_error", the number
        of "folds", which is smaller for candidates that fell behind, and the "components" that matrices were compared
        on, None where subspaces play no part. Empty after :func:`dsk.load`.
    validation_accuracy_ : float or None
        Accuracy of the chosen candidate in cross-validation. It is the best of many and thus a little too large.
    subspaces_ : list of dict
        The subspaces in which matrices are compared, the largest first: "components", "filters", the matrix W of shape
        (d, components), and "patterns", C W (W' C W)^-1 for the mean C of the training set, recentred if that was asked
        for; None after :func:`dsk.load`. :func:`dsk.plot.filters` and :func:`dsk.plot.patterns` draw one of them.
    classes_ : ndarray
        Labels seen in fit.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=20, tau=1, random_state=1)
    >>> classifier = dsk.Classifier().fit(X[::2], y[::2])
    >>> bool(classifier.score(X[1::2], y[1::2]) > 0.8)
    True
    >>> classifier.summary().splitlines()[0][:7]
    'chosen:'
    >>> sorted(classifier.candidates_[0])
    ['accuracy', 'components', 'folds', 'name', 'standard_error']
    """

    def __init__(
        self,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        recentre: Recentring = "none",
        project: Union[int, Projection] = "auto",
        *,
        cv: Any = 5,
        device: Device = "cpu",
        verbose: bool = False,
    ) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.recentre = recentre
        self.project = project
        self.cv = cv
        self.device = device
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: Optional[ArrayLike] = None,
        sample_weight: Optional[ArrayLike] = None,
    ) -> Classifier:
        """Tries all candidates and trains the best on the whole training set.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        groups : array-like of shape (n,), optional
            Groups, such as subjects, that are kept together in a fold. ``recentre="groups"`` needs them.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices, none negative: a matrix of weight 2 counts as two equal ones, for every candidate and
            in cross-validation. The means of ``recentre="groups"`` have no weights.

        Returns
        -------
        Classifier
            The fitted estimator.
        """
        selection = self._selection()
        data = labelled_matrices(X, y, groups, type(self).__name__, threads_of(self.n_jobs), sample_weight)
        selection.set_folds(given_folds(self.cv, data, y, groups))
        with Progress("folds", self.verbose) as progress:
            trained = library.train_method(
                data.dataset, "auto", selection, threads_of(self.n_jobs), progress.listener()
            )
        pass_on_warnings(trained.warnings, calls=1)
        self._take(trained.model, data.classes)
        self._take_origin(trained.candidates, trained.validation_accuracy, trained.summary)
        self._take_subspaces(trained.model.subspaces(data.dataset, threads_of(self.n_jobs)))
        return self

    def predict(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[Any]:
        """Classes of new matrices.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        groups : array-like of shape (n,), optional
            Their groups, for ``recentre="groups"`` only; without them all matrices are one group.

        Returns
        -------
        ndarray of shape (n,)
        """
        codes, _ = self._predict_groups(X, groups)
        return self.classes_[codes]

    def predict_proba(self, X: ArrayLike, groups: Optional[ArrayLike] = None) -> NDArray[np.float64]:
        """Scores of all classes, which sum to 1.

        Those of an average are calibrated: they are scaled so that the held-out classes of cross-validation were likeliest.
        Those of a single candidate are not: probabilities of logistic regression, shares of votes of k-NN and support
        vector machines, and the softmax of the scores of class means.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        groups : array-like of shape (n,), optional
            As for :meth:`predict`.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        return self._predict_groups(X, groups)[1]

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: Optional[ArrayLike] = None,
        groups: Optional[ArrayLike] = None,
    ) -> float:
        """Accuracy on matrices whose classes are known.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the matrices.
        groups : array-like of shape (n,), optional
            As for :meth:`predict`.

        Returns
        -------
        float
        """
        return accuracy_score(y, self.predict(X, groups), sample_weight=sample_weight)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Classifier:
        """Reads a model of any kind from a .dsk file.

        :func:`dsk.load` gives an estimator of the model's kind instead, such as an :class:`SVC` where one was chosen.
        """
        return cls._of_model(library.Model.load(existing(path)))

    def summary(self) -> str:
        """What was chosen, its accuracy in cross-validation, and the best of the others, in a few lines."""
        check_is_fitted(self)
        if self._summary:
            return self._summary
        members = ", ".join(f"{kind} on {dim} x {dim} matrices" for kind, dim in self._model.members)
        return f"loaded from a file: {members}\ntrained on {self._model.samples} matrices"

    @classmethod
    def _of_model(cls, model: Any) -> Classifier:
        estimator = cls(recentre="groups" if model.recentres_groups else "none")
        estimator._take(model, classes_of(model.names, model.integral))
        estimator._take_origin([], None, "")
        estimator._take_subspaces([(filters, None) for filters in model.filters])
        return estimator

    def _selection(self) -> Any:
        selection = library.Selection()
        selection.folds = number_of_folds(self.cv)
        selection.seed = seed_of(self.random_state)
        selection.set_device(self._device())
        selection.set_recentre(one_of("recentre", self.recentre, get_args(Recentring)))
        selection.set_project(projection_text(self.project))
        return selection

    def _predict_groups(self, X: ArrayLike, groups: Any) -> tuple[NDArray[np.intc], NDArray[np.float64]]:
        matrices = self._like_fitted(X)
        return self._model.predict(matrices, encoded_groups_of(groups, len(matrices)), threads_of(self.n_jobs), self._device())

    def _take_subspaces(self, subspaces: list[tuple[NDArray[Any], Optional[NDArray[Any]]]]) -> None:
        self.subspaces_: list[dict[str, Any]] = [
            {"components": filters.shape[1], "filters": filters, "patterns": patterns} for filters, patterns in subspaces
        ]

    def _take_origin(self, candidates: list[dict[str, Any]], validation_accuracy: Optional[float], summary: str) -> None:
        self.candidates_ = candidates
        self.validation_accuracy_ = validation_accuracy
        self._summary = summary
