"""Distances and kernels, against pyRiemann's for every metric that both have."""
import warnings

import numpy as np
import pytest
from pyriemann.geometry.distance import distance_functions, distance_poweuclid
from pyriemann.geometry.distance import pairwise_distance as pyriemann_distance

import dsk

# pyRiemann's names of the metrics that we have too.
SHARED = ["riemann", "chol", "euclid", "logeuclid", "logdet", "harmonic"]
OURS = {"riemann": "airm", "chol": "cholesky", "euclid": "euclidean", "logeuclid": "logeuclidean", "logdet": "stein"}


def assert_equal_to_10_digits(ours, theirs):
    off_diagonal = theirs > 0
    np.testing.assert_allclose(ours[off_diagonal], theirs[off_diagonal], rtol=1e-10)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("metric", SHARED)
@pytest.mark.parametrize("dim", [2, 3, 5, 8, 16, 43])
@pytest.mark.parametrize("squared", [False, True])
def test_equals_pyriemann(metric, dim, squared, random_matrices):
    x, y = random_matrices(12, dim, 1), random_matrices(7, dim, 2)
    assert_equal_to_10_digits(
        dsk.pairwise_distance(x, metric=metric, squared=squared),
        pyriemann_distance(x, metric=metric, squared=squared) * (1 - np.eye(12)),
    )
    assert_equal_to_10_digits(
        dsk.pairwise_distance(x, y, metric, squared), pyriemann_distance(x, y, metric=metric, squared=squared)
    )


@pytest.mark.parametrize("zeta", [0.25, 0.5, 1.0, -0.5])
def test_power_euclidean_equals_pyriemann(zeta, random_matrices):
    x = random_matrices(6, 5)
    theirs = np.array([[distance_poweuclid(a, b, zeta) for b in x] for a in x])
    for name in ("powereuclidean", "poweuclid"):
        assert_equal_to_10_digits(dsk.pairwise_distance(x, metric=name, zeta=zeta), theirs)


def test_every_metric_of_pyriemann_is_shared(random_matrices):
    x = random_matrices(3, 3)
    for name in distance_functions:
        dsk.pairwise_distance(x, metric=name)


@pytest.mark.parametrize("name", SHARED[:-1])
def test_pyriemann_name_is_an_alias(name, random_matrices):
    x = random_matrices(5, 4)
    np.testing.assert_array_equal(
        dsk.pairwise_distance(x, metric=name), dsk.pairwise_distance(x, metric=OURS[name])
    )


def test_result_is_symmetric_to_the_bit_with_zero_diagonal(random_matrices):
    for metric in OURS.values():
        distances = dsk.pairwise_distance(random_matrices(70, 6), metric=metric)
        assert (distances == distances.T).all() and (distances.diagonal() == 0).all()


def test_kernel_is_the_exponential_of_squared_distances(random_matrices):
    x, y = random_matrices(9, 5, 1), random_matrices(4, 5, 2)
    squared = dsk.pairwise_distance(x, y, squared=True)
    np.testing.assert_allclose(dsk.kernel(x, y), np.exp(-1.5 * squared), rtol=1e-13)
    np.testing.assert_allclose(dsk.kernel(x, y, theta=2.5), np.exp(-2.5 * squared), rtol=1e-13)
    euclidean = dsk.pairwise_distance(x, metric="euclid", squared=True)
    np.testing.assert_allclose(dsk.kernel(x, metric="euclid", theta=0.3), np.exp(-0.3 * euclidean), rtol=1e-13)


def test_kernel_refuses_theta_that_gives_none(random_matrices):
    x = random_matrices(4, 6)
    with pytest.raises(ValueError, match="theta"):
        dsk.kernel(x, theta=0.7)
    dsk.kernel(x, theta=0.7, allow_indefinite=True)
    with pytest.raises(ValueError, match="airm"):
        dsk.kernel(x, metric="riemann")


def test_single_precision_is_close(random_matrices):
    x = random_matrices(30, 8)
    exact = dsk.pairwise_distance(x, squared=True)
    np.testing.assert_allclose(
        dsk.pairwise_distance(x, squared=True, precision="float32"), exact, atol=1e-5 * exact.max()
    )
    with pytest.raises(ValueError, match="precision"):
        dsk.pairwise_distance(x, precision="float16")


def test_threads_give_the_same_bits(random_matrices):
    x = random_matrices(300, 12)
    one = dsk.pairwise_distance(x, n_jobs=1)
    for n_jobs in (None, 2, -1):
        np.testing.assert_array_equal(dsk.pairwise_distance(x, n_jobs=n_jobs), one)
    for n_jobs in (0, 1.5, "two"):
        with pytest.raises(ValueError, match="n_jobs"):
            dsk.pairwise_distance(x, n_jobs=n_jobs)


@pytest.mark.parametrize("metric", SHARED)
def test_distance_of_one_pair(metric, random_matrices):
    x = random_matrices(2, 4)
    found = dsk.distance(x[0], x[1].tolist(), metric)
    assert type(found) is float and found == dsk.pairwise_distance(x[:1], x[1:], metric)[0, 0]
    assert dsk.distance(x[0], x[1], metric, squared=True) == dsk.pairwise_distance(x[:1], x[1:], metric, True)[0, 0]
    with pytest.raises(ValueError, match=r"B must be one square matrix, shape \(d, d\); got shape \(1, 4, 4\)"):
        dsk.distance(x[0], x[1:], metric)


def test_single_precision_warns_of_ill_conditioned_matrices():
    ill, well = np.array([[[1, 1 - 1e-6], [1 - 1e-6, 1]]]), np.array([[[1, 0.5], [0.5, 2]]])
    for compute in (dsk.pairwise_distance, lambda *batches, **options: dsk.kernel(*batches, theta=1, **options)):
        with pytest.warns(UserWarning, match="condition numbers below 1e5, but there is a matrix with 2e.06"):
            compute(well, ill, precision="float32")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compute(well, precision="float32")
            compute(ill)
            compute(ill, metric="logeuclidean", precision="float32")
