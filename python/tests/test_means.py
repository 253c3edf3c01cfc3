"""Means and the tangent space, against pyRiemann's."""
import numpy as np
import pytest
from pyriemann.geometry.mean import mean_functions, mean_power
from pyriemann.tangentspace import TangentSpace as PyriemannTangentSpace
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import dsk

SHARED = ["riemann", "logdet", "logeuclid", "euclid", "harmonic", "chol"]
THEIR_STOP = {"riemann": {"tol": 1e-14, "maxiter": 300}, "logdet": {"tol": 1e-14, "maxiter": 300}}


def theirs(x, metric, weights=None):
    return mean_functions[metric](x, sample_weight=weights, **THEIR_STOP.get(metric, {}))


@pytest.mark.parametrize("metric", SHARED)
@pytest.mark.parametrize("dim", [2, 3, 8, 16, 43])
@pytest.mark.filterwarnings("ignore:Convergence not reached")
def test_mean_equals_pyriemann(metric, dim, random_matrices):
    x = random_matrices(20, dim, 1)
    weights = np.linspace(0.5, 2, 20)
    for given in (None, weights):
        np.testing.assert_allclose(dsk.mean(x, metric, given), theirs(x, metric, given), rtol=0, atol=1e-10)


@pytest.mark.parametrize("zeta", [0.25, 0.5, -0.5])
def test_power_mean_of_commuting_matrices(zeta):
    diagonals = np.random.default_rng(0).uniform(1, 5, (6, 4))
    expected = np.mean(diagonals**zeta, axis=0) ** (1 / zeta)
    found = dsk.mean(np.array([np.diag(row) for row in diagonals]), "poweuclid", zeta=zeta)
    np.testing.assert_allclose(found, np.diag(expected), atol=1e-13)
    np.testing.assert_allclose(found, mean_power(np.array([np.diag(row) for row in diagonals]), zeta, zeta=1e-14), atol=1e-10)


@pytest.mark.parametrize("metric", SHARED)
@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_mean_follows_units(metric, unit, random_matrices):
    x = random_matrices(15, 6)
    expected = dsk.mean(x, metric)
    np.testing.assert_allclose(dsk.mean(unit * x, metric) / unit, expected, rtol=0, atol=1e-12 * expected.max())


def test_mean_does_not_depend_on_threads(random_matrices):
    x = random_matrices(200, 16)
    for metric in SHARED:
        np.testing.assert_array_equal(dsk.mean(x, metric, n_jobs=1), dsk.mean(x, metric, n_jobs=2))


def test_mean_warns_if_it_did_not_converge(random_matrices):
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        dsk.mean(random_matrices(10, 5), max_iter=2)


def test_mean_names_bad_input(random_matrices):
    x = random_matrices(3, 4)
    with pytest.raises(ValueError, match="got 2 for 3 matrices"):
        dsk.mean(x, weights=[1, 2])
    with pytest.raises(ValueError, match="weight 1 is -1"):
        dsk.mean(x, weights=[1, -1, 1])
    with pytest.raises(ValueError, match="riemannian"):
        dsk.mean(x, "riemannian")
    with pytest.raises(ValueError, match="tolerance"):
        dsk.mean(x, tol=-1)


@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid"])
@pytest.mark.parametrize("dim", [2, 5, 16])
@pytest.mark.filterwarnings("ignore:Convergence not reached")
def test_tangent_space_equals_pyriemann(metric, dim, random_matrices):
    x, new = random_matrices(30, dim, 1), random_matrices(7, dim, 2)
    ours = dsk.TangentSpace(metric).fit(x)
    other = PyriemannTangentSpace(metric={"mean": metric, "map": "riemann"}).fit(x)
    other.reference_ = ours.reference_  # theirs stops earlier
    np.testing.assert_allclose(ours.transform(new), other.transform(new), atol=1e-10)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), new, atol=1e-10)
    np.testing.assert_allclose(other.inverse_transform(ours.transform(new)), new, atol=1e-10)


def test_tangent_space_is_a_transformer(classes):
    X, y = classes
    space = dsk.TangentSpace()
    with pytest.raises(NotFittedError):
        space.transform(X)
    rows = space.fit_transform(X, y)
    assert rows.shape == (80, 10)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(clone(space).fit(X).reference_, dsk.mean(X))
    with pytest.raises(ValueError, match="5 features"):
        space.transform(np.array([np.eye(5)]))
    with pytest.raises(ValueError, match="rows have 9 numbers"):
        space.inverse_transform(rows[:, :9])
