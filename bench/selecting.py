"""Choosing theta and C of a Stein SVM for 112 classes by cross-validation, beside scikit-learn's SVC on the same kernel matrices."""
import time

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import dsk

CLASSES, EACH, DIM, SAMPLES = 112, 32, 5, 30
RELATIVE_THETAS = [0.0625, 0.25, 1, 4, 16]
CS = [1, 10, 100, 1000]
FOLDS = 5


def data():
    """Covariance matrices of a few samples each, so that about nine of ten are classified correctly."""
    random = np.random.default_rng(0)
    shapes = random.standard_normal((CLASSES, 1, DIM, DIM))
    samples = shapes @ random.standard_normal((CLASSES, EACH, DIM, SAMPLES))
    return (samples @ samples.swapaxes(-1, -2) / SAMPLES).reshape(-1, DIM, DIM), np.repeat(np.arange(CLASSES), EACH)


def timed(work):
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - clock, time.process_time() - processor


def valid(theta):
    return theta if theta > (DIM - 1) / 2 else max(0.5, round(2 * theta) / 2)


def scikit_learn_grid(x, y):
    """The accuracy of each setting; divergences are given, kernels are not."""
    squared = dsk.pairwise_distance(x, squared=True)
    median = np.median(squared[np.triu_indices(len(x), 1)])
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
    right = {}
    for theta in sorted({valid(relative / median) for relative in RELATIVE_THETAS}):
        kernel = np.exp(-theta * squared)
        for train, test in folds:
            of_train, of_test = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
            for c in CS:
                machine = SVC(kernel="precomputed", C=c).fit(of_train, y[train])
                right[theta, c] = right.get((theta, c), 0) + (machine.predict(of_test) == y[test]).sum()
    return {setting: count / len(x) for setting, count in right.items()}


def measure():
    x, y = data()
    ours, clock, processor = timed(lambda: dsk.SVC(theta_range="valid").fit(x, y))
    theirs, their_clock, their_processor = timed(lambda: scikit_learn_grid(x, y))
    return {"n": len(x), "d": DIM, "classes": CLASSES, "thetas": len({theta for theta, _ in theirs}), "seconds": clock,
            "processor_seconds": processor, "sklearn_seconds": their_clock, "sklearn_processor_seconds": their_processor,
            "over_sklearn": their_processor / processor, "validation_accuracy": ours.validation_accuracy_,
            "sklearn_validation_accuracy": max(theirs.values())}


def show(row):
    print(f"\nTheta and C of a Stein SVM by cross-validation, {row['n']} matrices of {row['classes']} classes, d = {row['d']},"
          f" {row['thetas']} thetas, {len(CS)} C, {FOLDS} folds: {row['seconds']:.1f} s, {row['processor_seconds']:.1f} s of processors;"
          f" scikit-learn {row['sklearn_seconds']:.1f} s, {row['sklearn_processor_seconds']:.1f} s: {row['over_sklearn']:.1f}x"
          f" (accuracy {row['validation_accuracy']:.3f} and {row['sklearn_validation_accuracy']:.3f})")
