"""The Python package: what its layer costs beside the same call in C++, and how it compares with pyRiemann's functions."""
import numpy as np
from pyriemann.classification import KNearestNeighbor
from pyriemann.estimation import Covariances
from pyriemann.geometry.distance import pairwise_distance

import dsk
from measuring import agree, few_enough, matrices, pairs, take_turns, timed

OVERHEAD_CASES = [(1000, 5), (500, 16)]
DISTANCE_CASES = [(1000, 5), (500, 16), (200, 43)]
METRICS = ["logdet", "riemann", "logeuclid"]


def overhead_case(n, d, folder, ours, rounds):
    """The whole call on both sides: from numbers to checked matrices to distances, and their memory given back."""
    x = matrices(n, d)
    file = str(folder / f"python_{n}_{d}.npy")
    np.save(file, x)
    best = take_turns(
        {
            "c++": lambda: ours(what="values_to_distances", file=file, n=n, d=d, budget=0.1),
            "python": lambda: timed(lambda: dsk.pairwise_distance(x, n_jobs=1)[-1, 0], 0.1),
        },
        rounds,
    )
    agree(f"Python and C++, n = {n}, d = {d}", best["python"][1], best["c++"][1], 1e-12)
    return {"n": n, "d": d, "cpp_seconds": best["c++"][0], "python_seconds": best["python"][0],
            "overhead": best["python"][0] / best["c++"][0] - 1}


def distance_case(metric, n, d, rounds):
    x = matrices(n, d)

    def theirs(some):
        return pairwise_distance(some, metric=metric)

    # Only where pyRiemann goes from pair to pair may its time be scaled by their number.
    part = few_enough(theirs, x) if metric == "logdet" else n
    best = take_turns(
        {
            "dsk": lambda: timed(lambda: dsk.pairwise_distance(x, metric=metric, n_jobs=1), 0.05),
            "pyriemann": lambda: timed(lambda: theirs(x[:part]), 0.05),
        },
        rounds if metric == "logdet" else 3,
    )
    if part == n:
        agree(f"{metric}, n = {n}, d = {d}", best["dsk"][1], best["pyriemann"][1])
    peer = best["pyriemann"][0] * pairs(n) / pairs(part)
    return row(f'pairwise_distance, "{metric}"', n, d, best["dsk"][0], peer, part)


def neighbours_case(n, d, rounds):
    x = matrices(n, d)
    y = np.arange(n) % 3
    half = n // 2
    new = 4 if d > 20 else 8
    ours = dsk.KNeighborsClassifier(n_neighbors=5, n_jobs=1).fit(x[:half], y[:half])
    theirs = KNearestNeighbor(n_neighbors=5, metric="logdet").fit(x[:half], y[:half])
    best = take_turns(
        {
            "dsk": lambda: timed(lambda: ours.predict(x[half:]), 0.05),
            "pyriemann": lambda: timed(lambda: theirs.predict(x[half : half + new]), 0),
        },
        min(rounds, 3),
    )
    return row("k-NN, predict", half, d, best["dsk"][0], best["pyriemann"][0] * (n - half) / new, new)


def covariance_case(estimator, n, channels, times, rounds):
    epochs = np.random.default_rng(1).standard_normal((n, channels, times))
    best = take_turns(
        {
            "dsk": lambda: timed(lambda: dsk.covariance(epochs, estimator, n_jobs=1), 0.05),
            "pyriemann": lambda: timed(lambda: Covariances(estimator).transform(epochs), 0.05),
        },
        rounds,
    )
    agree(f"covariance {estimator}", best["dsk"][1], best["pyriemann"][1])
    return row(f'covariance, "{estimator}", {times} times', n, channels, best["dsk"][0], best["pyriemann"][0], n)


def row(what, n, d, ours, theirs, measured):
    return {"what": what, "n": n, "d": d, "dsk_seconds": ours, "pyriemann_seconds": theirs,
            "pyriemann_measured": measured, "over_pyriemann": theirs / ours}


def measure(folder, ours, rounds):
    beside = [distance_case(metric, n, d, rounds) for metric in METRICS for n, d in DISTANCE_CASES]
    beside += [neighbours_case(n, d, rounds) for n, d in [(1000, 5), (200, 43)]]
    beside += [covariance_case(estimator, 200, 16, 256, rounds) for estimator in ("cov", "oas")]
    return {
        "overhead": [overhead_case(n, d, folder, ours, 3 * rounds) for n, d in OVERHEAD_CASES],
        "beside_pyriemann": beside,
    }


def show(result):
    print("\nThe Python layer: dsk.pairwise_distance beside the same work in C++, one thread")
    for case in result["overhead"]:
        print(f"n {case['n']:>5}, d {case['d']:>3}: {case['cpp_seconds'] * 1e3:.3f} ms in C++,"
              f" {case['python_seconds'] * 1e3:.3f} ms from Python: {case['overhead']:+.1%}")
    print("\nThe Python package beside pyRiemann, one thread; n: matrices, of which k-NN compares as many new ones with")
    print(f"{'':>36} {'n':>5} {'d':>4} {'dsk ms':>9} {'pyRiemann ms':>13} {'ratio':>9}")
    for case in result["beside_pyriemann"]:
        mark = "*" if case["pyriemann_measured"] < case["n"] else " "
        print(f"{case['what']:>36} {case['n']:>5} {case['d']:>4} {case['dsk_seconds'] * 1e3:>9.2f}"
              f" {case['pyriemann_seconds'] * 1e3:>12.1f}{mark} {case['over_pyriemann']:>7.1f}x")
