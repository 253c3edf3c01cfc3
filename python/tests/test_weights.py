"""Weights of matrices: whole numbers count as repetitions, and 0 as leaving out, wherever that must hold."""
import pickle

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.svm import SVC as SklearnSVC

import dsk


@pytest.fixture(scope="module")
def weighted():
    """Matrices with weights, and the same matrices repeated."""
    X, y = dsk.make_wishart_classes(2, n_per_class=20, dim=4, degrees=12, tau=0.5, random_state=3)
    weights = np.arange(len(y)) * 7 % 4
    repeated = np.repeat(np.arange(len(y)), weights)
    return X, y, weights, repeated


def folds_of(weights, repeated):
    """The same folds for the weighted and for the repeated matrices."""
    each = list(KFold(4, shuffle=True, random_state=0).split(np.zeros(len(weights))))
    return each, [tuple(np.flatnonzero(np.isin(repeated, part)) for part in fold) for fold in each]


@pytest.mark.parametrize("margin", ["linear", "squared"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 0.5}])
def test_svc_counts_repetitions(weighted, margin, class_weight):
    X, y, weights, repeated = weighted
    make = lambda: dsk.SVC(C=0.7, theta=2, margin=margin, class_weight=class_weight)  # noqa: E731
    ours, plain = make().fit(X, y, sample_weight=weights), make().fit(X[repeated], y[repeated])
    np.testing.assert_allclose(ours.decision_function(X), plain.decision_function(X), atol=1e-4)
    assert set(ours.support_) <= set(np.flatnonzero(weights))
    np.testing.assert_array_equal(X[ours.support_], ours.support_vectors_)


def test_svc_weighs_as_scikit_learn(weighted):
    X, y, _, _ = weighted
    weights = np.random.default_rng(0).random(len(y)) + 0.2
    ours = dsk.SVC(C=1.0, theta=2).fit(X, y, sample_weight=weights)
    K = dsk.kernel(X, theta=2)
    theirs = SklearnSVC(kernel="precomputed", C=1.0, tol=1e-9).fit(K, y, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(K), atol=1e-4)


def test_svc_with_single_matrices_per_class_weighs_them():
    X = dsk.random_spd(2, 3, random_state=0)
    ours = dsk.SVC(C=0.01, theta=2).fit(X, [0, 1], sample_weight=[1, 3])
    theirs = SklearnSVC(kernel="precomputed", C=0.01).fit(dsk.kernel(X, theta=2), [0, 1], sample_weight=[1, 3])
    np.testing.assert_allclose(np.abs(ours.dual_coef_), np.abs(theirs.dual_coef_), atol=1e-9)


def test_tangent_machine_counts_repetitions(weighted):
    X, y, weights, repeated = weighted
    ours = dsk.SVC(metric="riemann", C=0.3).fit(X, y, sample_weight=weights)
    plain = dsk.SVC(metric="riemann", C=0.3).fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(ours.predict(X), plain.predict(X))


@pytest.mark.parametrize("metric", ["riemann", "logdet", "logeuclid", "wasserstein"])
def test_mdm_counts_repetitions(weighted, metric):
    X, y, weights, repeated = weighted
    ours = dsk.MDM(metric).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.means_, dsk.MDM(metric).fit(X[repeated], y[repeated]).means_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("make, attribute", [(dsk.TangentSpace, "reference_"), (dsk.Recentre, "mean_")])
def test_transformers_count_repetitions(weighted, make, attribute):
    X, _, weights, repeated = weighted
    ours, plain = make().fit(X, sample_weight=weights), make().fit(X[repeated])
    np.testing.assert_allclose(getattr(ours, attribute), getattr(plain, attribute), rtol=1e-8)


@pytest.mark.parametrize("criterion", ["alignment", "separability", "centred", "radius-margin", "trace-margin"])
@pytest.mark.parametrize("adjustment", ["power", "affine"])
def test_learning_counts_repetitions(weighted, criterion, adjustment):
    X, y, weights, repeated = weighted
    make = lambda: dsk.DiscriminativeStein(criterion, adjustment, theta=2, penalty=0.1, tol=1e-10)  # noqa: E731
    ours, plain = make().fit(X, y, sample_weight=weights), make().fit(X[repeated], y[repeated])
    np.testing.assert_allclose(ours.history_[0], plain.history_[0], rtol=1e-9)
    np.testing.assert_allclose(ours.history_[-1], plain.history_[-1], rtol=1e-6)
    np.testing.assert_allclose(ours.alpha_, plain.alpha_, atol=2e-3)


@pytest.mark.parametrize("criterion", ["alignment", "separability", "centred", "neighbour"])
def test_equal_weights_change_nothing(weighted, criterion):
    X, y, _, _ = weighted
    make = lambda: dsk.DiscriminativeStein(criterion, theta=2, penalty=0.1, tol=1e-10)  # noqa: E731
    ours, plain = make().fit(X, y, sample_weight=np.full(len(y), 0.25)), make().fit(X, y)
    np.testing.assert_allclose(ours.history_, plain.history_, rtol=1e-6)
    np.testing.assert_allclose(ours.alpha_, plain.alpha_, atol=1e-4)


def test_weights_of_0_leave_out(weighted):
    X, y, _, _ = weighted
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = weights > 0
    for estimator in (
        dsk.DiscriminativeStein("neighbour", penalty=0.1),
        dsk.Project(2),
        dsk.KNeighborsClassifier(3),
        dsk.SVC(C=1.0, theta=2.0),
        dsk.MDM(),
        dsk.FgMDM(),
        dsk.Classifier(project="start"),
    ):
        ours, plain = estimator.fit(X, y, sample_weight=weights), type(estimator)(**estimator.get_params()).fit(X[kept], y[kept])
        if hasattr(ours, "predict"):
            np.testing.assert_array_equal(ours.predict(X), plain.predict(X), err_msg=repr(estimator))
        else:
            np.testing.assert_array_equal(ours.transform(X), plain.transform(X), err_msg=repr(estimator))


@pytest.mark.parametrize("criterion", ["centred", "alignment", "separability"])
def test_subspaces_count_repetitions(weighted, criterion):
    X, y, weights, repeated = weighted
    make = lambda: dsk.Project(2, criterion, theta=1.0, tol=1e-9, max_iter=200)  # noqa: E731
    ours, plain = make().fit(X, y, sample_weight=weights), make().fit(X[repeated], y[repeated])
    np.testing.assert_allclose(ours.history_[0], plain.history_[0], rtol=1e-7)
    np.testing.assert_allclose(ours.history_[-1], plain.history_[-1], rtol=1e-5)
    covariance = X[repeated].mean(axis=0)
    spread = covariance @ ours.filters_
    np.testing.assert_allclose(ours.patterns_, spread @ np.linalg.inv(ours.filters_.T @ spread), rtol=1e-8)


def test_cross_validation_counts_repetitions(weighted):
    X, y, weights, repeated = weighted
    few, many = folds_of(weights, repeated)
    for make in (
        lambda cv: dsk.KNeighborsClassifier(cv=cv),
        lambda cv: dsk.SVC(theta=2.0, cv=cv),
    ):
        ours, plain = make(few).fit(X, y, sample_weight=weights), make(many).fit(X[repeated], y[repeated])
        assert ours.validation_accuracy_ == pytest.approx(plain.validation_accuracy_)
        assert getattr(ours, "n_neighbors_", None) == getattr(plain, "n_neighbors_", None)
        assert getattr(ours, "C_", None) == getattr(plain, "C_", None)


def test_penalties_are_chosen_with_weights(weighted):
    X, y, weights, repeated = weighted
    few, many = folds_of(weights, repeated)
    make = lambda cv: dsk.DiscriminativeStein("centred", theta=2, cv=cv)  # noqa: E731
    ours, plain = make(few).fit(X, y, sample_weight=weights), make(many).fit(X[repeated], y[repeated])
    for one, other in zip(ours.penalty_scores_, plain.penalty_scores_):
        assert one["penalty"] == pytest.approx(other["penalty"], rel=1e-6)
    # The plain kernel, which nothing is learned for, has the same score to the last digit.
    assert ours.penalty_scores_[-1]["accuracy"] == pytest.approx(plain.penalty_scores_[-1]["accuracy"])


def test_the_default_compares_candidates_with_weights(weighted):
    X, y, weights, repeated = weighted
    few, many = folds_of(weights, repeated)
    ours = dsk.Classifier(project="start", cv=few).fit(X, y, sample_weight=weights)
    plain = dsk.Classifier(project="start", cv=many).fit(X[repeated], y[repeated])
    others = {row["name"]: row["accuracy"] for row in plain.candidates_ if row["folds"] == 4}
    # Others have a theta over the median distance, which is smaller for repeated matrices.
    alike = [row for row in ours.candidates_ if row["name"].startswith(("MDM", "TS:", "SK:knn", "LEK:knn")) and row["folds"] == 4]
    assert len(alike) > 15
    for row in alike:
        assert row["accuracy"] == pytest.approx(others[row["name"]], abs=1e-12), row["name"]


def test_models_with_weights_are_saved(weighted, tmp_path):
    X, y, weights, _ = weighted
    fitted = dsk.KNeighborsClassifier(5).fit(X, y, sample_weight=weights)
    plain = dsk.KNeighborsClassifier(5).fit(X, y)
    assert np.abs(fitted.predict_proba(X) - plain.predict_proba(X)).max() > 0.1
    fitted.save(tmp_path / "weighted.dsk")
    for restored in (dsk.load(tmp_path / "weighted.dsk"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(restored.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("make", [dsk.SVC, dsk.KNeighborsClassifier, dsk.MDM, dsk.FgMDM, dsk.DiscriminativeStein, dsk.Project,
                                  dsk.TangentSpace, dsk.Recentre, dsk.Classifier])
@pytest.mark.parametrize("weights, message", [
    (np.ones(3), "sample_weight must have one entry per matrix; got 3 for 40 matrices"),
    (-np.ones(40), "sample_weight must be finite and not negative"),
    (np.zeros(40), "sample_weight is zero for all matrices"),
    (np.full(40, np.nan), "sample_weight must be finite and not negative"),
    (np.ones((40, 2)), "Sample weights must be 1D array or scalar"),
])
def test_bad_weights_are_refused(weighted, make, weights, message):
    X, y, _, _ = weighted
    with pytest.raises(ValueError, match=message):
        make().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("make", [
    lambda: dsk.SVC(C=0.7, theta=2, approximate="nystrom:1000"),
    lambda: dsk.SVC(C=0.7, theta=2, margin="squared", class_weight="balanced", approximate="nystrom:1000"),
    lambda: dsk.KNeighborsClassifier(5, approximate="nystrom:1000"),
])
def test_approximate_classifiers_count_repetitions(weighted, make, tmp_path):
    X, y, weights, repeated = weighted
    # With every matrix a landmark, nothing is approximated but the features' single precision.
    ours, plain = make().fit(X, y, sample_weight=weights), make().fit(X[repeated], y[repeated])
    unweighted = make().fit(X, y)
    values = (lambda model: model.decision_function(X)) if hasattr(ours, "decision_function") else (
        lambda model: model.predict_proba(X))
    # The descent stops at a projected gradient of 0.05.
    np.testing.assert_allclose(values(ours), values(plain), atol=0.05)
    assert np.abs(values(unweighted) - values(plain)).max() > 0.15
    ours.save(tmp_path / "weighted.dsk")
    np.testing.assert_array_equal(values(dsk.load(tmp_path / "weighted.dsk")), values(ours))


def test_one_class_of_positive_weight_is_refused(weighted):
    X, y, weights, _ = weighted
    with pytest.raises(ValueError, match="only one class"):
        dsk.MDM().fit(X, y, sample_weight=(y == 0).astype(float))
