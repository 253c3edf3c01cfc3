"""The classifier that chooses everything."""
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline

import dsk


@pytest.fixture(scope="module")
def fitted(classes):
    return dsk.Classifier().fit(*classes)


def shifted_subjects(seed=2):
    """Three subjects whose channels are amplified and mixed differently: X, y, groups."""
    X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, degrees=30, tau=1, random_state=seed)
    groups = np.arange(len(y)) % 3
    mixing = np.random.default_rng(seed).standard_normal((3, 4, 4)) + 2 * np.eye(4)
    mixing *= 2.0 ** np.arange(3)[:, np.newaxis, np.newaxis]
    return np.einsum("nij,njk,nlk->nil", mixing[groups], X, mixing[groups]), y, groups


def test_it_tells_what_it_chose(fitted, classes):
    X, y = classes
    assert fitted.score(X, y) > 0.8
    best = fitted.candidates_[0]
    assert len(fitted.candidates_) > 100 and best["accuracy"] == fitted.validation_accuracy_
    assert all(row["folds"] <= best["folds"] and 0 <= row["accuracy"] <= 1 for row in fitted.candidates_)
    assert best["name"].startswith("average of ")
    members = best["name"].replace("; ", "\n  ")  # each in a line of its own
    assert fitted.summary().startswith(f"chosen: {members}")
    assert fitted.n_features_in_ == 4 and fitted.classes_.tolist() == [0, 1]
    scores = fitted.predict_proba(X)
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    assert scores.shape == (80, 2)


def test_equals_the_command_line(fitted, classes, program, tmp_path):
    X, y = classes
    dsk.save_dataset(tmp_path / "X.npz", X, y)
    program("train", tmp_path / "X.npz", "-o", tmp_path / "theirs.dsk")
    fitted.save(tmp_path / "ours.dsk")
    np.testing.assert_array_equal(dsk.Classifier.load(tmp_path / "theirs.dsk").predict_proba(X), fitted.predict_proba(X))
    loaded = dsk.Classifier.load(tmp_path / "ours.dsk")
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))


def test_pickles_keep_the_summary(fitted, classes):
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.summary() == fitted.summary() and restored.candidates_ == fitted.candidates_
    np.testing.assert_array_equal(restored.predict_proba(classes[0]), fitted.predict_proba(classes[0]))


def test_threads_and_seeds(fitted, classes):
    X, y = classes
    alone = dsk.Classifier(n_jobs=1).fit(X, y)
    assert alone.candidates_ == fitted.candidates_
    np.testing.assert_array_equal(alone.predict_proba(X), fitted.predict_proba(X))
    assert dsk.Classifier(random_state=1).fit(X, y).candidates_ != fitted.candidates_


def test_recentring_by_groups_carries_over_to_new_subjects():
    X, y, groups = shifted_subjects()
    old, new = groups < 2, groups == 2
    recentred = dsk.Classifier(recentre="groups").fit(X[old], y[old], groups=groups[old])
    assert recentred.score(X[new], y[new], groups=groups[new]) > 0.9
    # Without groups all that is predicted is one group, and this is one.
    np.testing.assert_array_equal(recentred.predict(X[new]), recentred.predict(X[new], groups=groups[new]))
    moved = dsk.Recentre("groups").fit_transform(X, groups=groups)
    np.testing.assert_allclose(
        recentred.predict_proba(X, groups=groups),
        np.concatenate([recentred.predict_proba(moved[groups == g]) for g in range(3)])[
            np.argsort(np.argsort(groups, kind="stable"), kind="stable")
        ],
        atol=1e-9,
    )
    with pytest.raises(ValueError, match="groups do not match"):
        recentred.predict(X, groups=groups[:-1])


def test_projection_can_be_given(classes):
    X, y = classes
    for project in (2, "start"):
        assert dsk.Classifier(project=project, cv=2).fit(X, y).score(X, y) > 0.8
    names = [row["name"] for row in dsk.Classifier(project=2, cv=2).fit(X, y).candidates_]
    assert any("2 components" in name for name in names) and not any("1 component," in name for name in names)


def test_in_searches_and_pipelines(classes):
    X, y = classes
    assert cross_val_score(dsk.Classifier(cv=2), X, y, cv=2).mean() > 0.7
    pipeline = make_pipeline(dsk.Recentre(), dsk.Classifier(cv=2))
    search = GridSearchCV(pipeline, {"classifier__project": [1, "start"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.7
    assert clone(dsk.Classifier(project=3)).project == 3


@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 4), reason="no metadata routing in cross_val_score"
)
def test_groups_are_routed():
    X, y, groups = shifted_subjects()
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = dsk.Classifier(recentre="groups", cv=2).set_fit_request(groups=True).set_score_request(groups=True)
        routed = dict(cv=LeaveOneGroupOut(), params={"groups": groups})
        assert cross_val_score(classifier, X, y, **routed).mean() > 0.8
        recentre = dsk.Recentre("groups").set_fit_request(groups=True).set_transform_request(groups=True)
        assert cross_val_score(make_pipeline(recentre, dsk.MDM()), X, y, **routed).mean() > 0.8
    without = make_pipeline(dsk.Recentre(), dsk.MDM())
    assert cross_val_score(without, X, y, groups=groups, cv=LeaveOneGroupOut()).mean() < 0.7


def test_verbose_shows_folds(classes, capfd):
    dsk.Classifier(cv=2, verbose=True).fit(*classes)
    assert "folds" in capfd.readouterr().err
