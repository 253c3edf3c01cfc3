"""Which functions of pyRiemann are replaced, and by what."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from .base import expm, invsqrtm, logm, powm, sqrtm
from .covariance import covariances
from .distance import distance, pairwise_distance, predict_distances
from .geodesic_filter import filtered, fit_discriminant
from .kernel import kernel_euclid, kernel_logeuclid, kernel_riemann
from .mean import mean_logdet, mean_riemann
from .tangentspace import tangent_space, untangent_space


class Replacement(NamedTuple):
    """One function or method of pyRiemann, the module that defines it (before 0.12, geometry was utils), and ours."""

    module: str
    name: str
    function: Callable[..., Any]


TABLE = (
    Replacement("classification", "MDM._predict_distances", predict_distances),
    Replacement("geometry.base", "expm", expm),
    Replacement("geometry.base", "invsqrtm", invsqrtm),
    Replacement("geometry.base", "logm", logm),
    Replacement("geometry.base", "powm", powm),
    Replacement("geometry.base", "sqrtm", sqrtm),
    Replacement("geometry.covariance", "covariances", covariances),
    Replacement("geometry.distance", "distance", distance),
    Replacement("geometry.distance", "pairwise_distance", pairwise_distance),
    Replacement("geometry.kernel", "kernel_euclid", kernel_euclid),
    Replacement("geometry.kernel", "kernel_logeuclid", kernel_logeuclid),
    Replacement("geometry.kernel", "kernel_riemann", kernel_riemann),
    Replacement("geometry.mean", "mean_logdet", mean_logdet),
    Replacement("geometry.mean", "mean_riemann", mean_riemann),
    Replacement("geometry.tangentspace", "tangent_space", tangent_space),
    Replacement("geometry.tangentspace", "untangent_space", untangent_space),
    Replacement("tangentspace", "FGDA._fit_lda", fit_discriminant),
    Replacement("tangentspace", "FGDA._retro_project", filtered),
)
