"""Classify EEG epochs by the hand that was moved, with pipelines of pyRiemann and dsk estimators.

usage: eeg_epochs.py [FOLDER]

The data are generated: eight channels record two rhythms of the motor cortex, and moving a hand weakens the rhythm on the other
side. The three subjects differ in how the rhythms reach the channels. Pipelines are compared by leaving out one run of a subject at a time. Writes
eeg_epochs.png to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from pyriemann.classification import MDM
from pyriemann.estimation import Covariances
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import dsk

CHANNELS = ["FC3", "C3", "CP3", "Cz", "Pz", "CP4", "C4", "FC4"]
RATE, SECONDS, RUNS, PER_RUN = 128, 2, 4, 24
SUBJECTS = 3


def record(generator):
    """One subject: epochs (n, channels, times) in microvolts, the hand moved, the run of each epoch."""
    position = np.linspace(-1, 1, len(CHANNELS))
    left, right = (np.exp(-((position - side) ** 2) / 0.25) for side in (-0.6, 0.6))
    patterns = np.stack([left, right]) * generator.uniform(0.7, 1.3, (2, len(CHANNELS)))
    blend = np.eye(len(CHANNELS)) + 0.35 * generator.standard_normal((len(CHANNELS),) * 2)
    times = np.arange(RATE * SECONDS) / RATE
    epochs, hands, runs = [], [], []
    for run in range(RUNS):
        drift = np.exp(0.08 * generator.standard_normal(len(CHANNELS)))  # electrodes dry
        for trial in range(PER_RUN):
            hand = trial % 2
            strength = np.array([1.0, 1.0]) * generator.uniform(0.6, 1.6, 2)
            strength[1 - hand] *= 0.6
            phase = generator.uniform(0, 2 * np.pi, (2, 1))
            rhythm = np.sin(2 * np.pi * generator.normal(11, 0.5, (2, 1)) * times + phase)
            noise = blend @ generator.standard_normal((len(CHANNELS), len(times)))
            epochs.append(drift[:, None] * (1.5 * patterns.T @ (strength[:, None] * rhythm) + noise) * 10)
            hands.append(["left", "right"][hand])
            runs.append(run)
    return np.stack(epochs), np.array(hands), np.array(runs)


def pipelines():
    return {
        "MDM, log-det": make_pipeline(Covariances("oas"), MDM(metric="logdet")),
        "learned + MDM": make_pipeline(
            Covariances("oas"), dsk.DiscriminativeStein("centred", "affine"), MDM(metric="logdet")
        ),
        "k-NN, Stein": make_pipeline(Covariances("oas"), dsk.KNeighborsClassifier()),
        "SVM, Stein": make_pipeline(Covariances("oas"), dsk.SVC()),
        "SVM, learned": make_pipeline(Covariances("oas"), dsk.SVC(dsk.DiscriminativeStein("centred", "affine"))),
    }


def draw(subjects, scores, path):
    figure, (signals, middle, right) = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained", width_ratios=[1, 1.35, 1.1])
    epochs, hands, _ = subjects[0]
    for row, name in enumerate(CHANNELS):
        signals.plot(np.arange(epochs.shape[2]) / RATE, epochs[1, row] - 75 * row, color="#2a6f97", linewidth=0.7)
    signals.set_yticks(-75 * np.arange(len(CHANNELS)), CHANNELS)
    signals.tick_params(length=0)
    signals.spines[["top", "right", "left"]].set_visible(False)
    signals.set_xlabel("s")
    signals.set_title(f"an epoch: {hands[1]} hand")
    colours = ("#2a6f97", "#e07a2f", "#3a8f5c")
    for subject in range(SUBJECTS):
        values = [100 * scores[name][subject] for name in scores]
        middle.plot(values, np.arange(len(scores)) + 0.1 * (subject - 1), "o", color=colours[subject], markersize=8, alpha=0.85,
                    label=f"subject {subject + 1}")
    for position, name in enumerate(scores):
        middle.plot([100 * np.mean(scores[name])] * 2, [position - 0.22, position + 0.22], color="#343a40", linewidth=2)
    middle.set_yticks(range(len(scores)), list(scores))
    middle.invert_yaxis()
    middle.set_xlabel("accuracy, %, leaving out one run at a time; line: mean")
    middle.grid(axis="x", color="#e6e8ec")
    middle.spines[["top", "right"]].set_visible(False)
    middle.set_title("pipelines")
    middle.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, handletextpad=0.2)
    X = dsk.covariance(epochs, "oas")
    dsk.plot.embedding(dsk.DiscriminativeStein("centred", "affine").fit(X, hands), X, hands, right)
    right.set_title("subject 1, learned kernel")
    figure.savefig(path, dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(11)
    subjects = [record(generator) for _ in range(SUBJECTS)]
    scores = {}
    for name, pipeline in pipelines().items():
        scores[name] = [
            cross_val_score(pipeline, epochs, hands, groups=runs, cv=GroupKFold(RUNS)).mean()
            for epochs, hands, runs in subjects
        ]
        print(f"{name:<16} {100 * np.mean(scores[name]):5.1f} %  " + "  ".join(f"{100 * s:5.1f}" for s in scores[name]))
    draw(subjects, scores, folder / "eeg_epochs.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
