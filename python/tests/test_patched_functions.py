"""pyRiemann's functions and estimators give the same results patched as without the patch."""
import warnings

import numpy as np
import pytest
from pyriemann.classification import MDM, SVC, FgMDM, KNearestNeighbor
from pyriemann.clustering import Kmeans
from pyriemann.estimation import Covariances
from pyriemann.tangentspace import FGDA, TangentSpace

import dsk
from dsk._pyriemann.distance import METRICS, PAIRS, TO_ONE
from patching import geometry, unpatched_afterwards  # noqa: F401 (a fixture of all tests here)

DIMS = [2, 3, 8, 16]
RTOL = 1e-8


def both(module, name, *arguments, **keywords):
    """Without and with the patch, which must have run here."""
    theirs = getattr(geometry(module), name)(*arguments, **keywords)
    with dsk.patch_pyriemann() as patch:
        here = getattr(geometry(module), name)(*arguments, **keywords)
    assert patch.calls[name, "dsk"] == 1, patch.report()
    assert type(here) is type(theirs)
    assert np.shape(here) == np.shape(theirs) and np.asarray(here).dtype == np.asarray(theirs).dtype
    np.testing.assert_allclose(here, theirs, rtol=RTOL, atol=RTOL * np.abs(theirs).max())
    return here


def left(module, name, *arguments, **keywords):
    """Runs in pyRiemann although patched: the outcome must be that without the patch, exceptions included."""

    def outcome():
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                result = getattr(geometry(module), name)(*arguments, **keywords)
            except Exception as error:
                result = (type(error), str(error))
        return result, [(w.category, str(w.message)) for w in warned]

    expected = outcome()
    with dsk.patch_pyriemann() as patch:
        got = outcome()
    assert sum(count for (function, path), count in patch.calls.items() if function == name and path != "dsk") == 1
    assert got[1] == expected[1]
    if isinstance(expected[0], tuple):
        assert got[0] == expected[0]
    else:
        # What pyRiemann calls inside may run here.
        np.testing.assert_allclose(got[0], expected[0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("lead", [(), (5,), (2, 9)])
@pytest.mark.parametrize("name", ["expm", "invsqrtm", "logm", "sqrtm"])
def test_matrix_functions(name, lead, dim, random_matrices):
    x = random_matrices(max(1, int(np.prod(lead))), dim).reshape(*lead, dim, dim)
    both("base", name, x)


@pytest.mark.parametrize("alpha", [0.3, -1, 2, np.float64(0.5)])
def test_powers(alpha, random_matrices):
    both("base", "powm", random_matrices(9, 5), alpha)


def test_exponentials_of_symmetric_matrices(random_matrices):
    x = random_matrices(9, 5)
    both("base", "expm", x - 2 * np.eye(5))


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("metric", sorted(METRICS))
@pytest.mark.parametrize("dim", DIMS)
def test_distances(metric, squared, dim, random_matrices):
    x, y = random_matrices(20, dim, 1), random_matrices(5, dim, 2)
    if metric in TO_ONE:
        both("distance", "distance", x, y[0], metric=metric, squared=squared)
    if dim > PAIRS[metric].many:
        return
    both("distance", "pairwise_distance", x, y, metric=metric, squared=squared)
    both("distance", "pairwise_distance", y, x, metric=metric, squared=squared)
    theirs = geometry("distance").pairwise_distance(x, metric=metric, squared=squared)
    with dsk.patch_pyriemann():
        here = geometry("distance").pairwise_distance(x, metric=metric, squared=squared)
    np.testing.assert_allclose(here, theirs, rtol=RTOL, atol=1e-6 if squared is False else 1e-10)


def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(random_matrices):
    x = random_matrices(11, 6)
    with dsk.patch_pyriemann():
        for function in (geometry("base").logm, geometry("base").sqrtm, geometry("base").expm):
            np.testing.assert_array_equal(function(x)[3], function(x[3]))


@pytest.mark.parametrize("name", ["mean_riemann", "mean_logdet"])
@pytest.mark.parametrize("dim", DIMS)
def test_means(name, dim, random_matrices):
    x = random_matrices(15, dim)
    weights = np.random.default_rng(0).uniform(size=15)
    tight = 1e-12 * np.abs(x).max()
    for keywords in (
        {},
        {"sample_weight": weights},
        {"init": x[0]},
        {"tol": 1e-4},
        {"tol": 1e-11, "maxiter": 100, "sample_weight": list(weights)},
    ):
        theirs = getattr(geometry("mean"), name)(x, **keywords)
        # The same steps and the same end: far closer than the tolerance of the iterations.
        np.testing.assert_allclose(both("mean", name, x, **keywords), theirs, rtol=1e-10, atol=tight)
    both("mean", name, random_matrices(24, dim).reshape(2, 3, 4, dim, dim))


@pytest.mark.parametrize("name", ["mean_riemann", "mean_logdet"])
def test_a_mean_that_does_not_converge_warns(name, random_matrices):
    x = random_matrices(10, 4)
    with dsk.patch_pyriemann() as patch, pytest.warns(UserWarning, match="^Convergence not reached$"):
        here = getattr(geometry("mean"), name)(x, maxiter=1, tol=0)
    assert patch.calls[name, "dsk"] == 1
    with pytest.warns(UserWarning, match="Convergence not reached"):
        theirs = getattr(geometry("mean"), name)(x, maxiter=1, tol=0)
    np.testing.assert_allclose(here, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dim", DIMS)
def test_tangent_space(dim, random_matrices):
    x, reference = random_matrices(6, dim, 1), random_matrices(1, dim, 2)[0]
    rows = both("tangentspace", "tangent_space", x, reference)
    both("tangentspace", "untangent_space", rows, reference)
    both("tangentspace", "tangent_space", x.reshape(2, 3, dim, dim), reference, metric="riemann")
    both("tangentspace", "untangent_space", rows.reshape(2, 3, -1), reference)
    both("tangentspace", "tangent_space", x[0], reference)


@pytest.mark.parametrize("name", ["kernel_euclid", "kernel_logeuclid", "kernel_riemann"])
def test_kernels(name, random_matrices):
    x, y, reference = random_matrices(6, 5, 1), random_matrices(4, 5, 2), random_matrices(1, 5, 3)[0]
    for arguments in ((x,), (x, y)):
        for keywords in ({}, {"Cref": reference}, {"reg": 1e-3}):
            both("kernel", name, *arguments, **keywords)


@pytest.mark.parametrize("estimator", ["cov", "corr", "lwf", "oas"])
def test_covariances(estimator):
    epochs = np.random.default_rng(0).standard_normal((6, 5, 40))
    both("covariance", "covariances", epochs, estimator=estimator)
    both("covariance", "covariances", epochs.reshape(2, 3, 5, 40), estimator=estimator)


def test_what_is_left_to_pyriemann(random_matrices):
    x = random_matrices(4, 3)
    semidefinite = np.array([np.diag([1.0, 0.0]), np.eye(2)])
    hermitian = x + 1j * (np.triu(x, 1) - np.tril(x, -1)) / 3
    for matrices in (x.astype(np.float32), hermitian, semidefinite, -x, np.full((2, 2, 2), np.nan), x[:, :2], x[0, 0]):
        left("base", "logm", matrices)
        left("base", "sqrtm", matrices)
    left("base", "logm", x.tolist())
    left("base", "powm", x, np.array([1.0, 2.0, 3.0]))
    left("base", "logm", np.tril(x))
    left("distance", "pairwise_distance", x, metric="euclid")
    left("distance", "pairwise_distance", x, metric="euclid")
    left("distance", "pairwise_distance", x, metric="no such metric")
    left("distance", "pairwise_distance", hermitian)
    left("distance", "distance", x, random_matrices(4, 2)[0])
    left("distance", "distance", x, x)
    left("distance", "distance", x, x[0], metric="chol")
    left("mean", "mean_riemann", hermitian)
    left("mean", "mean_riemann", x, sample_weight=np.ones(3))
    left("mean", "mean_riemann", x, sample_weight=np.array([1.0, 1, 1, -0.5]))
    left("mean", "mean_riemann", x, init=np.eye(2))
    left("mean", "mean_riemann", x, no_such_option=1)
    left("mean", "mean_riemann", semidefinite)
    left("tangentspace", "tangent_space", x, np.eye(3), metric="logeuclid")
    left("tangentspace", "tangent_space", x, np.eye(2))
    left("tangentspace", "untangent_space", np.ones((2, 6)), np.eye(2))
    left("kernel", "kernel_riemann", x, x[:, :2, :2])
    left("kernel", "kernel_riemann", x, Cref=np.eye(2))
    epochs = np.random.default_rng(0).standard_normal((3, 4, 30))
    left("covariance", "covariances", epochs - epochs.mean(axis=1, keepdims=True), "cov")
    left("covariance", "covariances", epochs, "scm")
    left("covariance", "covariances", epochs, "cov", bias=True)
    left("covariance", "covariances", epochs[..., :3], "cov")
    left("covariance", "covariances", epochs, "no such estimator")
    with dsk.patch_pyriemann() as patch:
        geometry("base").logm(x.astype(np.float32))
        geometry("base").logm(semidefinite)
    assert patch.calls["logm", "not of dtype float64"] == 1
    assert patch.calls["logm", "matrices that are not symmetric positive definite"] == 1


def test_sizes_for_which_pyriemann_is_faster_are_left_to_it(random_matrices):
    large = random_matrices(2, 150)
    left("base", "logm", large)
    left("mean", "mean_riemann", large)
    left("distance", "pairwise_distance", large)
    left("tangentspace", "tangent_space", large, large[0])
    left("kernel", "kernel_riemann", large, Cref=large[0])
    both("base", "logm", random_matrices(2, 100))
    both("base", "expm", random_matrices(16, 60))
    left("base", "expm", random_matrices(15, 60))
    both("distance", "pairwise_distance", random_matrices(8, 150))


@pytest.mark.parametrize(
    "make",
    [
        lambda: MDM(),
        lambda: MDM(metric="logdet"),
        lambda: MDM(metric="logeuclid"),
        lambda: FgMDM(),
        lambda: KNearestNeighbor(3),
        lambda: KNearestNeighbor(3, metric="chol"),
        lambda: SVC(),
        lambda: SVC(metric="logeuclid"),
    ],
)
def test_classifiers_give_the_same(make, three_classes):
    x, y = three_classes
    theirs = make().fit(x[::2], y[::2]).predict(x[1::2])
    with dsk.patch_pyriemann() as patch:
        here = make().fit(x[::2], y[::2]).predict(x[1::2])
    np.testing.assert_array_equal(here, theirs)
    assert any(path == "dsk" for _, path in patch.calls)


def test_the_discriminant_analysis_of_fgmdm_is_scikit_learns(three_classes, random_matrices):
    many = random_matrices(40, 12)  # more features, 78, than matrices
    for x, y in (three_classes, (many, np.arange(40) % 2)):
        theirs = FgMDM().fit(x, y)
        with dsk.patch_pyriemann() as patch:
            here = FgMDM().fit(x, y)
        assert patch.calls["FGDA._fit_lda", "dsk"] == 1
        ours, expected = here._fgda._lda, theirs._fgda._lda
        for name in ("classes_", "coef_", "intercept_", "means_", "priors_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(expected, name), rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(here.transform(x), theirs.transform(x), rtol=1e-6, atol=1e-6)
    single = np.r_[0, np.ones(len(x) - 1, dtype=int)]
    with warnings.catch_warnings(), dsk.patch_pyriemann() as patch:
        warnings.simplefilter("ignore")
        FgMDM().fit(x, single)
    assert patch.calls["FGDA._fit_lda", "a discriminant analysis in which a class has one matrix"] == 1


def fitted_filters(x, y, **options):
    """FGDA without and with the patch, what it makes of x, and the patch."""
    theirs = FGDA(**options)
    expected = theirs.fit_transform(x, y), theirs.transform(x[:7])
    with dsk.patch_pyriemann() as patch:
        here = FGDA(**options)
        got = here.fit_transform(x, y), here.transform(x[:7])
    np.testing.assert_allclose(here._W, theirs._W, rtol=1e-7, atol=1e-7 * np.abs(theirs._W).max())
    for one, other in zip(got, expected):
        assert one.flags.c_contiguous and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7 * np.abs(other).max())
        np.testing.assert_allclose(one, one.transpose(0, 2, 1), rtol=1e-12)
    return patch


@pytest.mark.parametrize("dim", [1, 2, 8, 40])
@pytest.mark.parametrize("options", [{}, {"metric": {"mean": "logeuclid", "map": "riemann"}}, {"tsupdate": True}])
def test_the_filter_of_two_classes(dim, options, random_matrices):
    x, y = random_matrices(50, dim), np.arange(50) % 2
    x[y == 1] *= 1.5
    assert fitted_filters(x, y, **options).calls["FGDA._retro_project", "dsk"] == 2


def test_filters_that_are_left_to_pyriemann(three_classes, random_matrices):
    calls = fitted_filters(*three_classes).calls
    assert calls["FGDA._retro_project", "more than two classes"] == 2
    x, y = random_matrices(20, 3), np.arange(20) % 2
    assert fitted_filters(x, y, metric="logeuclid").calls["FGDA._retro_project", "a metric other than riemann"] == 2
    theirs = FGDA().fit(x, y)
    rows = 1e4 * theirs._ts.transform(x)
    with np.errstate(all="ignore"), dsk.patch_pyriemann() as patch:
        theirs._retro_project(rows)
        theirs._retro_project(rows[:0])
    assert patch.calls["FGDA._retro_project", "matrices at the limits of double"] == 1
    assert patch.calls["FGDA._retro_project", "rows that are not of float64"] == 1


def test_transformers_and_clusters_give_the_same(three_classes):
    x, _ = three_classes
    epochs = np.random.default_rng(0).standard_normal((8, 4, 50))

    def results():
        return (
            TangentSpace().fit_transform(x),
            TangentSpace(metric="logeuclid").fit_transform(x),
            Covariances("oas").transform(epochs),
            Kmeans(3, random_state=1, n_init=2).fit(x).labels_,
            Kmeans(3, random_state=1, n_init=2).fit(x).transform(x),
        )

    theirs = results()
    with dsk.patch_pyriemann():
        here = results()
    for one, other in zip(here, theirs):
        np.testing.assert_allclose(one, other, rtol=RTOL, atol=RTOL * np.abs(other).max())
