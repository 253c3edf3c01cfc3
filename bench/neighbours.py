"""Nearest neighbours: predictions beside pyRiemann's and beside computing all our distances, and what one matrix takes."""
import numpy as np
from pyriemann.classification import KNearestNeighbor

from measuring import agree, take_turns, timed

DIMS = (5, 16, 43, 100)
TRAINED, CLASSES, NEIGHBOURS = 2000, 20, 5
QUERIES = {5: 200, 16: 100, 43: 40, 100: 10}
LONGEST_PEER = 0.5  # seconds


def classes(n, d, seed):
    """Samples of 20 classes whose covariances differ as textures' do, 2 d + 60 samples a matrix."""
    shapes = np.random.default_rng(d).standard_normal((CLASSES, d, d)) * 2 / np.sqrt(d)
    shapes = np.linalg.cholesky(shapes @ shapes.transpose(0, 2, 1) + np.diag(np.linspace(1, 3, d)))
    samples = np.random.default_rng(seed).standard_normal((n, d, 2 * d + 60))
    samples = shapes[np.arange(n) % CLASSES] @ samples
    return samples @ samples.transpose(0, 2, 1) / samples.shape[2]


def case(d, folder, ours, rounds):
    trained, queries = classes(TRAINED, d, 1), classes(QUERIES[d], d, 2)
    labels = np.arange(TRAINED) % CLASSES
    file = str(folder / f"neighbours_{d}.npy")
    np.save(file, np.concatenate([trained, queries]))
    peer = KNearestNeighbor(n_neighbors=NEIGHBOURS, metric="logdet").fit(trained, labels)
    seconds, _ = timed(lambda: peer.predict(queries[:1]), 0)
    part = min(len(queries), max(1, int(LONGEST_PEER / seconds)))
    request = {"file": file, "n": TRAINED, "queries": len(queries), "d": d, "classes": CLASSES, "neighbours": NEIGHBOURS}

    def run(search):
        return lambda: ours(what="neighbours", search=search, budget=0.1, **request)

    best = take_turns({"dsk": run("automatic"), "whole": run("whole"), "one": run("one"), "work": run("work"), "set-up": run("set-up"),
                       "pyriemann": lambda: timed(lambda: peer.predict(queries[:part]), 0)}, rounds)
    agree(f"neighbours, d = {d}", best["dsk"][1], best["whole"][1], 0)
    agree(f"neighbours one by one, d = {d}", best["one"][1], best["whole"][1], 0)
    if part == len(queries):
        agree(f"neighbours and pyRiemann's, d = {d}", best["dsk"][1], best["pyriemann"][1], 0)
    each = {name: best[name][0] / len(queries) for name in ("dsk", "whole", "one")}
    theirs = best["pyriemann"][0] / part
    return {"d": d, "trained": TRAINED, "neighbours": NEIGHBOURS, "queries": len(queries), "dsk_seconds_each": each["dsk"],
            "whole_seconds_each": each["whole"], "latency_seconds": each["one"], "set_up_seconds": best["set-up"][0],
            "share_of_work": best["work"][1] / len(queries), "pyriemann_seconds_each": theirs,
            "pyriemann_matrices_measured": part, "over_pyriemann": theirs / each["dsk"], "over_whole": each["whole"] / each["dsk"]}


def measure(folder, ours, rounds):
    return [case(d, folder, ours, rounds) for d in DIMS]


def show(result):
    print(f"\nk-NN, {TRAINED} training matrices of {CLASSES} classes, k = {NEIGHBOURS}; time of a prediction")
    print(f"{'d':>4} {'dsk us':>9} {'one alone us':>13} {'all distances us':>17} {'pyRiemann ms':>13} {'x pyRiemann':>12}"
          f" {'x all distances':>16} {'share of work':>14} {'set-up ms':>10}")
    for row in result:
        print(f"{row['d']:>4} {row['dsk_seconds_each'] * 1e6:>9.1f} {row['latency_seconds'] * 1e6:>13.1f}"
              f" {row['whole_seconds_each'] * 1e6:>17.1f} {row['pyriemann_seconds_each'] * 1e3:>13.1f} {row['over_pyriemann']:>11.0f}x"
              f" {row['over_whole']:>15.2f}x {row['share_of_work']:>14.2f} {row['set_up_seconds'] * 1e3:>10.1f}")
