"""A pyRiemann pipeline for motor imagery, unchanged, without and with dsk.patch_pyriemann.

usage: pyriemann_motor_imagery.py

Epochs of two classes are generated. Covariances, minimum distance to mean and tangent space classifiers are compared by
cross-validation: the patch changes the time, not the results.
"""
import time

import numpy as np
from pyriemann.classification import MDM, FgMDM, TSClassifier
from pyriemann.estimation import Covariances
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import dsk

EPOCHS, CHANNELS, TIMES = 120, 16, 128


def record(generator):
    """Epochs (n, channels, times) and the class of each: a source that is stronger in one of them."""
    y = np.arange(EPOCHS) % 2
    patterns = generator.standard_normal((CHANNELS, 2))
    sources = generator.standard_normal((EPOCHS, 2, TIMES))
    sources[np.arange(EPOCHS), y] *= 1.7
    return patterns @ sources + 2 * generator.standard_normal((EPOCHS, CHANNELS, TIMES)), y


def accuracies(epochs, y):
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    classifiers = {"MDM": MDM(), "FgMDM": FgMDM(), "tangent space": TSClassifier()}
    return {
        name: cross_val_score(make_pipeline(Covariances("oas"), classifier), epochs, y, cv=folds)
        for name, classifier in classifiers.items()
    }


def main():
    epochs, y = record(np.random.default_rng(1))
    start = time.perf_counter()
    before = accuracies(epochs, y)
    middle = time.perf_counter()
    with dsk.patch_pyriemann() as patch:
        after = accuracies(epochs, y)
    end = time.perf_counter()
    for name in before:
        assert np.array_equal(before[name], after[name]), name
        print(f"{name:>14}: {after[name].mean():.3f}")
    print(f"pyRiemann alone {middle - start:.2f} s, with the patch {end - middle:.2f} s")
    print(patch.report())


if __name__ == "__main__":
    main()
