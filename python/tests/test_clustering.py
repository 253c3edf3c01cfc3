"""Clusters beside scikit-learn's and pyRiemann's, on the same kernel, vectors or starts."""
import pickle

import numpy as np
import pytest
from pyriemann.clustering import Kmeans as TheirKmeans
from sklearn.base import clone
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.cluster import SpectralClustering as SklearnSpectral
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, silhouette_score

import dsk

ESTIMATORS = [dsk.KMeans, dsk.KernelKMeans, dsk.SpectralClustering]


@pytest.fixture(scope="module")
def touching():
    """Three classes that overlap: starts matter."""
    return dsk.make_wishart_classes(n_classes=3, n_per_class=50, dim=4, degrees=15, tau=0.8, random_state=4)


@pytest.fixture(scope="module")
def apart():
    X, y = dsk.make_wishart_classes(n_classes=3, n_per_class=30, dim=4, degrees=80, tau=0, random_state=1)
    return X * 5.0 ** y[:, None, None], y


def log_rows(X):
    values, vectors = np.linalg.eigh(X)
    logs = np.einsum("nij,nj,nkj->nik", vectors, np.log(values), vectors)
    return logs.reshape(len(X), -1)


def assert_no_worse(ours, theirs):
    """On average over seeds, and at best."""
    assert np.mean(ours) <= np.mean(theirs) * (1 + 1e-12)
    assert np.min(ours) <= np.min(theirs) * (1 + 1e-12)


def test_kmeans_is_no_worse_than_scikit_learns(touching):
    X, _ = touching
    rows = log_rows(X)
    ours, theirs = [], []
    for seed in range(20):
        found = dsk.KMeans(7, metric="logeuclid", random_state=seed).fit(X)
        centres = np.array([rows[found.labels_ == c].mean(axis=0) for c in range(7)])
        assert found.inertia_ == pytest.approx(((rows - centres[found.labels_]) ** 2).sum(), rel=1e-9)
        ours.append(found.inertia_)
        theirs.append(SklearnKMeans(7, n_init=10, random_state=seed, tol=0).fit(rows).inertia_)
    assert_no_worse(ours, theirs)


def kernel_inertia(K, labels):
    total = np.trace(K)
    for c in np.unique(labels):
        members = labels == c
        total -= K[np.ix_(members, members)].sum() / members.sum()
    return total


def test_kernel_kmeans_is_no_worse_than_scikit_learns_on_the_same_kernel(touching):
    X, _ = touching
    K = dsk.kernel(X, theta=2)
    values, vectors = np.linalg.eigh(K)
    rows = vectors * np.sqrt(np.maximum(values, 0))
    ours, theirs = [], []
    for seed in range(20):
        found = dsk.KernelKMeans(5, theta=2, random_state=seed).fit(X)
        assert found.inertia_ == pytest.approx(kernel_inertia(K, found.labels_), rel=1e-6)
        ours.append(found.inertia_)
        theirs.append(SklearnKMeans(5, n_init=10, random_state=seed, tol=0).fit(rows).inertia_)
    assert_no_worse(ours, theirs)


def normalised_cut(W, labels):
    degrees = W.sum(axis=1)
    return sum(W[labels == c][:, labels != c].sum() / degrees[labels == c].sum() for c in np.unique(labels))


def test_spectral_clusters_cut_no_worse_than_scikit_learns_on_the_same_graph(touching):
    X, _ = touching
    W = dsk.kernel(X, theta=2)
    ours, theirs = [], []
    for seed in range(20):
        found = dsk.SpectralClustering(4, theta=2, n_neighbors=0, random_state=seed).fit_predict(X)
        ours.append(normalised_cut(W, found))
        their = SklearnSpectral(4, affinity="precomputed", random_state=seed).fit_predict(W)
        theirs.append(normalised_cut(W, their))
    assert np.mean(ours) <= np.mean(theirs)  # at best either may win: k-means of eigenvectors does not minimise the cut


def test_eigenvalues_are_those_of_the_normalised_graph(touching):
    X, _ = touching
    W = dsk.kernel(X, theta=2)
    root = 1 / np.sqrt(W.sum(axis=1))
    expected = np.linalg.eigvalsh(root[:, None] * W * root)[::-1][:5]
    found = dsk.SpectralClustering(4, theta=2, n_neighbors=0).fit(X)
    np.testing.assert_allclose(found.eigenvalues_, expected, atol=1e-10)


def test_kmeans_from_the_same_starts_is_pyriemanns(apart):
    X, y = apart
    for metric in ("riemann", "logdet", "logeuclid"):
        start = X[[0, 30, 60]]
        ours = dsk.KMeans(3, metric=metric, init=start).fit(X)
        theirs = TheirKmeans(3, metric=metric, init=start, max_iter=100, n_jobs=1).fit(X)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
        for centre in theirs.centroids():
            nearest = min(np.linalg.norm(centre - mine) for mine in ours.cluster_centers_)
            assert nearest < 1e-4 * np.linalg.norm(centre)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_known_answers(make, apart):
    X, y = apart
    for n_clusters in (3, "auto"):
        found = make(n_clusters).fit(X)
        assert found.n_clusters_ == 3 and adjusted_rand_score(y, found.labels_) == 1
    assert found.tried_["n_clusters"] == list(range(2, 11))
    noise = dsk.make_wishart_classes(1, 150, dim=4, degrees=20, random_state=2)[0]
    assert make().fit(noise).n_clusters_ == 1


def test_silhouette_is_scikit_learns(apart):
    X, _ = apart
    distances = dsk.pairwise_distance(X, metric="stein")
    for estimator in (dsk.KMeans(metric="stein"), dsk.SpectralClustering()):
        found = estimator.fit(X)
        assert found.silhouette_ == pytest.approx(silhouette_score(distances, found.labels_, metric="precomputed"), abs=1e-9)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_follows_scikit_learns_rules(make, apart):
    X, _ = apart
    estimator = make(3, random_state=5, n_init=2)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params() and copy is not estimator
    before = X.copy()
    labels = estimator.fit_predict(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(labels, estimator.labels_)
    np.testing.assert_array_equal(labels, copy.set_params(n_jobs=1).fit(X).labels_)
    assert estimator.n_features_in_ == 4 and estimator.inertia_ > 0 and estimator.n_iter_ >= 1
    restored = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(restored.labels_, labels)
    if hasattr(estimator, "predict"):
        np.testing.assert_array_equal(restored.predict(X), labels)
        with pytest.raises(ValueError, match="expecting 4 features"):
            estimator.predict(np.eye(3)[None])


def test_transform_is_the_distance_from_the_centres(apart):
    X, _ = apart
    found = dsk.KMeans(3).fit(X)
    distances = found.transform(X)
    np.testing.assert_array_equal(distances.argmin(axis=1), found.labels_)
    assert (distances.min(axis=1) ** 2).sum() == pytest.approx(found.inertia_)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_says_what_learning_led_to(make, apart):
    X, y = apart
    found = make(3, n_init=2, learn=True).fit(X)
    assert found.learning_["adopted"] is False and "not used" in found.learning_["outcome"]
    assert make(3).fit(X).learning_ is None


def test_learned_clusters_are_pickled():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    factors = np.ones((200, 10))
    factors[y == 1, :2] = 1.7
    samples = factors[:, :, None] * rng.standard_normal((200, 10, 20))
    X = samples @ samples.transpose(0, 2, 1) / 20
    found = dsk.KernelKMeans(2, learn=True, n_init=2).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).predict(X), found.labels_)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_bad_parameters(make, apart):
    X, _ = apart
    for parameters, message in (
        ({"n_clusters": 0}, "n_clusters must be a whole number"),
        ({"n_clusters": 91}, "n_samples=90 should be >= n_clusters=91"),
        ({"n_clusters": 2, "n_init": 0}, "n_init must be a whole number"),
        ({"n_clusters": 2, "metric": "furlong"}, "furlong"),
        ({"n_clusters": 2, "max_clusters": 1}, "most_clusters is 1"),
    ):
        with pytest.raises(ValueError, match=message):
            make(**parameters).fit(X)
    with pytest.raises(ValueError, match="has no mean"):
        dsk.KMeans(2, metric="thompson").fit(X)
    with pytest.raises(ValueError, match="init holds 2 centres"):
        dsk.KMeans(3, init=X[:2]).fit(X)


def test_fewer_distinct_matrices_than_clusters_are_reported():
    X = np.repeat(np.eye(3)[None], 6, axis=0)
    with pytest.warns(UserWarning, match="only 1 of 2 clusters"):
        assert dsk.KMeans(2).fit(X).n_clusters_ == 1


@pytest.mark.parametrize("estimator", [dsk.KMeans(2), dsk.KernelKMeans(2)])
def test_predict_needs_a_fit(estimator):
    with pytest.raises(NotFittedError):
        estimator.predict(np.eye(3)[None])
