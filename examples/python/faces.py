"""Recognise faces by the covariance of Gabor features.

usage: faces.py [FOLDER]

The data are drawn: each person has a head, eyes, brows and a mouth of their own; pictures of a person differ in light, position and
noise. A picture is described by the 43 x 43 covariance matrix of intensity, position and 40 Gabor wavelets. Methods are compared
over random halves, with settings chosen inside the training halves. Writes faces.png and faces.html to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import dsk

PEOPLE, PICTURES, SIZE = 12, 10, 48


def face(person, generator):
    """One picture (SIZE, SIZE) in 0..1 of a person, who is ten numbers."""
    down, right = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
    down, right = down + generator.normal(0, 0.03), right + generator.normal(0, 0.03)

    def blot(y, x, height, width):
        return np.exp(-(((down - y) / height) ** 2) - ((right - x) / width) ** 2)

    height, width, eye, apart, open_, brow, bend, mouth, smile, skin = person
    image = (0.45 + 0.2 * skin) / (1 + np.exp(-12 * (1 - (down / (0.85 + 0.05 * height)) ** 2 - (right / (0.65 + 0.06 * width)) ** 2)))
    for side in (-1, 1):
        x = side * (0.28 + 0.05 * apart)
        image -= 0.5 * blot(-0.2 + 0.04 * eye, x, 0.07 + 0.02 * open_, 0.11)
        image -= 0.25 * blot(-0.4 + 0.04 * brow + 0.2 * bend * (right - x) * side, x, 0.04, 0.16)
    image -= 0.35 * blot(0.45 + 0.03 * mouth + 0.3 * smile * right**2, 0, 0.05, 0.28)
    light = 1 + 0.3 * generator.normal() * right + 0.15 * generator.normal() * down
    return np.clip(ndimage.gaussian_filter(image, 0.7) * light + 0.03 * generator.standard_normal(image.shape), 0, 1)


def draw(pictures, evaluation, path):
    figure = plt.figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.3, 1])
    for ax, picture in zip(left.subplots(4, 6).flat, pictures[: 12 * PICTURES].reshape(-1, PICTURES, SIZE, SIZE)[:, :2].reshape(-1, SIZE, SIZE)):
        ax.imshow(picture, cmap="gray", vmin=0, vmax=1)
        ax.set_axis_off()
    ax = right.subplots()
    ax.barh([row["method"] for row in evaluation], [100 * row["mean"] for row in evaluation],
            xerr=[100 * row["std"] for row in evaluation], color="#2a6f97", height=0.62)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("accuracy, %, over random halves")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(3)
    people = 0.6 * generator.uniform(-1, 1, (PEOPLE, 10))
    pictures = np.stack([face(person, generator) for person in people for _ in range(PICTURES)])
    X = dsk.describe_gabor(pictures)
    y = np.repeat([f"person {k + 1}" for k in range(PEOPLE)], PICTURES)
    evaluation = dsk.evaluate(X, y, ["EUK:knn", "LEK:knn", "SK:knn", "LEK:svm", "SK:svm", "MDM-logeuclidean"], "halves:6", random_state=1)
    print(evaluation)
    dsk.report(evaluation, folder / "faces.html")
    draw(pictures, evaluation, folder / "faces.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
