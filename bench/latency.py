"""Real time: what a single prediction takes, for every classifier, by the median and the worst of 100,000 calls."""
import numpy as np

from measuring import agree

CASES = [(400, 8), (400, 22)]
CLASSES, QUERIES, CALLS = 4, 100, 100_000
CLASSIFIERS = ("knn", "svm", "mean", "mdm", "mdm-stein", "logistic", "tangent-svm", "pipeline")


def classes(n, d, seed):
    """Covariances of 4 classes, 3 d samples a matrix."""
    shapes = np.random.default_rng(d).standard_normal((CLASSES, d, d)) / np.sqrt(d)
    shapes = np.linalg.cholesky(0.5 * shapes @ shapes.transpose(0, 2, 1) + np.eye(d))
    samples = shapes[np.arange(n) % CLASSES] @ np.random.default_rng(seed).standard_normal((n, d, 3 * d))
    return samples @ samples.transpose(0, 2, 1) / samples.shape[2]


def case(classifier, n, d, file, ours):
    request = {"what": "latency", "classifier": classifier, "file": file, "n": n, "queries": QUERIES, "d": d, "classes": CLASSES}
    one = ours.reply(calls=CALLS, **request)
    batch = ours.reply(batch=True, budget=0.1, **request)
    agree(f"{classifier} one by one and as a batch, d = {d}", one["checksum"], batch["checksum"] * CALLS / QUERIES, 0)
    return {"classifier": classifier, "trained": n, "d": d, "calls": CALLS, "median_seconds": one["seconds"],
            "worst_seconds": one["worst"], "batch_seconds_each": batch["seconds"] / QUERIES}


def measure(folder, ours):
    rows = []
    for n, d in CASES:
        file = str(folder / f"latency_{d}.npy")
        np.save(file, np.concatenate([classes(n, d, 1), classes(QUERIES, d, 2)]))
        rows += [case(classifier, n, d, file, ours) for classifier in CLASSIFIERS]
    return rows


def show(result):
    print(f"\nOne prediction at a time, {CALLS:,} calls, {CLASSES} classes")
    print(f"{'classifier':<12} {'trained':>8} {'d':>4} {'median us':>10} {'worst us':>9} {'in a batch of 100, us each':>27}")
    for row in result:
        print(f"{row['classifier']:<12} {row['trained']:>8} {row['d']:>4} {row['median_seconds'] * 1e6:>10.1f}"
              f" {row['worst_seconds'] * 1e6:>9.1f} {row['batch_seconds_each'] * 1e6:>27.1f}")
