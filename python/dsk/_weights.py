"""Weights of samples, as scikit-learn's estimators take them."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_floats


def checked_weights(sample_weight: Optional[ArrayLike], X: Any) -> Optional[NDArray[np.float64]]:
    """One weight per matrix, none negative and not all 0; None for none."""
    if sample_weight is None:
        return None
    weights = as_floats(sample_weight, "sample_weight")
    count = len(X)
    if weights.ndim == 0:
        weights = np.full(count, float(weights))
    if weights.ndim > 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if len(weights) != count:
        raise ValueError(f"sample_weight must have one entry per matrix; got {len(weights)} for {count} matrices")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    if not weights.any():
        raise ValueError("sample_weight is zero for all matrices; at least one weight must be above 0")
    return weights
