"""What all estimators share."""

from __future__ import annotations

import warnings
from typing import Any, Optional, TypeVar

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._arrays import as_matrices, check_dim


class MatricesEstimator(BaseEstimator):
    """Takes arrays (n, d, d)."""

    _needs_labels = True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.target_tags.required = self._needs_labels
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"X_types": ["3darray"], "requires_y": self._needs_labels}

    def _like_fitted(self, X: ArrayLike) -> NDArray[Any]:
        """New matrices, of the size that the estimator was fitted with."""
        check_is_fitted(self)
        matrices = as_matrices(X)
        check_dim(matrices, self.n_features_in_, type(self).__name__)
        return matrices


_Self = TypeVar("_Self", bound="MatricesTransformer")


class MatricesTransformer(TransformerMixin, MatricesEstimator):
    """Transforms arrays (n, d, d)."""

    def set_output(self: _Self, *, transform: Optional[str] = None) -> _Self:
        """Accepted for use in pipelines. The result is always an array, because data frames cannot hold matrices."""
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f"transform must be 'default', 'pandas', 'polars' or None; got {transform!r}")
        return self


def pass_on_warnings(messages: list[str], calls: int) -> None:
    """Python's warnings for the remarks of the library, as coming from the code so many calls above the caller's."""
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=2 + calls)


def warn_of_means(converged: bool, what: str, calls: int = 1) -> None:
    """A warning for means that did not converge, as coming from the code so many calls above the caller's."""
    if not converged:
        message = f"{what} did not converge within the limit of iterations; are there nearly singular matrices?"
        warnings.warn(message, ConvergenceWarning, stacklevel=2 + calls)
