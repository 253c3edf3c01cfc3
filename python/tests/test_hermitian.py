"""Complex Hermitian matrices: pyRiemann's numbers, through real matrices of twice the size."""
import numpy as np
import pytest
from pyriemann.classification import MDM
from pyriemann.geometry.distance import distance_poweuclid
from pyriemann.geometry.distance import pairwise_distance as pyriemann_distance
from pyriemann.geometry.mean import gmean
from pyriemann.tangentspace import TangentSpace

import dsk

METRICS = ["riemann", "chol", "euclid", "logeuclid", "logdet", "harmonic"]


def hermitian(n, d, seed=0, scale=1.0):
    generator = np.random.default_rng(seed)
    samples = scale * (generator.standard_normal((n, d, 4 * d)) + 1j * generator.standard_normal((n, d, 4 * d)))
    return samples @ samples.conj().transpose(0, 2, 1) / (8 * d)


@pytest.fixture
def classes():
    mix = np.diag([2.0, 1, 1]) + 0.5j * (np.eye(3, k=1) - np.eye(3, k=-1))
    first, second = hermitian(25, 3, 1), hermitian(25, 3, 2)
    return np.concatenate([first, mix @ second @ mix.conj().T]), np.repeat([0, 1], 25)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("squared", [False, True])
def test_distances_are_pyriemanns(metric, squared):
    x, y = hermitian(7, 4, 1), hermitian(5, 4, 2)
    np.testing.assert_allclose(
        dsk.pairwise_distance(x, y, metric, squared), pyriemann_distance(x, y, metric=metric, squared=squared), rtol=1e-9
    )
    own = dsk.pairwise_distance(x, metric=metric, squared=squared)
    np.testing.assert_allclose(own, pyriemann_distance(x, metric=metric, squared=squared), rtol=1e-9, atol=1e-6)
    assert (own.diagonal() == 0).all()


def test_power_euclidean_distances_are_pyriemanns():
    x = hermitian(4, 3)
    theirs = [[distance_poweuclid(a, b, 0.3) for b in x] for a in x]
    np.testing.assert_allclose(dsk.pairwise_distance(x, metric="poweuclid", zeta=0.3), theirs, rtol=1e-9, atol=1e-9)


def test_kernels_are_made_of_the_distances():
    x, y = hermitian(5, 3, 1), hermitian(4, 3, 2)
    squared = dsk.pairwise_distance(x, y, squared=True)
    np.testing.assert_allclose(dsk.kernel(x, y, theta=2), np.exp(-2 * squared), rtol=1e-12)
    assert np.linalg.eigvalsh(dsk.kernel(x, theta=1)).min() > 0
    with pytest.raises(ValueError, match="theta"):
        dsk.kernel(x, theta=1.5)


@pytest.mark.parametrize("metric", METRICS)
def test_means_are_pyriemanns(metric):
    x, weights = hermitian(12, 4), np.linspace(1, 2, 12)
    found = dsk.mean(x, metric, weights)
    assert found.dtype == np.complex128 and found.shape == (4, 4)
    tight = {"tol": 1e-12, "maxiter": 200} if metric in ("riemann", "logdet") else {}
    np.testing.assert_allclose(found, gmean(x, metric=metric, sample_weight=weights, **tight), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found, found.conj().T, atol=1e-15)


def test_a_real_matrix_beside_complex_ones_is_complex():
    x = hermitian(3, 4)
    y = x[:2].real.copy()
    expected = dsk.pairwise_distance(x, y.astype(complex))
    np.testing.assert_array_equal(dsk.pairwise_distance(x, y), expected)
    np.testing.assert_array_equal(dsk.pairwise_distance(y, x), expected.T)
    np.testing.assert_allclose(dsk.pairwise_distance(y.astype(complex)), dsk.pairwise_distance(y), rtol=1e-12, atol=1e-14)


def test_tangent_space_keeps_inner_products_and_comes_back():
    x = hermitian(9, 4)
    space = dsk.TangentSpace().fit(x)
    rows = space.transform(x)
    assert rows.shape == (9, 16) and rows.dtype == np.float64
    theirs = TangentSpace().fit(x).transform(x)  # complex rows
    np.testing.assert_allclose(rows @ rows.T, (theirs @ theirs.conj().T).real, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(rows[:, :10], theirs.real, atol=1e-6)
    np.testing.assert_allclose(
        np.linalg.norm(rows, axis=1), dsk.pairwise_distance(x, space.reference_[None], "riemann")[:, 0], rtol=1e-10
    )
    np.testing.assert_allclose(space.inverse_transform(rows), x, rtol=1e-10, atol=1e-12)


def test_mdm_is_pyriemanns(classes):
    x, y = classes
    ours, theirs = dsk.MDM().fit(x, y), MDM().fit(x, y)
    np.testing.assert_allclose(ours.means_, theirs.covmeans_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ours.transform(x), theirs.transform(x), rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), rtol=1e-5)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))


@pytest.mark.parametrize(
    "make", [lambda: dsk.KNeighborsClassifier(n_neighbors=3), lambda: dsk.SVC(C=1, theta=3), lambda: dsk.SVC("logeuclid", C=1)]
)
def test_classifiers_take_complex_matrices(make, classes):
    x, y = classes
    fitted = make().fit(x[::2], y[::2])
    assert fitted.score(x[1::2], y[1::2]) > 0.8
    with pytest.raises(ValueError, match="features"):
        fitted.predict(x.real)


def test_filtered_means_of_real_matrices_are_those_of_fgmdm(classes):
    x, y = classes
    as_complex, as_real = dsk.FgMDM().fit(x.real + 0j, y), dsk.FgMDM().fit(x.real, y)
    np.testing.assert_allclose(as_complex.transform(x.real + 0j), as_real.transform(x.real), rtol=1e-8)


def test_filtered_means_take_complex_matrices(classes):
    x, y = classes
    fitted = dsk.FgMDM().fit(x[::2], y[::2])
    assert fitted.score(x[1::2], y[1::2]) > 0.8
    # The conjugate matrices have the same coordinates but for signs.
    conjugate = dsk.FgMDM().fit(x[::2].conj(), y[::2])
    np.testing.assert_allclose(fitted.transform(x), conjugate.transform(x.conj()), rtol=1e-7)


@pytest.mark.parametrize("metric", ["riemann", "logdet", "euclid", "kullback_sym"])
def test_clusters_are_those_of_pyriemanns_means(metric, classes):
    x, y = classes
    tight = {"tol": 1e-12, "maxiter": 200} if metric in ("riemann", "logdet") else {}
    start = np.stack([x[y == 0][0], x[y == 1][0]])
    ours = dsk.KMeans(2, metric, init=start).fit(x)
    # Lloyd's iterations with pyRiemann's means and distances.
    centres = start
    for _ in range(20):
        distances = np.stack([dsk.pairwise_distance(x, c[None], metric)[:, 0] for c in centres], axis=1)
        labels = distances.argmin(axis=1)
        centres = np.stack([gmean(x[labels == k], metric=metric, **tight) for k in range(2)])
    order = np.argsort(-np.bincount(labels), kind="stable")
    np.testing.assert_array_equal(ours.labels_, np.argsort(order)[labels])
    np.testing.assert_allclose(ours.cluster_centers_, centres[order], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ours.transform(x).min(axis=1), distances.min(axis=1), rtol=1e-5)
    squared = distances.min(axis=1) if metric == "kullback_sym" else distances.min(axis=1) ** 2
    assert ours.inertia_ == pytest.approx(squared.sum(), rel=1e-5)
    np.testing.assert_array_equal(ours.predict(x), ours.labels_)


@pytest.mark.parametrize("make", [dsk.KernelKMeans, dsk.SpectralClustering])
def test_clusters_of_real_matrices_are_the_same_as_complex_ones(make, classes):
    x, _ = classes
    np.testing.assert_array_equal(make(2).fit(x.real + 0j).labels_, make(2).fit(x.real).labels_)


def test_recentring_moves_the_mean_to_the_identity():
    x = hermitian(8, 3, scale=3.0)
    for recentre in (dsk.Recentre(), dsk.Recentre(by="groups")):
        moved = recentre.fit_transform(x)
        np.testing.assert_allclose(dsk.mean(moved), np.eye(3), atol=1e-10)


def test_matrices_that_are_not_hermitian_are_refused():
    x = hermitian(3, 4)
    x[1, 0, 2] += 0.5j
    with pytest.raises(ValueError, match="matrix 1"):
        dsk.pairwise_distance(x)
