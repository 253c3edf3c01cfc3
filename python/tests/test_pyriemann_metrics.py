"""pyRiemann's distances and means by our names and by theirs: the same numbers."""
import numpy as np
import pytest
from pyriemann.geometry.distance import distance_functions
from pyriemann.geometry.distance import pairwise_distance as theirs
from pyriemann.geometry.mean import mean_functions

import dsk

METRICS = sorted(distance_functions)
DIRECTED = {"kullback", "kullback_right"}


def spd(n, d, condition=100.0, seed=0):
    return dsk.random_spd(n, d, condition=condition, random_state=seed)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [1, 2, 5, 17, 40])
def test_distances_are_pyriemanns(metric, d):
    if metric == "logchol" and d == 1:
        pytest.skip("pyRiemann refuses matrices without entries below the diagonal")
    x, y = spd(6, d, seed=1), spd(5, d, seed=2)
    for squared in (False, True):
        for pair in ((x, y), (x, None)):
            expected = theirs(*pair, metric=metric, squared=squared)
            scale = max(1.0, expected.max())
            np.testing.assert_allclose(dsk.pairwise_distance(*pair, metric, squared), expected, rtol=1e-8, atol=1e-6 * scale)
    assert dsk.distance(x[0], y[0], metric) == pytest.approx(theirs(x[:1], y[:1], metric=metric)[0, 0], rel=1e-8, abs=1e-7)


@pytest.mark.parametrize("metric", METRICS)
def test_within_one_set(metric):
    x = spd(9, 6, 1e8)
    found = dsk.pairwise_distance(x, metric=metric)
    assert (found.diagonal() == 0).all() and (found >= 0).all()
    assert np.array_equal(found, found.T) == (metric not in DIRECTED)


@pytest.mark.parametrize("metric", sorted(set(METRICS) & set(mean_functions) - {"thompson"}))
def test_means_are_pyriemanns(metric):
    x, weights = spd(9, 4, seed=3), np.linspace(1, 2, 9)
    tight = {"tol": 1e-13, "maxiter": 500} if metric in ("riemann", "logdet", "wasserstein") else {}
    expected = mean_functions[metric](x, sample_weight=weights / weights.sum(), **tight)
    np.testing.assert_allclose(dsk.mean(x, metric, weights), expected, rtol=1e-7, atol=1e-9)


def test_means_of_the_divergences_are_arithmetic_and_harmonic():
    x = spd(9, 4, seed=3)
    np.testing.assert_allclose(dsk.mean(x, "kullback"), x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(dsk.mean(x, "kullback_right"), np.linalg.inv(np.linalg.inv(x).mean(axis=0)), rtol=1e-9)


def test_what_has_no_mean_or_kernel_says_so():
    x = spd(4, 3)
    with pytest.raises(ValueError, match="^the metric thompson has no mean; use another metric$"):
        dsk.mean(x, "thompson")
    with pytest.raises(ValueError, match="the metric thompson has no mean"):
        dsk.MDM("thompson").fit(x, [0, 0, 1, 1])
    for metric in ("thompson", "wasserstein", "kullback_sym"):
        with pytest.raises(ValueError, match="gives no positive definite kernel"):
            dsk.kernel(x, metric=metric, theta=1)
    with pytest.raises(ValueError, match="kullback is not symmetric and gives no kernel"):
        dsk.kernel(x, metric="kullback", theta=1, allow_indefinite=True)
    assert np.linalg.eigvalsh(dsk.kernel(x, metric="logchol", theta=1)).min() > 0


@pytest.mark.parametrize("metric", ["kullback", "kullback_right", "kullback_sym", "logchol", "thompson", "wasserstein"])
def test_classifiers_take_the_metric(metric, classes):
    X, y = classes
    assert dsk.KNeighborsClassifier(3, metric).fit(X, y).score(X, y) > 0.8
    if metric != "thompson":
        assert dsk.MDM(metric).fit(X, y).score(X, y) > 0.7


@pytest.mark.parametrize("metric", ["kullback", "kullback_right", "kullback_sym", "thompson", "wasserstein"])
def test_patched_distances(metric):
    x, y = spd(20, 6, seed=1), spd(7, 6, seed=2)
    wanted = [theirs(x, y, metric=metric), theirs(x, metric=metric), theirs(y, x, metric=metric, squared=True)]
    with dsk.patch_pyriemann() as patch:
        from pyriemann.geometry.distance import pairwise_distance

        found = [pairwise_distance(x, y, metric=metric), pairwise_distance(x, metric=metric),
                 pairwise_distance(y, x, metric=metric, squared=True)]
        assert patch.calls["pairwise_distance", "dsk"] == 3, patch.report()
    for ours, expected in zip(found, wanted):
        np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_complex_distances_are_pyriemanns(metric):
    generator = np.random.default_rng(0)
    samples = generator.standard_normal((6, 4, 20)) + 1j * generator.standard_normal((6, 4, 20))
    x = samples @ samples.conj().transpose(0, 2, 1) / 40
    for squared in (False, True):
        np.testing.assert_allclose(
            dsk.pairwise_distance(x, metric=metric, squared=squared), theirs(x, metric=metric, squared=squared),
            rtol=1e-8, atol=1e-6,
        )
