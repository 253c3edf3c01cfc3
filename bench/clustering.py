"""Clustering: k-means beside pyRiemann's from the same starts, and spectral clustering of many matrices in time and memory."""
import json
import resource

import numpy as np
from pyriemann.clustering import Kmeans
from sklearn.metrics import adjusted_rand_score

import dsk
from measuring import take_turns, timed
from scale import run

KMEANS_CASES = [("riemann", 1000, 5), ("riemann", 500, 16), ("riemann", 200, 43), ("logdet", 500, 16), ("logeuclid", 500, 16)]
CLUSTERS = 5
SPECTRAL = (20_000, 5, 10)


def classes(n, d, count):
    """Classes of different covariances, 3 d samples a matrix."""
    random = np.random.default_rng(d)
    mixtures = np.eye(d) + 0.5 * random.standard_normal((count, d, d)) / np.sqrt(d)
    y = np.arange(n) % count
    samples = mixtures[y] @ random.standard_normal((n, d, 3 * d))
    return samples @ samples.transpose(0, 2, 1) / (3 * d), y


def kmeans_case(metric, n, d, rounds):
    X, _ = classes(n, d, CLUSTERS)
    start = X[np.random.default_rng(1).choice(n, CLUSTERS, replace=False)]
    ours = dsk.KMeans(CLUSTERS, metric=metric, init=start, tol=1e-4, n_jobs=1)
    theirs = Kmeans(CLUSTERS, metric=metric, init=start, tol=1e-4, max_iter=300, n_jobs=1)
    best = take_turns({"dsk": lambda: timed(lambda: ours.fit(X).inertia_, 0.1), "pyriemann": lambda: timed(lambda: theirs.fit(X).inertia_, 0)},
                      min(rounds, 3))
    return {"metric": metric, "n": n, "d": d, "dsk_seconds": best["dsk"][0], "pyriemann_seconds": best["pyriemann"][0],
            "over_pyriemann": best["pyriemann"][0] / best["dsk"][0],
            "agreement": adjusted_rand_score(ours.labels_, theirs.labels_)}


def processor_seconds():
    """Of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spectral_case(folder, program):
    n, d, count = SPECTRAL
    X, y = classes(n, d, count)
    np.savez(folder / "many.npz", X=X, y=y)
    rows = []
    for method in ("spectral", "kmeans", "kernel-kmeans"):
        before = processor_seconds()
        seconds, megabytes, _ = run(program, "cluster", folder / "many.npz", "--clusters", count, "--method", method,
                                    "-o", folder / "labels.csv", "--json", folder / "facts.json")
        facts = json.loads((folder / "facts.json").read_text())
        rows.append({"method": method, "n": n, "d": d, "clusters": count, "seconds": seconds,
                     "processor_seconds": processor_seconds() - before, "megabytes": megabytes, "adjusted_rand": facts["adjusted_rand"]})
    return rows


def measure(folder, program, rounds):
    return {"kmeans": [kmeans_case(*case, rounds) for case in KMEANS_CASES], "many": spectral_case(folder, program)}


def show(result):
    print(f"\nk-means into {CLUSTERS} clusters from the same starts, one thread")
    print(f"{'metric':>10} {'n':>5} {'d':>4} {'dsk ms':>9} {'pyRiemann ms':>13} {'ratio':>8} {'same clusters':>14}")
    for row in result["kmeans"]:
        print(f"{row['metric']:>10} {row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.1f} {row['pyriemann_seconds'] * 1e3:>13.0f}"
              f" {row['over_pyriemann']:>7.0f}x {row['agreement']:>14.3f}")
    print("\ndsk cluster of many matrices, all cores")
    print(f"{'method':>14} {'n':>6} {'d':>3} {'clusters':>9} {'seconds':>8} {'processor':>10} {'MB':>6} {'adjusted Rand':>14}")
    for row in result["many"]:
        print(f"{row['method']:>14} {row['n']:>6} {row['d']:>3} {row['clusters']:>9} {row['seconds']:>8.1f} {row['processor_seconds']:>10.1f}"
              f" {row['megabytes']:>6.0f}"
              f" {row['adjusted_rand']:>14.3f}")
