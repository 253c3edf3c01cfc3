"""Neighbours and a map of covariance matrices with pyRiemann, without and with dsk.patch_pyriemann.

usage: pyriemann_embedding.py

All pairwise distances of matrices from two classes are computed by several metrics, drawn as two coordinates by
pyRiemann's spectral embedding, and used by its nearest-neighbour classifier.
"""
import time

import numpy as np
from pyriemann.classification import KNearestNeighbor
from pyriemann.embedding import SpectralEmbedding
from pyriemann.geometry.distance import pairwise_distance

import dsk

METRICS = ["riemann", "logdet", "logeuclid", "chol"]


def analyse(X, y):
    results = {}
    for metric in METRICS:
        results[f"{metric}: distances"] = pairwise_distance(X, metric=metric)
        knn = KNearestNeighbor(5, metric=metric).fit(X[::2], y[::2])
        results[f"{metric}: accuracy of 5 neighbours"] = np.mean(knn.predict(X[1::2]) == y[1::2])
    # The sign of a coordinate is arbitrary.
    results["riemann: embedding"] = np.abs(SpectralEmbedding(n_components=2).fit_transform(X))
    return results


def main():
    X, y = dsk.make_wishart_classes(n_per_class=30, dim=8, tau=1, random_state=1)
    start = time.perf_counter()
    before = analyse(X, y)
    middle = time.perf_counter()
    with dsk.patch_pyriemann() as patch:
        after = analyse(X, y)
    end = time.perf_counter()
    for name in before:
        # Distances from a matrix to itself are exactly 0 here, and about 1e-7 in pyRiemann.
        np.testing.assert_allclose(after[name], before[name], rtol=1e-6, atol=1e-6, err_msg=name)
        if np.ndim(after[name]) == 0:
            print(f"{name}: {after[name]:.3f}")
    print(f"pyRiemann alone {middle - start:.2f} s, with the patch {end - middle:.2f} s")
    print(patch.report())


if __name__ == "__main__":
    main()
