"""Linear discriminant analysis with Ledoit and Wolf's shrinkage: scikit-learn's directions in less time.

The covariance matrix within classes is a diagonal matrix plus one of low rank, so that systems with it take the number
of samples squared times the number of features, rather than the features cubed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

_ROUNDING = 1e-12  # of a standard deviation, as a share of the largest
_SMALLEST_SHRINKAGE = 1e-6  # below, the low rank would cost digits


class Discriminant:
    """The directions of ``LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")``, as ``coef_``."""

    def __init__(self, rows: NDArray[np.float64], labels: NDArray[Any]) -> None:
        classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(classes) < 2 or counts.min() < 2:
            raise np.linalg.LinAlgError("a class has one matrix")
        means, parts = [], []
        diagonal = np.zeros(rows.shape[1])
        for code, count in enumerate(counts):
            members = rows[codes == code]
            means.append(members.mean(axis=0))
            centred = members - means[-1]
            deviation = np.sqrt((centred**2).mean(axis=0))
            if not (deviation > 1e-10 * np.abs(members).max(axis=0)).all():
                raise np.linalg.LinAlgError("a feature does not vary")
            shrinkage = _shrinkage(centred / deviation)
            share = count / len(rows)
            parts.append(np.sqrt(share * (1 - shrinkage) / count) * centred)
            diagonal += share * shrinkage * deviation**2
        if not (diagonal > _SMALLEST_SHRINKAGE * rows.var(axis=0)).all():
            raise np.linalg.LinAlgError("there is hardly any shrinkage")
        self.classes_ = classes
        self.means_ = np.array(means)
        self.priors_ = counts / len(rows)
        coefficients = _solved(np.concatenate(parts), diagonal, self.means_)
        intercepts = -0.5 * (self.means_ * coefficients).sum(axis=1) + np.log(self.priors_)
        if len(classes) == 2:
            coefficients = coefficients[1:] - coefficients[:1]
            intercepts = intercepts[1:] - intercepts[:1]
        self.coef_, self.intercept_ = coefficients, intercepts

    def as_sklearn(self, n_components: int) -> LinearDiscriminantAnalysis:
        """The fitted estimator, without its covariance matrix."""
        estimator = LinearDiscriminantAnalysis(n_components=n_components, solver="lsqr", shrinkage="auto")
        estimator.__dict__.update(vars(self), n_features_in_=self.means_.shape[1])
        return estimator


def discriminant_directions(rows: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.float64]:
    """``coef_``, by scikit-learn where the fast way is not for these rows. Features that hold rounding alone, such as the
    imaginary parts of real matrices, have coefficients of 0: brought to unit variance, they would decide."""
    deviations = rows.std(axis=0)
    varies = deviations > _ROUNDING * deviations.max()
    if varies.any() and not varies.all():
        some = discriminant_directions(rows[:, varies], labels)
        coefficients = np.zeros((len(some), rows.shape[1]))
        coefficients[:, varies] = some
        return coefficients
    try:
        return Discriminant(rows, labels).coef_
    except np.linalg.LinAlgError:
        return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(rows, labels).coef_


def _shrinkage(rows: NDArray[np.float64]) -> float:
    """scikit-learn's ledoit_wolf_shrinkage of centred rows."""
    count, features = rows.shape
    squared_lengths = np.einsum("ij,ij->i", rows, rows)
    mean_variance = float(squared_lengths.sum()) / (count * features)
    products = rows @ rows.T if count < features else rows.T @ rows
    of_covariance = float(np.vdot(products, products)) / count**2
    of_squares = float(np.vdot(squared_lengths, squared_lengths))
    beta = (of_squares / count - of_covariance) / (features * count)
    delta = of_covariance / features - mean_variance**2
    beta = min(beta, delta)
    return 0.0 if beta == 0 else beta / delta


def _solved(rows: NDArray[np.float64], diagonal: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """(rows' rows + diag(diagonal))^-1 right', transposed."""
    roots = np.sqrt(diagonal)
    scaled = rows / roots
    wanted: Any = right / roots
    if len(rows) < rows.shape[1]:
        small = scaled @ scaled.T
        small.flat[:: len(small) + 1] += 1
        wanted = wanted - np.linalg.solve(small, scaled @ wanted.T).T @ scaled
    else:
        whole = scaled.T @ scaled
        whole.flat[:: len(whole) + 1] += 1
        wanted = np.linalg.solve(whole, wanted.T).T
    return wanted / roots
