"""Distances, as in pyriemann.geometry.distance, and those of the estimators that compare matrices with them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, matrices, require, stacked, threads

# By the number of matrices.
TO_ONE = {
    "riemann": Worth(few=8, many=400, least=8),
    "logdet": Worth(few=16, many=400, least=16),
    "logeuclid": Worth(few=32, many=400, least=4),
    "kullback_sym": Worth(few=64, many=400, least=4),
    "thompson": Worth(few=8, many=400, least=8),
    "wasserstein": Worth(few=8, many=400, least=8),
}
# By the number of pairs.
PAIRS = {
    "riemann": Worth(few=24, many=400, least=60),
    "logdet": Worth(few=24, many=400, least=36),
    "logeuclid": Worth(few=48, many=400, least=16),
    "chol": Worth(few=24, many=400, least=100),
    "kullback": Worth(few=24, many=400, least=36),
    "kullback_right": Worth(few=24, many=400, least=36),
    "kullback_sym": Worth(few=24, many=400, least=36),
    "harmonic": Worth(few=400, many=400, least=1),
    "logchol": Worth(few=400, many=400, least=1),
    "thompson": Worth(few=24, many=400, least=60),
    "wasserstein": Worth(few=24, many=400, least=60),
}

# pyRiemann's names of metrics, and ours.
METRICS = {
    "riemann": "airm",
    "logdet": "stein",
    "logeuclid": "logeuclidean",
    "logchol": "logcholesky",
    "chol": "cholesky",
    "harmonic": "harmonic",
    "kullback": "kullback",
    "kullback_right": "kullback_right",
    "kullback_sym": "kullback_sym",
    "thompson": "thompson",
    "wasserstein": "wasserstein",
}
# What a metric becomes if the two sides change places.
TRANSPOSED = {"kullback": "kullback_right", "kullback_right": "kullback"}


def _known(metric: Any, squared: Any, metrics: dict[str, Worth]) -> None:
    require(isinstance(metric, str) and metric in metrics, "a metric in which pyRiemann is as fast, or that only it has")
    require(type(squared) is bool, "`squared` is neither True nor False")


def _distances(X: Matrices, Y: Optional[Matrices], metric: str, squared: bool) -> Matrices:
    # The factors of the first are made once for all pairs, so the fewer of them the better.
    if Y is not None and len(Y) < len(X):
        return _distances(Y, X, TRANSPOSED.get(metric, metric), squared).T
    return library.pairwise_distance(X, Y, METRICS[metric], squared, 0.5, threads(), False)


def distance(A: Any, B: Any, metric: Any = "riemann", squared: Any = False) -> Any:
    _known(metric, squared, TO_ONE)
    require(type(A) is np.ndarray and A.ndim == 3, "one pair, or pairs of two stacks")
    A, B = matrices(A, 3), matrices(B, 2)
    require(A.shape[1:] == B.shape, "matrices of different sizes")
    TO_ONE[metric].require(len(B), len(A))
    return _distances(stacked(A), stacked(B), metric, squared)


def pairwise_distance(X: Any, Y: Any = None, metric: Any = "riemann", squared: Any = False) -> Matrices:
    _known(metric, squared, PAIRS)
    X = stacked(matrices(X, 3))
    if Y is not None:
        Y = stacked(matrices(Y, 3))
        require(X.shape[1:] == Y.shape[1:], "matrices of different sizes")
    PAIRS[metric].require(X.shape[-1], len(X) * len(X if Y is None else Y))
    return np.ascontiguousarray(_distances(X, Y, metric, squared))


def predict_distances(mdm: Any, X: Any) -> Matrices:
    """From matrices to means, or to neighbours: all pairs at once."""
    means = mdm.covmeans_
    return pairwise_distance(X, np.stack(means) if isinstance(means, list) else means, mdm._metric_dist)
