"""Classify textures by the covariance of simple image features.

usage: textures.py [FOLDER]

Six textures are generated, each with many small tiles. A tile is described by the 5 x 5 covariance matrix of intensity and absolute
first and second derivatives over its pixels. Metrics are compared with nearest neighbours, with settings chosen inside the training
halves. Then a kernel is learned and plotted. Writes textures.png and textures.html to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import dsk

TILE, TILES = 12, 40


def textures(generator, size=240):
    """Names and images in 0..1."""
    y, x = np.mgrid[:size, :size]
    noise = generator.standard_normal((6, size, size))
    images = {
        "sand": ndimage.gaussian_filter(noise[0], 0.75),
        "felt": ndimage.gaussian_filter(noise[1], 1.0),
        "wood": np.sin(0.8 * (x + 60 * ndimage.gaussian_filter(noise[2], 9))) + 0.9 * ndimage.gaussian_filter(noise[2], 0.6),
        "weave": np.sin(0.8 * x) * np.sin(0.8 * y) + 0.9 * ndimage.gaussian_filter(noise[3], 0.6),
        "rain": ndimage.gaussian_filter(noise[4], (1.3, 0.7)),
        "mesh": np.cos(0.8 * x) + np.cos(0.8 * y) + 1.2 * ndimage.gaussian_filter(noise[5], 0.6),
    }
    for name, image in images.items():
        # Light that varies over the image makes tiles of one texture differ.
        light = 1 + 0.35 * ndimage.gaussian_filter(generator.standard_normal((size, size)), 40) * 60
        image = (image - image.mean()) / image.std() * np.clip(light, 0.4, 1.8)
        images[name] = np.clip(0.5 + image / 8, 0, 1)
    return images


def features(image):
    """(5, height, width): I, |Ix|, |Iy|, |Ixx|, |Iyy|."""
    first, second = [-1, 0, 1], [-1, 2, -1]
    derivatives = [ndimage.convolve1d(image, kernel, axis, mode="nearest") for kernel in (first, second) for axis in (1, 0)]
    return np.stack([image, *map(np.abs, derivatives)])


def tiles(image, generator):
    """(TILES, 5, pixels) of an image, with noise added to each tile."""
    planes = features(np.clip(image + 0.01 * generator.standard_normal(image.shape), 0, 1))
    corners = generator.integers(0, image.shape[0] - TILE, (TILES, 2))
    return np.stack([planes[:, r : r + TILE, c : c + TILE].reshape(5, -1) for r, c in corners])


def draw(images, X, names, evaluation, stein, path):
    figure = plt.figure(figsize=(12, 7.4), layout="constrained")
    rows = figure.subfigures(2, 1, height_ratios=[1, 1.9])
    for ax, (name, image) in zip(rows[0].subplots(1, len(images)), images.items()):
        ax.imshow(image[:120, :120], cmap="gray", vmin=0, vmax=1)
        ax.set_title(name)
        ax.set_axis_off()
    left, middle, right = rows[1].subplots(1, 3, width_ratios=[1.1, 1, 1.2])
    methods = [row["method"].split(":")[0] for row in evaluation]
    means = [100 * row["mean"] for row in evaluation]
    left.barh(methods, means, xerr=[100 * row["std"] for row in evaluation], color="#2a6f97", height=0.62,
              error_kw={"ecolor": "#343a40", "capsize": 3, "linewidth": 1})
    left.set_xlim(5 * np.floor(min(means) / 5 - 1), 100)
    left.invert_yaxis()
    left.set_xlabel("accuracy, %, over random halves")
    left.set_title("nearest neighbours by metric")
    left.spines[["top", "right"]].set_visible(False)
    dsk.plot.alpha(stein, middle)
    dsk.plot.embedding(stein, X, names, right)
    figure.savefig(path, dpi=110)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(7)
    images = textures(generator)
    X = dsk.covariance(np.concatenate([tiles(image, generator) for image in images.values()]))
    y = np.repeat(list(images), TILES)
    evaluation = dsk.evaluate(X, y, ["EUK", "CHK", "LEK", "AIRM", "SK", "DSK-CA-a"], "halves:6", random_state=1)
    print(evaluation)
    dsk.report(evaluation, folder / "textures.html")
    # A small penalty shows what would be adjusted; cross-validation, as above, may select no adjustment.
    stein = dsk.DiscriminativeStein("centred", "affine", penalty=0.002).fit(X, y)
    draw(images, X, y, evaluation, stein, folder / "textures.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
