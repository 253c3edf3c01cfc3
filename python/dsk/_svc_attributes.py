"""Support vectors as scikit-learn's attributes give them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import LabelledMatrices


def support_positions(model: Any, data: LabelledMatrices) -> NDArray[np.intp]:
    """Where the support matrices are among those given."""
    places: dict[tuple[bytes, int], list[int]] = {}
    for position, (matrix, code) in enumerate(zip(data.dataset.matrices(), data.dataset.labels().codes)):
        places.setdefault((matrix.tobytes(), int(code)), []).append(position)
    found = [
        places[matrix.tobytes(), int(code)].pop(0) for matrix, code in zip(model.support_matrices, model.support_codes)
    ]
    positions = np.array(found, dtype=np.intp)
    return positions if data.kept is None else data.kept[positions]


def dual_coefficients(
    coefficients: NDArray[np.float64], codes: NDArray[np.intc], n_classes: int
) -> NDArray[np.float64]:
    """From one column per pair of classes to scikit-learn's layout: row r has the coefficients in the machine between a
    matrix's class and the r-th of the others."""
    if n_classes == 2:
        return np.ascontiguousarray(-coefficients.T)
    result = np.zeros((n_classes - 1, len(codes)))
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for column, (a, b) in enumerate(pairs):
        result[b - 1, codes == a] = coefficients[codes == a, column]
        result[a, codes == b] = coefficients[codes == b, column]
    return result
