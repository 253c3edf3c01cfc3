"""Learned kernels by metrics that are Euclidean after a map."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import dsk

X, y = dsk.make_wishart_classes(n_per_class=25, dim=4, degrees=20, tau=1, random_state=3)
METRICS = ["logeuclidean", "powereuclidean", "cholesky"]


def log_matrices(matrices):
    values, vectors = np.linalg.eigh(matrices)
    return (vectors * np.log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)


@pytest.mark.parametrize("metric", [*METRICS, "stein"])
def test_kernel_values_are_those_of_the_transformed_matrices(metric):
    kernel = dsk.DiscriminativeKernel(metric, criterion="centred", adjustment="affine", penalty=0.01).fit(X, y)
    assert not np.allclose(kernel.alpha_, 1)
    adjusted = kernel.transform(X)
    squared = dsk.pairwise_distance(adjusted, metric=metric, squared=True, zeta=kernel.zeta_)
    np.testing.assert_allclose(kernel.kernel(X), np.exp(-kernel.theta_ * squared), atol=1e-10)


def test_alignment_of_the_learned_log_euclidean_kernel_is_what_numpy_says():
    kernel = dsk.DiscriminativeKernel(criterion="alignment", adjustment="power", penalty=0.0, max_iter=5).fit(X, y)
    logs = log_matrices(kernel.transform(X)).reshape(len(X), -1)
    values = np.exp(-kernel.theta_ * ((logs[:, None] - logs) ** 2).sum(axis=2))
    target = np.where(y[:, None] == y, 1.0, -1.0)
    alignment = (target * values).sum() / (len(X) * np.linalg.norm(values))
    assert kernel.history_[-1] == pytest.approx(alignment, rel=1e-9)
    assert kernel.history_[-1] > kernel.history_[0]


@pytest.mark.parametrize("metric", METRICS)
def test_is_saved_and_loaded(metric, tmp_path):
    kernel = dsk.DiscriminativeKernel(metric, criterion="centred", penalty=0.01).fit(X, y)
    kernel.save(tmp_path / "k.dsk")
    loaded = dsk.load(tmp_path / "k.dsk")
    assert isinstance(loaded, dsk.DiscriminativeKernel)
    assert loaded.metric == metric
    np.testing.assert_array_equal(loaded.kernel(X), kernel.kernel(X))
    svc = dsk.SVC(kernel=kernel, C=10).fit(X, y)
    assert svc.metric_ == metric
    svc.save(tmp_path / "svc.dsk")
    np.testing.assert_array_equal(dsk.load(tmp_path / "svc.dsk").predict(X), svc.predict(X))


def test_grid_search_compares_metrics():
    search = GridSearchCV(
        dsk.KNeighborsClassifier(kernel=dsk.DiscriminativeKernel(penalty=0.1), n_neighbors=3),
        {"kernel__metric": ["logeuclidean", "stein"]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["kernel__metric"] in ("logeuclidean", "stein")
    assert clone(dsk.DiscriminativeKernel("cholesky", zeta=0.3)).get_params()["zeta"] == 0.3


def test_metrics_that_cannot_be_learned_are_refused():
    with pytest.raises(ValueError, match="cannot be learned; use one of"):
        dsk.DiscriminativeKernel("riemann").fit(X, y)
