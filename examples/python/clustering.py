"""Find groups among covariance matrices without labels.

usage: clustering.py [FOLDER]

The data are generated: four conditions. k-means, kernel k-means and spectral clustering are compared. With "auto" in place of a number,
the number of clusters is chosen, and matrices without groups are one cluster. Writes clustering.png to FOLDER.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from sklearn.metrics import adjusted_rand_score

import dsk


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    X, y = dsk.make_wishart_classes(n_classes=4, n_per_class=50, dim=4, degrees=60, tau=1.2, random_state=2)
    cloud = X[y == y[0]]
    found = {"k-means": dsk.KMeans(4).fit(X), "kernel k-means": dsk.KernelKMeans(4).fit(X),
             "spectral": dsk.SpectralClustering(4).fit(X)}
    for name, clusters in found.items():
        agreement = adjusted_rand_score(y, clusters.labels_)
        print(f"{name:15} {clusters.n_clusters_} clusters, adjusted Rand index {agreement:.2f}")
    print(f"{'one condition':15} {dsk.KMeans('auto').fit(cloud).n_clusters_} cluster")

    figure, axes = plt.subplots(1, 1 + len(found), figsize=(13, 3.6), layout="constrained")
    points = dsk.SpectralEmbedding(2).fit_transform(X)
    for ax, (name, colours) in zip(axes, [("the conditions", y), *((name, one.labels_) for name, one in found.items())]):
        ax.scatter(*points.T, c=colours, cmap="viridis", s=16, linewidths=0)
        ax.set_title(name)
        ax.set_xticks([])
        ax.set_yticks([])
    figure.savefig(folder / "clustering.png", dpi=110)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
