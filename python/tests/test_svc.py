"""The support vector machine, against scikit-learn's on the same kernel."""
import numpy as np
import pytest
from sklearn.svm import SVC as PeerSVC

import dsk


def peer(K, y, C, **more):
    return PeerSVC(kernel="precomputed", C=C, tol=1e-8, **more).fit(K, y)


@pytest.mark.parametrize("metric", ["stein", "logeuclidean", "euclidean", "cholesky"])
@pytest.mark.parametrize("C", [0.5, 10, 1000])
@pytest.mark.filterwarnings("ignore:the kernel matrix is nearly the identity")
def test_equals_scikit_learn_on_the_precomputed_kernel(metric, C, classes, three_classes):
    for X, y in (classes, three_classes):
        train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
        ours = dsk.SVC(kernel=metric, C=C, theta=2).fit(X[train], y[train])
        theirs = peer(dsk.kernel(X[train], metric=metric, theta=2), y[train], C)
        to_training = dsk.kernel(X[test], X[train], metric=metric, theta=2)
        np.testing.assert_allclose(
            ours.decision_function(X[test]), theirs.decision_function(to_training), atol=2e-4, rtol=1e-4
        )
        np.testing.assert_array_equal(ours.predict(X[test]), theirs.predict(to_training))
        np.testing.assert_allclose(ours.n_support_, theirs.n_support_, atol=1)
        assert ours.support_vectors_.shape == (ours.n_support_.sum(), 4, 4)


def test_learned_kernel_equals_scikit_learn_too(three_classes):
    X, y = three_classes
    stein = dsk.DiscriminativeStein(criterion="centred", adjustment="affine", penalty=0.01).fit(X, y)
    ours = dsk.SVC(kernel=stein.learned_, C=10).fit(X, y)
    theirs = peer(stein.kernel(X), y, 10)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(stein.kernel(X)), atol=2e-4, rtol=1e-4
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(stein.kernel(X)))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 5.0}, {1: 0.2}])
def test_class_weights_equal_scikit_learn(class_weight, classes):
    X, y = classes
    X, y = X[20:], y[20:]
    ours = dsk.SVC(C=2, theta=2, class_weight=class_weight).fit(X, y)
    K = dsk.kernel(X, theta=2)
    theirs = peer(K, y, 2, class_weight=class_weight)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(K), atol=2e-4)


def test_decision_function_has_scikit_learns_shapes(three_classes):
    X, y = three_classes
    one_against_one = dsk.SVC(C=1, theta=2, decision_function_shape="ovo").fit(X, y)
    K = dsk.kernel(X, theta=2)
    theirs = peer(K, y, 1, decision_function_shape="ovo")
    np.testing.assert_allclose(one_against_one.decision_function(X), theirs.decision_function(K), atol=2e-4)
    assert dsk.SVC(C=1, theta=2).fit(X, y).decision_function(X).shape == (75, 3)
    two = y < 2
    decisions = dsk.SVC(C=1, theta=2).fit(X[two], y[two]).decision_function(X[two])
    assert decisions.shape == (50,)


def test_sign_of_the_decision_is_the_prediction(classes):
    X, y = classes
    names = np.array(["cat", "dog"])[y]
    svc = dsk.SVC(C=1, theta=2).fit(X, names)
    np.testing.assert_array_equal(svc.predict(X), np.where(svc.decision_function(X) > 0, "dog", "cat"))


def test_probabilities_are_there_when_asked_for(classes, three_classes):
    for X, y in (classes, three_classes):
        svc = dsk.SVC(C=1, theta=2, probability=True).fit(X, y)
        probabilities = svc.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert (svc.classes_[probabilities.argmax(axis=1)] == svc.predict(X)).mean() > 0.85
    assert not hasattr(dsk.SVC(), "predict_proba")


def test_squared_margin_is_a_hard_margin_on_a_shifted_kernel(classes):
    X, y = classes
    C = 3.0
    ours = dsk.SVC(C=C, theta=2, margin="squared").fit(X, y)
    K = dsk.kernel(X, theta=2)
    theirs = peer(K + np.eye(len(y)) / C, y, 1e10)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(K), atol=2e-3)


def test_theta_range_auto_tries_both(random_matrices):
    # At this size every valid theta makes the kernel matrix nearly the identity.
    generator = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = random_matrices(60, 40, samples_per_dim=1)
    X *= 1 + 0.15 * y[:, np.newaxis, np.newaxis] + 0.02 * generator.standard_normal((60, 1, 1))
    with pytest.warns(UserWarning, match="nearly the identity"):
        valid = dsk.SVC(theta_range="valid").fit(X, y)
    chosen = dsk.SVC().fit(X, y)
    assert valid.theta_ >= 0.5 > chosen.theta_
    assert chosen.validation_accuracy_ >= valid.validation_accuracy_
    assert dsk.SVC(approximate="nystrom:20").fit(X[:, :12, :12].copy(), y).theta_ >= 0.5


def test_theta_out_of_range_is_said_to_be_so(random_matrices):
    X = random_matrices(30, 12)
    y = np.arange(30) % 2
    svc = dsk.SVC(C=1, theta=0.05, theta_range="any").fit(X, y)
    assert svc.smallest_eigenvalue_ is not None
    assert dsk.SVC(C=1, theta=1).fit(X, y).smallest_eigenvalue_ is None
