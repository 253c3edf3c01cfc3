"""Classify the EEG of people from whom there is no training data.

usage: eeg_across_subjects.py [FOLDER]

The data are generated: two classes differ in the strength of two sources, and the electrodes of every subject record
them with gains of their own.
Each subject is left out in turn. Recentring moves the mean of each subject to the unit matrix, without labels, so that subjects can
be compared. Writes eeg_across_subjects.png to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import dsk

SUBJECTS, PER_SUBJECT, CHANNELS, TIMES = 8, 40, 8, 200


def record(generator):
    """Epochs (n, channels, times), the class and the subject of each."""
    common = np.linalg.qr(generator.standard_normal((CHANNELS, CHANNELS)))[0]
    epochs, classes, subjects = [], [], []
    for subject in range(SUBJECTS):
        gains = np.exp(0.5 * generator.standard_normal(CHANNELS))
        head = gains[:, None] * (common + 0.05 * generator.standard_normal((CHANNELS, CHANNELS)))
        for trial in range(PER_SUBJECT):
            strength = np.exp(0.25 * generator.standard_normal(CHANNELS))
            strength[trial % 2] *= 1.6
            epochs.append(head @ (strength[:, None] * generator.standard_normal((CHANNELS, TIMES))))
            classes.append(["left", "right"][trial % 2])
            subjects.append(subject)
    return np.stack(epochs), np.array(classes), np.array(subjects)


def draw(X, y, subjects, results, path):
    """Left and middle: a colour for each subject, a marker for each class."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", width_ratios=[1, 1, 1.2])
    moved = dsk.Recentre("groups").fit_transform(X, groups=subjects)
    for ax, matrices, title in ((axes[0], X, "as recorded"), (axes[1], moved, "recentred by subject")):
        points = dsk.SpectralEmbedding(2).fit_transform(matrices)
        for name, marker in (("left", "o"), ("right", "^")):
            ax.scatter(*points[y == name].T, c=subjects[y == name], cmap="tab10", vmin=0, vmax=9, marker=marker, s=18, linewidths=0)
        ax.set_title(title)
        ax.set_xticks([])
        ax.set_yticks([])
    methods = [row["method"] for row in results["none"]][:-1]
    place = np.arange(len(methods))
    for offset, (how, colour) in enumerate((("none", "#adb5bd"), ("groups", "#2a6f97"))):
        axes[2].barh(place + 0.38 * offset, [100 * row["mean"] for row in results[how]][: len(methods)], 0.36, color=colour,
                     label={"none": "as recorded", "groups": "recentred"}[how])
    axes[2].set_yticks(place + 0.19, methods)
    axes[2].invert_yaxis()
    axes[2].set_xlim(40, 100)
    axes[2].set_xlabel("accuracy, %, on subjects left out")
    axes[2].legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    axes[2].spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    epochs, y, subjects = record(np.random.default_rng(5))
    X = dsk.covariance(epochs, estimator="oas")
    results = {}
    for recentre in ("none", "groups"):
        results[recentre] = dsk.evaluate(X, y, ["MDM", "TS:lr", "SK:svm"], "logo", groups=subjects, recentre=recentre)
        print(f"recentre={recentre!r}\n{results[recentre]}\n")
    draw(X, y, subjects, results, folder / "eeg_across_subjects.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
