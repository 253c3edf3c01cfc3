"""Learning: value and gradient of criteria, beside NumPy and scikit-learn, and how time and memory grow."""
import pathlib

import numpy as np

from learning_peers import Alignment, LogEuclideanAlignment, RadiusMargin, SubspaceAlignment
from measuring import Program, agree, matrices, take_turns, timed

ALIGNMENT_CASES = [(1000, 5), (500, 16), (200, 43), (100, 100), (60, 200)]
LOG_EUCLIDEAN_CASES = [(1000, 16), (200, 43)]
SUBSPACE_CASES = [(1000, 24, 6), (200, 200, 16)]
FINITE_DIFFERENCES_CASE = (200, 43)
RADIUS_MARGIN_CLASSES, RADIUS_MARGIN_EACH, RADIUS_MARGIN_DIM = 112, 32, 5
SCALING_COUNTS, SCALING_DIM = (5000, 10000, 20000), 5
CLASSES = 4


def labels(n, classes):
    return np.arange(n) % classes


def alpha(d):
    """Some adjustment other than none; the same formula as in the benchmark program."""
    return 1 + 0.05 * np.cos(np.arange(d))


def widths(x):
    """A theta that makes typical kernel values 1/e."""
    sample = Alignment(x[:20], labels(20, 2))
    return 1 / np.median(sample.stein(x[:20])[np.triu_indices(20, 1)])


def saved(folder, n, d):
    x = matrices(n, d)
    file = str(folder / f"learning_{n}_{d}.npy")
    np.save(file, x)
    return x, file


def total(result):
    value, gradient = result
    return value + gradient.sum()


def alignment_case(n, d, folder, ours, rounds):
    x, file = saved(folder, n, d)
    theta = widths(x)
    peer = Alignment(x, labels(n, CLASSES))
    request = {"file": file, "n": n, "d": d, "theta": theta, "classes": CLASSES, "budget": 0.1}
    contenders = {
        "dsk": lambda: ours(what="criterion", criterion="alignment", **request),
        "gram": lambda: ours(what="gram", **request),
        "numpy": lambda: timed(lambda: total(peer.value_and_gradient(alpha(d), theta)), 0),
    }
    best = take_turns(contenders, rounds)
    agree(f"alignment, n = {n}, d = {d}", best["dsk"][1], best["numpy"][1])
    row = {"n": n, "d": d, "theta": theta, "dsk_seconds": best["dsk"][0], "numpy_seconds": best["numpy"][0]}
    row["over_numpy"] = row["numpy_seconds"] / row["dsk_seconds"]
    row["over_gram"] = row["dsk_seconds"] / best["gram"][0]
    if (n, d) == FINITE_DIFFERENCES_CASE:
        row["finite_differences_seconds"], checksum = timed(lambda: total(peer.finite_differences(alpha(d), theta)), 0)
        agree("finite differences", checksum, best["dsk"][1], 1e-3)
    return row


def log_euclidean_case(n, d, folder, ours, rounds):
    x, file = saved(folder, n, d)
    theta = 1 / (2 * d)
    peer = LogEuclideanAlignment(x, labels(n, CLASSES))
    request = {"file": file, "n": n, "d": d, "theta": theta, "classes": CLASSES, "budget": 0.1}
    best = take_turns(
        {
            "dsk": lambda: ours(what="criterion", criterion="alignment", metric="logeuclidean", **request),
            "numpy": lambda: timed(lambda: total(peer.value_and_gradient(alpha(d), theta)), 0),
        },
        rounds,
    )
    agree(f"log-Euclidean alignment, n = {n}, d = {d}", best["dsk"][1], best["numpy"][1], 1e-6)
    return {"n": n, "d": d, "dsk_seconds": best["dsk"][0], "numpy_seconds": best["numpy"][0],
            "over_numpy": best["numpy"][0] / best["dsk"][0]}


def subspace_case(n, d, components, folder, ours, rounds):
    x, file = saved(folder, n, d)
    peer = SubspaceAlignment(x, labels(n, CLASSES), components)
    request = {"file": file, "n": n, "d": d, "components": components, "classes": CLASSES, "budget": 0.1}
    best = take_turns(
        {
            "dsk": lambda: ours(what="subspace", **request),
            "numpy": lambda: timed(lambda: peer.value_and_gradient()[0], 0),
        },
        min(rounds, 3),
    )
    agree(f"subspace, n = {n}, {d} to {components}", best["dsk"][1], best["numpy"][1], 1e-6)
    return {"n": n, "d": d, "components": components, "dsk_seconds": best["dsk"][0], "numpy_seconds": best["numpy"][0],
            "over_numpy": best["numpy"][0] / best["dsk"][0]}


def radius_margin_case(folder, ours, rounds):
    n, d = RADIUS_MARGIN_CLASSES * RADIUS_MARGIN_EACH, RADIUS_MARGIN_DIM
    x, file = saved(folder, n, d)
    theta, c = widths(x), 10.0
    peer = RadiusMargin(x, labels(n, RADIUS_MARGIN_CLASSES))
    request = {"file": file, "n": n, "d": d, "theta": theta, "classes": RADIUS_MARGIN_CLASSES, "c": c}
    best = take_turns({"dsk": lambda: ours(what="criterion", criterion="radius-margin", budget=0.1, **request)}, min(rounds, 3))
    seconds, checksum = timed(lambda: total(peer.value_and_gradient(alpha(d), theta, c)), 0)
    agree("radius margin", best["dsk"][1], checksum, 1e-2)
    return {"n": n, "d": d, "classes": RADIUS_MARGIN_CLASSES, "dsk_seconds": best["dsk"][0], "peer_seconds": seconds,
            "ratio": seconds / best["dsk"][0]}


def peak_megabytes(program):
    for line in pathlib.Path(f"/proc/{program.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM in /proc")


def scaling_case(n, d, folder, path):
    x, file = saved(folder, n, d)
    program = Program(path)
    program(what="fma_peak", budget=0)
    before = peak_megabytes(program)
    seconds, _ = program(what="criterion", criterion="alignment", file=file, n=n, d=d, theta=widths(x), classes=CLASSES, budget=0)
    above = peak_megabytes(program) - before - x.nbytes / 2**20
    return {"n": n, "d": d, "dsk_seconds": seconds, "ns_per_pair": seconds / (n * (n - 1) / 2) * 1e9, "megabytes_above_data": above}


def measure(folder, ours, path, rounds):
    alignment = [alignment_case(n, d, folder, ours, min(rounds, 5)) for n, d in ALIGNMENT_CASES]
    slow = next(row for row in alignment if "finite_differences_seconds" in row)
    return {
        "alignment": alignment,
        "log_euclidean": [log_euclidean_case(*case, folder, ours, rounds) for case in LOG_EUCLIDEAN_CASES],
        "subspace": [subspace_case(*case, folder, ours, rounds) for case in SUBSPACE_CASES],
        "finite_differences": {"n": slow["n"], "d": slow["d"], "ratio": slow["finite_differences_seconds"] / slow["dsk_seconds"]},
        "radius_margin": radius_margin_case(folder, ours, rounds),
        "scaling": [scaling_case(n, SCALING_DIM, folder, path) for n in SCALING_COUNTS],
    }


def show(result):
    print("\nValue and gradient of alignment; NumPy with the same formula")
    print(f"{'n':>5} {'d':>4} {'dsk ms':>9} {'NumPy ms':>10} {'ratio':>8} {'times our kernel matrix':>24}")
    for row in result["alignment"]:
        print(f"{row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.2f} {row['numpy_seconds'] * 1e3:>10.0f}"
              f" {row['over_numpy']:>7.0f}x {row['over_gram']:>24.2f}")
    print("One step of learning the log-Euclidean kernel: value and gradient of alignment; NumPy by products of matrices")
    for row in result["log_euclidean"]:
        print(f"{row['n']:>5} {row['d']:>4}: {row['dsk_seconds'] * 1e3:.2f} ms, NumPy {row['numpy_seconds'] * 1e3:.1f} ms:"
              f" {row['over_numpy']:.1f}x")
    print("One step of learning a subspace: value and gradient of centred alignment; NumPy with the same formula")
    for row in result["subspace"]:
        print(f"{row['n']:>5} {row['d']:>4} to {row['components']}: {row['dsk_seconds'] * 1e3:.1f} ms,"
              f" NumPy {row['numpy_seconds'] * 1e3:.0f} ms: {row['over_numpy']:.0f}x")
    slow = result["finite_differences"]
    print(f"against finite differences over kernel matrices, NumPy, n {slow['n']}, d {slow['d']}: {slow['ratio']:.0f}x")
    margin = result["radius_margin"]
    print(f"radius margin, {margin['classes']} classes, n {margin['n']}, d {margin['d']}: {margin['dsk_seconds'] * 1e3:.0f} ms,"
          f" scikit-learn and NumPy {margin['peer_seconds']:.1f} s: {margin['ratio']:.0f}x")
    for row in result["scaling"]:
        print(f"alignment, n {row['n']:>5}, d {row['d']}: {row['dsk_seconds']:.2f} s, {row['ns_per_pair']:.1f} ns per pair,"
              f" {row['megabytes_above_data']:.0f} MB above the data")
