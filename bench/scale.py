"""Training and prediction by Nystrom features: time and memory over n, and accuracy beside the exact machine.

Ten Wishart classes of matrices of size 5 (30 degrees of freedom, tau = 0.5), all cores. Settings that cross-validation
chose on 2,000 matrices are given to the exact machine too, which could not choose them on more in reasonable time.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

import dsk

SIZES = [20_000, 50_000, 100_000, 200_000]
LANDMARKS = [250, 500, 1000]
EXACT_SIZES = [1000, 2000, 4000, 8000]
CHOICES = ["adaptive", "greedy", "uniform"]
TESTED = 10_000
NARROW_THETA = 20  # so large that matrices tell little of each other
NEIGHBOUR_SIZES = [5, 16, 43]
LIBLINEAR = """
import sys, time, warnings, numpy
from sklearn.svm import LinearSVC
warnings.simplefilter("ignore")
x, y = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
start = time.perf_counter()
LinearSVC(loss="hinge", C=1, random_state=0).fit(x, y)
print(time.perf_counter() - start)
"""


def all_cores():
    return {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}


def peak_megabytes(process):
    """Of its memory so far; 0 when it has ended. Unlike getrusage, without what the parent had when it forked."""
    try:
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return max((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), default=0)


def run(*arguments):
    """Seconds and peak megabytes of a process of its own, and what it says."""
    start = time.perf_counter()
    process = subprocess.Popen([str(a) for a in arguments], env=all_cores(), stdout=subprocess.PIPE, text=True)
    megabytes = 0
    while process.poll() is None:
        megabytes = max(megabytes, peak_megabytes(process))
        time.sleep(0.02)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))} failed")
    return time.perf_counter() - start, megabytes, process.stdout.read()


def wishart(file, count, seed):
    x, y = dsk.make_wishart_classes(n_classes=10, n_per_class=count // 10, dim=5, degrees=30, tau=0.5, random_state=seed)
    np.savez(file, X=x, y=y)
    return file


def train(program, data, folder, *flags):
    facts = folder / "facts.json"
    seconds, megabytes, _ = run(program, "train", data, "--classifier", "svm", "-o", folder / "m.dsk", "--json", facts, *flags)
    return seconds, megabytes, json.loads(facts.read_text())


def predict(program, data, folder):
    facts = folder / "facts.json"
    seconds, megabytes, _ = run(program, "predict", folder / "m.dsk", data, "-o", folder / "labels.csv", "--json", facts)
    return seconds, megabytes, json.loads(facts.read_text())["accuracy"]


def scaling(program, folder, sizes):
    test = wishart(folder / "test.npz", TESTED, 2)
    rows = []
    for n in sizes:
        data = wishart(folder / "train.npz", n, 1)
        for landmarks in LANDMARKS:
            # Given, because choosing them takes the same time for every n: that is `choosing_seconds`.
            seconds, megabytes, facts = train(program, data, folder, "--approximate", f"nystrom:{landmarks}", "--theta", 2, "--C", 1, "--folds", 2)
            _, _, accuracy = predict(program, test, folder)
            predicting, predicting_megabytes, _ = predict(program, data, folder)
            rows.append({"n": n, "landmarks": landmarks, "seconds": seconds, "megabytes": megabytes,
                         "residual_share": facts["residual_share"], "sample": facts["sample"], "accuracy": accuracy,
                         "predicting_seconds": predicting, "predicting_megabytes": predicting_megabytes})
    return rows


def choosing(program, folder):
    data = wishart(folder / "train.npz", SIZES[0], 1)
    free = train(program, data, folder, "--approximate", f"nystrom:{LANDMARKS[0]}")
    given = train(program, data, folder, "--approximate", f"nystrom:{LANDMARKS[0]}", "--theta", 2, "--C", 1, "--folds", 2)
    return {"seconds": free[0] - given[0], "theta": free[2]["theta"], "C": free[2]["C"]}


def beside_exact(program, folder, name, data, test, *settings):
    """Chooses on 2,000 matrices, then trains the exact machine and those in features with the same settings."""
    _, _, chosen = train(program, data, folder, "--approximate", f"nystrom:{LANDMARKS[0]}", *settings)
    given = ["--theta", chosen["theta"], "--C", chosen["C"], "--folds", 2]
    row = {"data": name, "n": chosen["n"], "theta": chosen["theta"], "C": chosen["C"], "approximate": []}
    row["exact_seconds"], row["exact_megabytes"], _ = train(program, data, folder, *given)
    _, _, row["exact"] = predict(program, test, folder)
    for landmarks in LANDMARKS:
        for choice in CHOICES:
            if landmarks > chosen["n"]:
                continue
            seconds, megabytes, facts = train(program, data, folder, "--approximate", f"nystrom:{landmarks}", "--landmarks", choice, *given)
            _, _, accuracy = predict(program, test, folder)
            row["approximate"].append({"landmarks": landmarks, "choice": choice, "accuracy": accuracy, "seconds": seconds,
                                       "megabytes": megabytes, "residual_share": facts["residual_share"]})
    return row


def halves(file, folder):
    """A labelled data set, each class in two random halves."""
    whole = np.load(file)
    part = np.empty(len(whole["y"]), dtype=bool)
    random = np.random.default_rng(0)
    for name in np.unique(whole["y"]):
        members = random.permutation(np.flatnonzero(whole["y"] == name))
        part[members] = np.arange(len(members)) < len(members) / 2
    files = folder / "half.npz", folder / "other_half.npz"
    for path, chosen in zip(files, (part, ~part)):
        np.savez(path, X=whole["X"][chosen], y=whole["y"][chosen])
    return files


def neighbours(program, folder, d):
    """Prediction of 4,000 matrices by 4,000 others, exact and in features."""
    x, y = dsk.make_wishart_classes(n_classes=10, n_per_class=800, dim=d, degrees=4 * d, tau=0.5, random_state=1)
    np.savez(folder / "train.npz", X=x[::2], y=y[::2])
    np.savez(folder / "test.npz", X=x[1::2], y=y[1::2])
    row = {"n": len(x) // 2, "d": d, "found": []}
    for landmarks in [None, *LANDMARKS]:
        flags = [] if landmarks is None else ["--approximate", f"nystrom:{landmarks}"]
        run(program, "train", folder / "train.npz", "--neighbours", 5, "--folds", 2, "-o", folder / "m.dsk", *flags)
        seconds, megabytes, accuracy = predict(program, folder / "test.npz", folder)
        row["found"].append({"landmarks": landmarks, "seconds": seconds, "megabytes": megabytes, "accuracy": accuracy})
    return row


def beside_liblinear(program, folder):
    """One pair of classes of the 200,000: 40,000 rows of 1,000 features."""
    x, y = dsk.make_wishart_classes(n_classes=2, n_per_class=20_000, dim=5, degrees=30, tau=0.5, random_state=1)
    np.savez(folder / "pair.npz", X=x, y=y)
    landmarks = x[np.random.default_rng(0).permutation(len(x))[:1000]]
    factor = np.linalg.cholesky(dsk.kernel(landmarks, theta=2) + 1e-10 * np.eye(1000))
    np.save(folder / "features.npy", np.linalg.solve(factor, dsk.kernel(landmarks, x, theta=2)).T.copy())
    np.save(folder / "y.npy", y)
    _, liblinear_megabytes, text = run(sys.executable, "-c", LIBLINEAR, folder / "features.npy", folder / "y.npy")
    seconds, megabytes, _ = train(program, folder / "pair.npz", folder, "--approximate", "nystrom:1000", "--theta", 2, "--C", 1, "--folds", 2)
    return {"rows": len(x), "features": 1000, "liblinear_seconds": float(text), "liblinear_megabytes": liblinear_megabytes,
            "dsk_whole_training_seconds": seconds, "dsk_megabytes": megabytes}


def measure(folder, program, matrices=None):
    result = {"scaling": scaling(program, folder, SIZES), "choosing": choosing(program, folder), "exact": []}
    test = wishart(folder / "test.npz", TESTED, 2)
    for n in EXACT_SIZES:
        result["exact"].append(beside_exact(program, folder, "wishart", wishart(folder / "train.npz", n, 1), test))
    narrow = ("--theta", NARROW_THETA, "--C", 1)
    result["exact"].append(beside_exact(program, folder, "wishart", folder / "train.npz", test, *narrow))
    if matrices is not None:
        result["exact"].append(beside_exact(program, folder, matrices.stem, *halves(matrices, folder)))
    result["neighbours"] = [neighbours(program, folder, d) for d in NEIGHBOUR_SIZES]
    result["liblinear"] = beside_liblinear(program, folder)
    return result


def show(result):
    print("\nNystrom features, SVM, 10 Wishart classes, d = 5, all cores; predict classifies the n training matrices")
    print(f"{'n':>7} {'m':>5} {'train s':>8} {'MB':>6} {'predict s':>10} {'MB':>6} {'residual':>9} {'accuracy':>9}")
    for row in result["scaling"]:
        print(f"{row['n']:>7} {row['landmarks']:>5} {row['seconds']:>8.1f} {row['megabytes']:>6.0f} {row['predicting_seconds']:>10.1f}"
              f" {row['predicting_megabytes']:>6.0f} {row['residual_share']:>9.4f} {row['accuracy']:>9.4f}")
    chosen = result["choosing"]
    print(f"choosing theta and C on 2,000 matrices takes {chosen['seconds']:.0f} s more, whatever n; theta {chosen['theta']:.3g}, C {chosen['C']:.3g}")
    print("\nBeside the exact machine with the same theta and C, in percent of the test set")
    for row in result["exact"]:
        print(f"{row['data']}, n = {row['n']}, theta {row['theta']:.3g}, C {row['C']:.3g}: exact {100 * row['exact']:.2f},"
              f" {row['exact_seconds']:.1f} s, {row['exact_megabytes']:.0f} MB")
        for found in row["approximate"]:
            print(f"    m = {found['landmarks']:>4}, {found['choice']:<8} {100 * found['accuracy']:>6.2f} ({100 * (found['accuracy'] - row['exact']):+.2f}),"
                  f" residual {found['residual_share']:.4f}, {found['seconds']:.1f} s, {found['megabytes']:.0f} MB")
    print("\n5 neighbours of 4,000 matrices among 4,000: seconds of dsk predict and percent right")
    for row in result["neighbours"]:
        print(f"d = {row['d']:>2}: " + "; ".join(
            f"{'exact' if found['landmarks'] is None else 'm = %d' % found['landmarks']} {found['seconds']:.2f} s, {100 * found['accuracy']:.1f}"
            for found in row["found"]))
    pair = result["liblinear"]
    print(f"\nOne machine, {pair['rows']} rows of {pair['features']} features: LIBLINEAR (scikit-learn's LinearSVC) {pair['liblinear_seconds']:.1f} s,"
          f" {pair['liblinear_megabytes']:.0f} MB; dsk train with landmarks and features {pair['dsk_whole_training_seconds']:.1f} s, {pair['dsk_megabytes']:.0f} MB")
