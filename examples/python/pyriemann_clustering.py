"""Clusters of covariance matrices and their means with pyRiemann, without and with dsk.patch_pyriemann.

usage: pyriemann_clustering.py

Matrices are drawn around three centres, clustered by k-means, and the means of the clusters are compared with the
centres: the same labels and the same distances with the patch.
"""
import time

import numpy as np
from pyriemann.clustering import Kmeans
from pyriemann.datasets import sample_gaussian_spd
from pyriemann.geometry.distance import distance
from sklearn.metrics import adjusted_rand_score

import dsk

CLUSTERS, PER_CLUSTER, DIM = 3, 40, 6


def sample():
    generator = np.random.RandomState(2)
    centres = []
    for _ in range(CLUSTERS):
        samples = generator.standard_normal((DIM, 4 * DIM))
        centres.append(samples @ samples.T / (4 * DIM))
    X = np.concatenate([sample_gaussian_spd(PER_CLUSTER, centre, sigma=0.25, random_state=3) for centre in centres])
    return X, np.repeat(np.arange(CLUSTERS), PER_CLUSTER), centres


def cluster(X, centres):
    """Labels, and the distance from each centre to the mean of the nearest cluster."""
    kmeans = Kmeans(CLUSTERS, n_init=5, random_state=4).fit(X)
    means = np.stack(kmeans.mdm_.covmeans_)
    return kmeans.labels_, np.array([distance(means, centre).min() for centre in centres])


def main():
    X, truth, centres = sample()
    start = time.perf_counter()
    labels, gaps = cluster(X, centres)
    middle = time.perf_counter()
    with dsk.patch_pyriemann() as patch:
        patched_labels, patched_gaps = cluster(X, centres)
    end = time.perf_counter()
    assert np.array_equal(labels, patched_labels)
    np.testing.assert_allclose(gaps, patched_gaps, rtol=1e-8)
    print(f"agreement with the true clusters: {adjusted_rand_score(truth, patched_labels):.3f}")
    print("distances from centres to means: " + ", ".join(f"{gap:.3f}" for gap in patched_gaps))
    print(f"pyRiemann alone {middle - start:.2f} s, with the patch {end - middle:.2f} s")
    print(patch.report())


if __name__ == "__main__":
    main()
