"""Classify patients and controls by correlations between brain regions with a support vector machine.

usage: brain_connectivity.py [FOLDER]

The data are generated: time series of 20 regions that form four networks. In patients, one network is weakened and coupled to
another, by an amount that differs between persons. Each person is one correlation matrix. Writes brain_connectivity.png and
brain_connectivity.html to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import dsk

REGIONS, NETWORKS, PEOPLE, SCANS = 20, 4, 80, 150
NETWORK = np.arange(REGIONS) * NETWORKS // REGIONS
NAMES = ["visual", "motor", "default", "control"]


def series(generator, patient):
    """(regions, scans) of one person."""
    loosened = np.clip(generator.normal(0.38, 0.15), 0, 1) if patient else 0.0
    signals = generator.standard_normal((NETWORKS, SCANS))
    everywhere = generator.standard_normal(SCANS) * generator.uniform(0.2, 0.7)
    strength = generator.uniform(0.7, 1.1, REGIONS)
    default, control = NETWORK == 2, NETWORK == 3
    shared = strength[:, None] * signals[NETWORK]
    shared[default] *= 1 - 0.7 * loosened
    shared[default] += 0.5 * loosened * signals[3]
    shared[control] += 0.2 * loosened * signals[2]
    return shared + everywhere + generator.standard_normal((REGIONS, SCANS))


def matrix_picture(ax, values, title, limit, colours):
    picture = ax.imshow(values, cmap=colours, vmin=-limit if colours == "RdBu_r" else 0, vmax=limit)
    for edge in np.flatnonzero(np.diff(NETWORK)) + 0.5:
        ax.axhline(edge, color="white", linewidth=1.5)
        ax.axvline(edge, color="white", linewidth=1.5)
    middles = [np.flatnonzero(NETWORK == k).mean() for k in range(NETWORKS)]
    ax.set_yticks(middles, NAMES, rotation=90, va="center")
    ax.set_xticks(middles, NAMES)
    ax.tick_params(length=0)
    ax.set_title(title)
    ax.figure.colorbar(picture, ax=ax, shrink=0.8)


def draw(X, y, scores, stein, path):
    figure, axes = plt.subplots(2, 3, figsize=(13.2, 8), layout="constrained")
    people, patients = X[y == "healthy"].mean(0), X[y == "patient"].mean(0)
    off_diagonal = 1 - np.eye(REGIONS)
    matrix_picture(axes[0, 0], people * off_diagonal, "healthy: mean correlation", 0.7, "YlGnBu")
    matrix_picture(axes[0, 1], patients * off_diagonal, "patients: mean correlation", 0.7, "YlGnBu")
    matrix_picture(axes[0, 2], patients - people, "difference", 0.25, "RdBu_r")
    for (name, values), colour in zip(scores.items(), ("#8d99ae", "#e07a2f", "#2a6f97")):
        wrong, found, _ = roc_curve(y == "patient", values)
        area = roc_auc_score(y == "patient", values)
        axes[1, 0].plot(wrong, found, color=colour, linewidth=1.8, label=f"{name}, area {area:.2f}")
    axes[1, 0].plot([0, 1], [0, 1], color="#ced4da", linewidth=1, zorder=0)
    axes[1, 0].set(xlabel="false positive rate", ylabel="true positive rate", title="support vector machines")
    axes[1, 0].spines[["top", "right"]].set_visible(False)
    axes[1, 0].legend(frameon=False, loc="lower right", fontsize="small")
    dsk.plot.alpha(stein, axes[1, 1])
    dsk.plot.embedding(stein, X, y, axes[1, 2])
    figure.savefig(path, dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(5)
    y = np.repeat(["healthy", "patient"], PEOPLE // 2)
    X = dsk.covariance(np.stack([series(generator, label == "patient") for label in y]), "corr")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    machines = {
        "Euclidean": dsk.SVC("euclidean"),
        "Stein": dsk.SVC("stein", theta_range="any"),
        "learned": dsk.SVC(dsk.DiscriminativeStein("centred", "affine", theta=0.5)),
    }
    scores = {name: cross_val_predict(svc, X, y, cv=folds, method="decision_function") for name, svc in machines.items()}
    for name, values in scores.items():
        print(f"{name:<10} {100 * np.mean((values > 0) == (y == 'patient')):5.1f} % correct")
    evaluation = dsk.evaluate(X, y, ["EUK:svm", "LEK:svm", "SK:svm", "DSK-CA-p:svm"], "halves:4", theta_range="any")
    print(evaluation)
    dsk.report(evaluation, folder / "brain_connectivity.html")
    stein = dsk.DiscriminativeStein("centred", "power", classifier="svm").fit(X, y)
    draw(X, y, scores, stein, folder / "brain_connectivity.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
