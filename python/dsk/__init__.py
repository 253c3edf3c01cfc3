"""Classification of symmetric positive definite (SPD) matrices with the (discriminative) Stein kernel.

Arrays of matrices have shape (n, d, d), as in pyRiemann; estimators follow scikit-learn.

>>> import dsk
>>> X, y = dsk.make_wishart_classes(n_per_class=50, dim=4, tau=1, random_state=1)
>>> bool(dsk.Classifier().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
True
"""

from __future__ import annotations

from ._library import library as _library

__version__: str = _library.version

from ._automatic import Classifier
from ._combination import align_kernels
from ._covariance import Covariances, covariance
from ._describe import describe_gabor, describe_series, describe_texture
from ._discriminative import DiscriminativeStein
from ._discriminative_kernel import DiscriminativeKernel
from ._distances import distance, kernel, pairwise_distance
from ._embedding import SpectralEmbedding
from ._evaluate import evaluate
from ._evaluation import Evaluation, report
from ._fgmdm import FgMDM
from ._files import load, load_dataset, repair, save_dataset
from ._generate import make_wishart_classes, random_spd
from ._kmeans import KernelKMeans, KMeans
from ._learned import LearnedKernel
from ._mdm import MDM
from ._means import TangentSpace, mean
from ._neighbours import KNeighborsClassifier
from ._patch import Patch, patch_pyriemann, unpatch_pyriemann
from ._recentre import Recentre
from ._spectral import SpectralClustering
from ._subspace import Project
from ._svc import SVC
from . import plot

__all__ = [
    "Classifier",
    "Covariances",
    "DiscriminativeKernel",
    "DiscriminativeStein",
    "Evaluation",
    "FgMDM",
    "KMeans",
    "KNeighborsClassifier",
    "KernelKMeans",
    "LearnedKernel",
    "MDM",
    "Patch",
    "Project",
    "Recentre",
    "SVC",
    "SpectralClustering",
    "SpectralEmbedding",
    "TangentSpace",
    "align_kernels",
    "covariance",
    "describe_gabor",
    "describe_series",
    "describe_texture",
    "distance",
    "evaluate",
    "kernel",
    "load",
    "load_dataset",
    "make_wishart_classes",
    "mean",
    "pairwise_distance",
    "patch_pyriemann",
    "plot",
    "random_spd",
    "repair",
    "report",
    "save_dataset",
    "unpatch_pyriemann",
]
