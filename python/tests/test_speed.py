"""What the Python layer costs, with bounds that hold on a busy machine; ./run bench --only python has the figures."""
import time

from pyriemann.geometry.distance import pairwise_distance as pyriemann_distance

import dsk


def shortest(*works, rounds=60):
    """Shortest time of each, taking turns."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def test_python_adds_less_than_a_twentieth():
    # What the layer does takes the same time for any number of matrices, since it copies none.
    many, two = dsk.random_spd(1000, 5), dsk.random_spd(2, 5)
    whole, layer = shortest(lambda: dsk.pairwise_distance(many, n_jobs=1), lambda: dsk.pairwise_distance(two, n_jobs=1))
    assert layer < 0.05 * whole


def test_distances_are_more_than_a_thousand_times_faster_than_pyriemanns():
    x, part = dsk.random_spd(1000, 5), 60
    (ours,) = shortest(lambda: dsk.pairwise_distance(x, n_jobs=1), rounds=30)
    (theirs,) = shortest(lambda: pyriemann_distance(x[:part], metric="logdet"), rounds=3)
    pairs, pairs_of_part = 1000 * 999 / 2, part * (part - 1) / 2
    assert theirs / pairs_of_part > 1000 * ours / pairs
