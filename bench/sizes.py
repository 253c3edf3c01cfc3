"""Every metric from d = 2 to 2,000 beside NumPy with SciPy and pyRiemann: one thread, all pairs of a few matrices.

Times are those of the processor, not of the clock, so that other jobs on the machine disturb less.
"""
import math
import time

import numpy as np
import scipy.linalg
from pyriemann.geometry.base import powm
from pyriemann.geometry.distance import pairwise_distance
from scipy.spatial.distance import pdist, squareform

import dsk
import peers
from measuring import agree, matrices

DIMS = [2, 5, 8, 16, 24, 32, 48, 64, 96, 128, 200, 300, 400, 600, 1000, 2000]
LONG = 1.0  # seconds after which a contender gets no second turn
COLOURS = ["#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7b4b94", "#00798c", "#8d6a4f", "#444444", "#c75dab", "#6a994e", "#3a5a9b", "#b5651d", "#999999"]


def count(d):
    """How many matrices: fewer, the longer a pair takes."""
    return 64 if d <= 32 else 24 if d <= 64 else 12 if d <= 128 else 8 if d <= 400 else 4 if d <= 1000 else 2


def rows_of(x):
    return squareform(pdist(x.reshape(len(x), -1)))


def function_of(x, f):
    values, vectors = np.linalg.eigh(x)
    return (vectors * f(values)[:, None, :]) @ vectors.transpose(0, 2, 1)


def over_pairs(x, work, symmetric=True):
    result = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i + 1 if symmetric else 0, len(x)):
            if i != j:
                result[i, j] = work(i, j)
    return result + result.T if symmetric else result


def kullback(x):
    inverses, logdets = np.linalg.inv(x), np.linalg.slogdet(x)[1]
    traces = x.reshape(len(x), -1) @ inverses.reshape(len(x), -1).T
    return (traces - x.shape[-1] + logdets[None, :] - logdets[:, None]) / 2


def log_cholesky(x):
    lower = np.linalg.cholesky(x)
    diagonal = np.arange(x.shape[-1])
    lower[:, diagonal, diagonal] = np.log(lower[:, diagonal, diagonal])
    return rows_of(lower)


def wasserstein(x):
    factors, traces = np.linalg.cholesky(x), np.trace(x, axis1=1, axis2=2)
    return over_pairs(x, lambda i, j: math.sqrt(max(0, traces[i] + traces[j] - 2 * scipy.linalg.svdvals(factors[i].T @ factors[j]).sum())))


# Of each metric: as a careful user of NumPy and SciPy computes it, and as pyRiemann does.
CONTENDERS = {
    "airm": (lambda x: over_pairs(x, lambda i, j: math.sqrt((np.log(scipy.linalg.eigvalsh(x[i], x[j])) ** 2).sum())), "riemann"),
    "cholesky": (lambda x: rows_of(np.linalg.cholesky(x)), "chol"),
    "euclidean": (rows_of, "euclid"),
    "harmonic": (lambda x: rows_of(np.linalg.inv(x)), "harmonic"),
    "kullback": (kullback, "kullback"),
    "kullback_right": (lambda x: kullback(x).T, "kullback_right"),
    "kullback_sym": (lambda x: kullback(x) + kullback(x).T, "kullback_sym"),
    "logcholesky": (log_cholesky, "logchol"),
    "logeuclidean": (lambda x: rows_of(function_of(x, np.log)), "logeuclid"),
    "powereuclidean": (lambda x: rows_of(function_of(x, np.sqrt)) * 2, None),
    "stein": (lambda x: np.sqrt(np.maximum(0, peers.NumpyStein(*x.shape[:2])(x))), "logdet"),
    "thompson": (lambda x: over_pairs(x, lambda i, j: np.abs(np.log(scipy.linalg.eigvalsh(x[i], x[j]))).max()), "thompson"),
    "wasserstein": (wasserstein, "wasserstein"),
}


def pyriemann_of(metric):
    name = CONTENDERS[metric][1]
    # pyRiemann has no pairwise power-Euclidean distance; its own powm and Euclidean distances make one.
    return (lambda x: pairwise_distance(x, metric=name)) if name else lambda x: pairwise_distance(powm(x, 0.5), metric="euclid") * 2


def shortest(contenders, rounds):
    """In turns; who takes long has one turn, who takes little several calls each."""
    best, sums = {}, {}
    for turn in range(rounds):
        for name, work in contenders.items():
            if turn > 0 and best[name] > LONG:
                continue
            spent = 0.0
            while spent < 0.01:
                start = time.process_time()
                result = work()
                seconds = time.process_time() - start
                spent += seconds
                best[name] = min(best.get(name, float("inf")), seconds)
                sums[name] = float(np.sum(result))
    return best, sums


def measure(rounds, dims=DIMS):
    rows = []
    for d in dims:
        x = matrices(count(d), d)
        for metric, (numpy_work, _) in CONTENDERS.items():
            theirs = pyriemann_of(metric)
            best, sums = shortest(
                {
                    "dsk": lambda: dsk.pairwise_distance(x, metric=metric, n_jobs=1),
                    "numpy": lambda: numpy_work(x),
                    "pyriemann": lambda: theirs(x),
                },
                rounds,
            )
            for other in ("numpy", "pyriemann"):
                agree(f"{metric}, d = {d}, dsk and {other}", sums["dsk"], sums[other], 1e-5)
            rows.append({"metric": metric, "n": len(x), "d": d, **{f"{name}_seconds": seconds for name, seconds in best.items()},
                         "over_numpy": best["numpy"] / best["dsk"], "over_pyriemann": best["pyriemann"] / best["dsk"]})
    return rows


def show(rows):
    for other, name in (("over_pyriemann", "pyRiemann"), ("over_numpy", "NumPy with SciPy")):
        dims = sorted({row["d"] for row in rows})
        print(f"\nHow many times faster than {name} dsk.pairwise_distance is, by matrix size")
        print(f"{'':>15}" + "".join(f"{d:>7}" for d in dims))
        for metric in CONTENDERS:
            ratios = {row["d"]: row[other] for row in rows if row["metric"] == metric}
            print(f"{metric:>15}" + "".join(f"{ratios[d]:>7.1f}" if d in ratios else " " * 7 for d in dims))
    below = [f"{row['metric']} at {row['d']}" for row in rows if min(row["over_numpy"], row["over_pyriemann"]) < 1]
    print("\nslower than a peer: " + (", ".join(below) or "nowhere"))


def plot(rows, file):
    """Ratios to the faster of the two peers over the size, both logarithmic."""
    width, height, left, right, top, bottom = 900, 480, 60, 150, 40, 50
    low, high = math.log10(0.5), math.log10(1000)
    dims = sorted({row["d"] for row in rows})
    first, last = math.log(dims[0]), math.log(max(dims[-1], dims[0] + 1))

    def across(d):
        return left + (math.log(d) - first) / (last - first) * (width - left - right)

    def down(ratio):
        return top + (high - min(max(math.log10(ratio), low), high)) / (high - low) * (height - top - bottom)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{left}" y="20" font-size="14">Times faster than the faster of pyRiemann and NumPy with SciPy, one thread</text>']
    for ratio in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        y = down(ratio)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{"#000" if ratio == 1 else "#ddd"}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{ratio:g}</text>')
    for d in dims:
        parts.append(f'<text x="{across(d):.1f}" y="{height - bottom + 18}" text-anchor="middle">{d}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">size d of the matrices</text>')
    for k, metric in enumerate(CONTENDERS):
        points = [(across(row["d"]), down(min(row["over_numpy"], row["over_pyriemann"]))) for row in rows if row["metric"] == metric]
        colour = COLOURS[k % len(COLOURS)]
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
        y = top + 16 * k + 10
        parts.append(f'<line x1="{width - right + 12}" x2="{width - right + 32}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{width - right + 38}" y="{y}">{metric}</text>')
    file.write_text("\n".join(parts) + "\n</svg>\n")
    print(f"plot written to {file}")
