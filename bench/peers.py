"""What others offer for the same results, as a careful user would call it. One thread: set before NumPy is imported."""
import numpy as np
from pyriemann.geometry.base import powm
from pyriemann.geometry.distance import pairwise_distance
from pyriemann.geometry.mean import mean_logdet, mean_riemann


def pyriemann_stein(x):
    return pairwise_distance(x, metric="logdet") ** 2


class NumpyStein:
    """Stacked Cholesky factorisations of all pairs i < j, in chunks that stay in the cache."""

    def __init__(self, n, d):
        self.rows, self.columns = np.triu_indices(n, 1)
        self.chunk = max(16, 2_000_000 // (8 * d * d))

    def __call__(self, x):
        half_logdets = _half_logdets(x)
        result = np.zeros((len(x), len(x)))
        for start in range(0, len(self.rows), self.chunk):
            i, j = self.rows[start : start + self.chunk], self.columns[start : start + self.chunk]
            result[i, j] = 2 * _half_logdets((x[i] + x[j]) / 2) - half_logdets[i] - half_logdets[j]
        return result + result.T


def _half_logdets(x):
    return np.log(np.diagonal(np.linalg.cholesky(x), axis1=-2, axis2=-1)).sum(axis=-1)


# pyRiemann has no pairwise power-Euclidean distance; its own powm and Euclidean distances make one.
METRICS = {
    "airm": lambda x: pairwise_distance(x, metric="riemann"),
    "cholesky": lambda x: pairwise_distance(x, metric="chol"),
    "euclidean": lambda x: pairwise_distance(x, metric="euclid"),
    "logeuclidean": lambda x: pairwise_distance(x, metric="logeuclid"),
    "powereuclidean": lambda x: pairwise_distance(powm(x, 0.5), metric="euclid") / 0.5,
}

MEANS = {"airm": mean_riemann, "stein": mean_logdet}
