"""Estimators of covariance matrices, as in pyriemann.geometry.covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._library import library
from .arguments import Matrices, Worth, require, threads

COVARIANCES = {
    "cov": Worth(few=16, many=32, least=4),
    "corr": Worth(few=16, many=32, least=4),
    "lwf": Worth(few=256, many=256, least=1),
    "oas": Worth(few=256, many=256, least=1),
}


def covariances(X: Any, estimator: Any = "cov", **options: Any) -> Matrices:
    require(not options, "options of the estimator")
    require(isinstance(estimator, str) and estimator in COVARIANCES, "an estimator that is left to pyRiemann")
    require(type(X) is np.ndarray and X.dtype == np.float64 and X.ndim >= 3 and X.size > 0, "epochs that are not of float64")
    channels, times = X.shape[-2:]
    require(1 < channels < times, "one channel, or no more times than channels")
    COVARIANCES[estimator].require(channels, X.size // (channels * times))
    epochs = np.ascontiguousarray(X.reshape(-1, channels, times))
    # Epochs without full rank are refused by the first of them rather than after the work.
    library.covariances(epochs[:1], estimator, 1)
    return library.covariances(epochs, estimator, threads()).reshape(*X.shape[:-2], channels, channels)
