"""Covariance matrices of signals, against pyRiemann and scikit-learn."""
import numpy as np
import pytest
from pyriemann.estimation import Covariances
from sklearn.covariance import OAS, LedoitWolf

import dsk


@pytest.fixture(scope="module")
def epochs():
    generator = np.random.default_rng(2)
    mixing = generator.standard_normal((12, 5, 5))
    return mixing @ generator.standard_normal((12, 5, 80)) + generator.standard_normal((12, 5, 1))


@pytest.mark.parametrize("estimator", ["cov", "corr", "lwf", "oas"])
def test_equals_pyriemann(estimator, epochs):
    theirs = Covariances(estimator=estimator).transform(epochs)
    np.testing.assert_allclose(dsk.covariance(epochs, estimator), theirs, rtol=1e-10, atol=1e-12)


def test_sample_covariance_is_numpys_and_pyriemanns_but_for_the_divisor(epochs):
    ours = dsk.covariance(epochs)
    np.testing.assert_allclose(ours, [np.cov(epoch) for epoch in epochs], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours * 79 / 80, Covariances(estimator="scm").transform(epochs), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("estimator, peer", [("lwf", LedoitWolf), ("oas", OAS)])
def test_shrinkage_is_scikit_learns(estimator, peer, epochs):
    expected = [peer().fit(epoch.T).covariance_ for epoch in epochs]
    np.testing.assert_allclose(dsk.covariance(epochs, estimator), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("estimator", ["mestre", "efron-morris", "ben-david"])
def test_corrections_are_positive_definite(estimator, epochs):
    assert (np.linalg.eigvalsh(dsk.covariance(epochs, estimator)) > 0).all()


def test_bad_epochs_are_named(epochs):
    with pytest.raises(ValueError, match="3D"):
        dsk.covariance(epochs[0])
    with pytest.raises(ValueError, match="unknown|estimator"):
        dsk.covariance(epochs, "best")
    with pytest.raises(ValueError, match="0 sample"):
        dsk.covariance(epochs[:0])
    with pytest.raises(ValueError, match="Complex"):
        dsk.covariance(epochs + 0j)
    spoilt = epochs.copy()
    spoilt[4, 1, 2] = np.nan
    with pytest.raises(ValueError, match="4"):
        dsk.covariance(spoilt)
    flat = epochs.copy()
    flat[7, 3] = 1.0
    with pytest.raises(ValueError, match="7"):
        dsk.covariance(flat)
    with pytest.raises(ValueError, match="oas"):
        dsk.covariance(epochs[:, :, :4])


def test_lists_and_single_precision_are_taken_and_left_alone(epochs):
    kept = epochs.copy()
    expected = dsk.covariance(epochs)
    np.testing.assert_array_equal(dsk.covariance(epochs.tolist()), expected)
    np.testing.assert_array_equal(dsk.covariance(np.asfortranarray(epochs)), expected)
    np.testing.assert_allclose(dsk.covariance(epochs.astype(np.float32)), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(epochs, kept)
    np.testing.assert_array_equal(dsk.covariance(epochs, n_jobs=2), expected)
