"""Classifiers in Nystrom features."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import dsk


@pytest.fixture(scope="module")
def halves():
    X, y = dsk.make_wishart_classes(n_classes=3, n_per_class=200, dim=3, degrees=15, tau=0.9, random_state=1)
    return X[::2], y[::2], X[1::2], y[1::2]


MODELS = [dsk.SVC(C=10, theta=2), dsk.KNeighborsClassifier(n_neighbors=5), dsk.SVC(), dsk.KNeighborsClassifier()]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("approximate", ["nystrom:150", "nystrom:auto", "nystrom:error=0.001"])
def test_is_about_as_good_as_the_exact_one(model, approximate, halves):
    X, y, other, truth = halves
    exact = clone(model).fit(X, y)
    found = clone(model).set_params(approximate=approximate).fit(X, y)
    assert abs(found.score(other, truth) - exact.score(other, truth)) < 0.04
    assert exact.approximation_ is None
    assert found.approximation_["choice"] == "adaptive"
    assert 0 < found.approximation_["landmarks"] <= 300
    assert 0 <= found.approximation_["residual_share"] < 0.05
    assert found.approximation_["chosen_on"] == 300


def test_a_machine_keeps_the_landmarks(halves):
    X, y, other, _ = halves
    svc = dsk.SVC(C=1, theta=2, approximate="nystrom:20").fit(X, y)
    assert svc.support_vectors_.shape == (20, 3, 3)
    assert all((X == matrix).all(axis=(1, 2)).any() for matrix in svc.support_vectors_)
    assert svc.decision_function(other).shape == (300, 3)


def test_settings_are_chosen_on_a_part(halves):
    X, y, _, _ = halves
    knn = dsk.KNeighborsClassifier(approximate="nystrom:30", choose_on=60).fit(X, y)
    assert knn.approximation_["chosen_on"] == 60
    learned = dsk.SVC(dsk.DiscriminativeStein("centred", "affine", penalty=0.01), approximate="nystrom:30", choose_on=90)
    assert learned.fit(X, y).learned_.adjustment == "affine"


@pytest.mark.parametrize("model", MODELS[:2], ids=repr)
def test_files_and_pickles(model, halves, tmp_path):
    X, y, other, _ = halves
    fitted = clone(model).set_params(approximate="nystrom:25").fit(X, y)
    fitted.save(tmp_path / "m.dsk")
    loaded = dsk.load(tmp_path / "m.dsk")
    assert loaded.approximate == "nystrom:25"
    for again in (loaded, pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(again.predict(other), fitted.predict(other))
        assert again.approximation_ == fitted.approximation_
    np.testing.assert_array_equal(clone(loaded).fit(X, y).predict(other), fitted.predict(other))


def test_can_be_searched_over(halves):
    X, y, _, _ = halves
    grid = {"approximate": [None, "nystrom:5", "nystrom:100"]}
    search = GridSearchCV(dsk.SVC(C=1, theta=2), grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.6


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"approximate": "nystrom:0"}, "nystrom:M"),
        ({"approximate": "fourier"}, "nystrom:M"),
        ({"approximate": 1000}, "approximate must be"),
        ({"approximate": "nystrom:9", "choose_on": 1}, "choose_on must be"),
        ({"approximate": "nystrom:9", "choose_on": "all"}, "choose_on must be"),
        ({"approximate": "nystrom:9", "theta_range": "any"}, "positive definite"),
        ({"approximate": "nystrom:9", "probability": True}, "probabilities"),
    ],
)
def test_what_cannot_be_used_is_refused(parameters, said, halves):
    X, y, _, _ = halves
    with pytest.raises(ValueError, match=said):
        dsk.SVC(C=1, theta=2, **parameters).fit(X, y)
    with pytest.raises(ValueError, match="airm"):
        dsk.KNeighborsClassifier(3, "airm", approximate="nystrom:9").fit(X, y)
