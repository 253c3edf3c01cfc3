"""Several kernels combined, against SciPy and by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

import dsk


def some_data(seed=0, n=25, dim=5):
    return dsk.make_wishart_classes(n_classes=3, n_per_class=n, dim=dim, degrees=14, tau=0.7, random_state=seed)


def some_kernels(X):
    return np.array(
        [
            dsk.kernel(X, metric=metric, theta=theta)
            for metric in ("stein", "logeuclidean", "cholesky", "euclidean", "powereuclidean")
            for theta in (0.5, 2, 8)
        ]
    )


def centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def programme(kernels, y):
    """M and a, from dense matrices of unit variance."""
    n = len(y)
    bases = [centred(K) for K in kernels]
    bases = np.array([K * n / np.trace(K) for K in bases]).reshape(len(kernels), -1)
    return bases @ bases.T, bases @ centred((y[:, None] == y).astype(float)).ravel(), bases


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_two_other_solvers(seed):
    X, y = some_data(seed)
    kernels = some_kernels(X)
    M, a, bases = programme(kernels, y)
    found = dsk.align_kernels(kernels, y)
    # |sum_k v_k K_k - Y|^2 = v'Mv - 2 v'a + const: SciPy's non-negative least squares solves it from the matrices.
    v, _ = nnls(bases.T, centred((y[:, None] == y).astype(float)).ravel())
    np.testing.assert_allclose(found.weights, v / v.sum(), atol=1e-6)

    def alignment(w):
        return w @ a / np.sqrt(w @ M @ w)

    start = np.full(len(a), 1 / len(a))
    other = minimize(
        lambda w: w @ M @ w - 2 * w @ a, start, jac=lambda w: 2 * (M @ w - a), bounds=[(0, None)] * len(a), method="L-BFGS-B"
    )
    assert alignment(found.weights) >= alignment(other.x) - 1e-9
    assert alignment(found.weights) >= alignment(start)
    target = np.linalg.norm(centred((y[:, None] == y).astype(float)))
    assert found.alignment == pytest.approx(alignment(found.weights) / target, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_a_quadratic_programme(seed):
    cvxopt = pytest.importorskip("cvxopt")
    X, y = some_data(seed)
    kernels = some_kernels(X)
    M, a, _ = programme(kernels, y)
    scale = np.abs(a).max()
    count = len(a)
    found = cvxopt.solvers.qp(
        cvxopt.matrix(M / scale),
        cvxopt.matrix(-a / scale),
        cvxopt.matrix(-np.eye(count)),
        cvxopt.matrix(np.zeros(count)),
        options={"show_progress": False, "abstol": 1e-13, "reltol": 1e-13, "feastol": 1e-13, "maxiters": 200},
    )
    assert found["status"] == "optimal"
    v = np.array(found["x"]).ravel()
    np.testing.assert_allclose(dsk.align_kernels(kernels, y).weights, v / v.sum(), atol=1e-5)


def test_what_does_not_fit_is_refused():
    X, y = some_data()
    kernels = some_kernels(X)
    with pytest.raises(ValueError, match="the number of labels; got"):
        dsk.align_kernels(kernels, y[1:])
    with pytest.raises(ValueError, match="two or more classes"):
        dsk.align_kernels(kernels, np.zeros(len(y)))
    skew = np.array(kernels)
    skew[1, 2, 3] += 0.1
    with pytest.raises(ValueError, match="kernel 1 is not symmetric"):
        dsk.align_kernels(skew, y)
    with pytest.raises(ValueError, match="must be finite and not negative"):
        dsk.align_kernels(kernels, y, sample_weight=-np.ones(len(y)))


def test_a_combined_kernel_takes_no_zeta():
    X, y = some_data()
    with pytest.raises(ValueError, match="kernel='combined' has a zeta of its own"):
        dsk.SVC(kernel="combined", zeta=0.3).fit(X, y)


def test_svc_with_a_combined_kernel(tmp_path):
    X, y = some_data()
    Z, z = some_data(1)
    svc = dsk.SVC(kernel="combined", cv=3).fit(X, y)
    assert svc.score(Z, z) > 0.5
    assert 0 < len(svc.weights_) <= 39
    assert min(svc.weights_.values()) > 0
    assert sum(svc.weights_.values()) == pytest.approx(1)
    assert svc.C_ in (1, 10, 100, 1000)
    assert not hasattr(svc, "theta_") and not hasattr(svc, "metric_")
    svc.save(tmp_path / "m.dsk")
    loaded = dsk.load(tmp_path / "m.dsk")
    assert loaded.kernel == "combined"
    assert loaded.weights_ == svc.weights_
    np.testing.assert_array_equal(loaded.predict(Z), svc.predict(Z))
    np.testing.assert_array_equal(loaded.decision_function(Z), svc.decision_function(Z))
    # The same estimator with another kernel forgets the weights, and the other way round.
    svc.set_params(kernel="stein").fit(X, y)
    assert not hasattr(svc, "weights_") and svc.metric_ == "stein"
    svc.set_params(kernel="combined").fit(X, y)
    assert not hasattr(svc, "theta_") and svc.weights_


def test_threads_do_not_matter():
    X, y = some_data()
    one, two = (dsk.SVC(kernel="combined", cv=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.weights_ == two.weights_
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_combined_is_for_the_svm_alone():
    X, y = some_data(n=8)
    with pytest.raises(ValueError, match="theta and zeta of combined kernels are chosen"):
        dsk.SVC(kernel="combined", theta=1).fit(X, y)
    with pytest.raises(ValueError, match="combined"):
        dsk.KNeighborsClassifier(kernel="combined").fit(X, y)


def test_combined_has_probabilities():
    X, y = some_data()
    svc = dsk.SVC(kernel="combined", C=10, cv=3, probability=True).fit(X, y)
    np.testing.assert_allclose(svc.predict_proba(X).sum(axis=1), 1)
