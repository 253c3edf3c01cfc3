"""The nearest class mean, against pyRiemann's."""
import warnings

import numpy as np
import pytest
from pyriemann.classification import MDM as PyriemannMDM
from pyriemann.geometry.mean import mean_functions
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import dsk

STOP = {"riemann": {"tol": 1e-14, "maxiter": 300}, "logdet": {"tol": 1e-14, "maxiter": 300}}
SHARED = ["riemann", "logdet", "logeuclid", "euclid", "harmonic", "chol"]


@pytest.mark.parametrize("metric", SHARED)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:Convergence not reached")
def test_equals_pyriemann(metric, weighted, three_classes, random_matrices):
    X, y = three_classes
    weights = np.linspace(0.5, 2, len(y)) if weighted else None
    ours = dsk.MDM(metric).fit(X, y, sample_weight=weights)
    theirs = PyriemannMDM(metric).fit(X, y, sample_weight=weights)
    exact = [mean_functions[metric](X[y == c], sample_weight=None if weights is None else weights[y == c],
                                    **STOP.get(metric, {})) for c in range(3)]
    np.testing.assert_allclose(ours.means_, exact, rtol=0, atol=1e-10)
    theirs.covmeans_ = np.array(exact)  # the default tolerance of their means is larger
    new = random_matrices(20, 4, 5)
    for matrices in (X, new):
        np.testing.assert_allclose(ours.transform(matrices), theirs.transform(matrices), rtol=0, atol=1e-10)
        np.testing.assert_allclose(ours.predict_proba(matrices), theirs.predict_proba(matrices), rtol=0, atol=1e-10)
        np.testing.assert_array_equal(ours.predict(matrices), theirs.predict(matrices))


def test_means_are_those_of_the_classes(three_classes):
    X, y = three_classes
    mdm = dsk.MDM("poweuclid", zeta=0.25).fit(X, np.array(["a", "b", "c"])[y])
    assert mdm.classes_.tolist() == ["a", "b", "c"] and set(mdm.predict(X)) <= {"a", "b", "c"}
    for code in range(3):
        np.testing.assert_allclose(mdm.means_[code], dsk.mean(X[y == code], "poweuclid", zeta=0.25), atol=1e-12)


def test_equal_weights_change_nothing_and_bad_ones_are_refused(classes):
    X, y = classes
    np.testing.assert_allclose(
        dsk.MDM().fit(X, y, sample_weight=np.full(len(y), 3.0)).means_, dsk.MDM().fit(X, y).means_, atol=1e-10
    )
    with pytest.raises(ValueError, match="got 1 for 80 matrices"):
        dsk.MDM().fit(X, y, sample_weight=[1])
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        dsk.MDM().fit(X, y, sample_weight=np.where(np.arange(len(y)) == 3, -1.0, 1))


def test_distances_are_features(three_classes):
    X, y = three_classes
    pipeline = make_pipeline(dsk.MDM(), SVC())
    assert pipeline.fit(X, y).score(X, y) > 0.8
    assert dsk.MDM().fit_transform(X, y).shape == (75, 3)


def test_means_that_do_not_converge_are_warned_of(classes, monkeypatch):
    X, y = classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dsk.MDM().fit(X, y)
        dsk.Recentre(by="groups").fit_transform(X, groups=y)
    recentre_groups = dsk._library.recentre_groups
    monkeypatch.setattr(dsk._library, "recentre_groups", lambda *given: (recentre_groups(*given)[0], False))
    with pytest.warns(ConvergenceWarning, match="the mean of a group did not converge"):
        dsk.Recentre(by="groups").fit_transform(X, groups=y)
