"""The names people type: scikit-learn's and pyRiemann's parameters, attributes and estimators."""
import html
import inspect
import pickle

import numpy as np
import pytest
from pyriemann.classification import MDM as TheirMDM
from pyriemann.classification import FgMDM as TheirFgMDM
from pyriemann.embedding import SpectralEmbedding as TheirEmbedding
from pyriemann.estimation import Covariances as TheirCovariances
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier as SklearnNeighbours
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as SklearnSVC

import dsk


def test_neighbours_come_first():
    assert dsk.KNeighborsClassifier(5).n_neighbors == 5
    assert dsk.KNeighborsClassifier(5, "riemann").metric == "riemann"


def test_metric_is_another_name_of_kernel(classes):
    X, y = classes
    for make in (dsk.KNeighborsClassifier, dsk.SVC):
        named, other = make(metric="logeuclid").fit(X, y), make(kernel="logeuclidean").fit(X, y)
        np.testing.assert_array_equal(named.predict(X), other.predict(X))
        assert named.metric_ == "logeuclidean"
        with pytest.raises(ValueError, match="metric and kernel both choose"):
            make(metric="logeuclid", kernel="euclid").fit(X, y)


def test_kneighbors_are_those_of_the_distances(classes):
    X, y = classes
    fitted = dsk.KNeighborsClassifier(3).fit(X[::2], y[::2])
    distances, indices = fitted.kneighbors(X[1::2])
    expected = SklearnNeighbours(3, metric="precomputed").fit(dsk.pairwise_distance(X[::2]), y[::2])
    theirs = expected.kneighbors(dsk.pairwise_distance(X[1::2], X[::2]))
    np.testing.assert_allclose(distances, theirs[0], rtol=1e-9)
    np.testing.assert_array_equal(indices, theirs[1])
    np.testing.assert_array_equal(fitted.kneighbors(X[1::2], return_distance=False), indices)
    assert (fitted.kneighbors(n_neighbors=2)[0] > 0).all()
    with pytest.raises(ValueError, match="n_neighbors"):
        fitted.kneighbors(X, n_neighbors=len(X))


def test_kneighbors_of_a_learned_kernel_are_those_of_its_divergence(classes):
    X, y = classes
    fitted = dsk.KNeighborsClassifier(3, kernel=dsk.DiscriminativeStein(penalty=0.01)).fit(X, y)
    np.testing.assert_allclose(
        fitted.kneighbors(X[:4])[0], np.sort(np.sqrt(fitted.learned_.divergence(X[:4], X)))[:, :3], atol=1e-7
    )


def test_weights_count_as_repetitions(classes):
    X, y = classes
    weights = np.arange(len(y)) % 3
    repeated = np.repeat(np.arange(len(y)), weights)
    for k in (1, 4, 5):
        ours = dsk.KNeighborsClassifier(k).fit(X, y, sample_weight=weights)
        plain = dsk.KNeighborsClassifier(k).fit(X[repeated], y[repeated])
        np.testing.assert_allclose(ours.predict_proba(X), plain.predict_proba(X), atol=1e-12)
        np.testing.assert_array_equal(ours.predict(X), plain.predict(X))
    with pytest.raises(ValueError, match="sample_weight"):
        dsk.KNeighborsClassifier(3).fit(X, y, sample_weight=weights[:-1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_svc_shows_its_coefficients_as_scikit_learn_does(n_classes):
    X, y = dsk.make_wishart_classes(n_classes, n_per_class=20, dim=4, degrees=10, tau=0.6, random_state=2)
    ours = dsk.SVC(C=1.0, theta=2).fit(X, y)
    K = dsk.kernel(X, theta=2)
    theirs = SklearnSVC(kernel="precomputed", C=1.0, tol=1e-9).fit(K, y)
    assert sorted(ours.support_) == sorted(theirs.support_)
    np.testing.assert_array_equal(X[ours.support_], ours.support_vectors_)
    order, other = np.argsort(ours.support_), np.argsort(theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_[:, order], theirs.dual_coef_[:, other], atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    if n_classes == 2:
        decisions = dsk.kernel(X, ours.support_vectors_, theta=2) @ ours.dual_coef_.T + ours.intercept_
        np.testing.assert_allclose(decisions[:, 0], ours.decision_function(X), atol=1e-9)


def test_pickles_hold_support_matrices_once():
    X, y = dsk.make_wishart_classes(n_per_class=60, dim=20, degrees=40, tau=0.05, random_state=2)
    fitted = dsk.SVC(C=1.0, theta=12.0).fit(X, y)
    content = pickle.dumps(fitted)
    assert len(content) < 1.4 * fitted.support_vectors_.nbytes
    np.testing.assert_array_equal(pickle.loads(content).support_vectors_, fitted.support_vectors_)


def test_svc_by_the_affine_invariant_metric_is_the_tangent_space_machine(classes):
    X, y = classes
    fitted = dsk.SVC(metric="riemann", C=1.0).fit(X[::2], y[::2])
    assert fitted.score(X[1::2], y[1::2]) > 0.8
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    pipeline = make_pipeline(dsk.TangentSpace(), SklearnSVC(kernel="linear")).fit(X[::2], y[::2])
    assert (pipeline.predict(X) == fitted.predict(X)).mean() > 0.9
    with pytest.raises(ValueError, match="theta is not for the linear machine"):
        dsk.SVC(metric="riemann", theta=1.0).fit(X, y)
    assert not hasattr(fitted, "support_vectors_")


def test_covariances_are_pyriemanns():
    epochs = np.random.default_rng(0).standard_normal((6, 4, 100))
    for estimator in ("cov", "lwf", "oas"):
        np.testing.assert_allclose(
            dsk.Covariances(estimator).fit_transform(epochs), TheirCovariances(estimator).fit_transform(epochs), rtol=1e-9
        )


def test_covariances_of_rank_deficient_epochs_are_projected():
    epochs = np.random.default_rng(0).standard_normal((6, 5, 100))
    referenced = epochs - epochs.mean(axis=1, keepdims=True)
    with pytest.warns(UserWarning, match="rank 4 of 5 channels"):
        estimator = dsk.Covariances().fit(referenced)
    assert estimator.rank_ == 4 and estimator.projection_.shape == (5, 4)
    matrices = estimator.transform(referenced)
    assert matrices.shape == (6, 4, 4)
    np.testing.assert_allclose(
        estimator.projection_ @ matrices @ estimator.projection_.T,
        TheirCovariances("cov").fit_transform(referenced),
        atol=1e-12,
    )
    with pytest.warns(UserWarning):
        ours = dsk.Covariances(average_reference=True).fit_transform(epochs)
    np.testing.assert_allclose(np.linalg.eigvalsh(ours), np.linalg.eigvalsh(matrices), rtol=1e-9)


def test_covariances_of_bands_are_those_of_filtered_signals():
    signal = pytest.importorskip("scipy.signal")
    epochs = np.random.default_rng(0).standard_normal((3, 2, 300))
    filtered = [
        signal.sosfiltfilt(signal.butter(4, band, "bandpass", fs=100, output="sos"), epochs) for band in ((8, 12), (12, 30))
    ]
    expected = dsk.covariance(np.concatenate(filtered, axis=1))
    for bands in ("8-12,12-30", [(8, 12), (12, 30)]):
        np.testing.assert_allclose(dsk.Covariances(bands=bands, rate=100).fit_transform(epochs), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="bands need rate"):
        dsk.Covariances(bands="8-12").fit(epochs)


def test_fgmdm_is_pyriemanns(classes):
    X, y = classes
    ours, theirs = dsk.FgMDM().fit(X, y), TheirFgMDM().fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-4, atol=1e-6)


def test_embedding_is_pyriemanns(classes):
    X, _ = classes
    ours, theirs = dsk.SpectralEmbedding(2).fit_transform(X), TheirEmbedding(2).fit_transform(X)
    for column in range(2):
        same = np.abs(ours[:, column] - theirs[:, column]).max()
        flipped = np.abs(ours[:, column] + theirs[:, column]).max()
        assert min(same, flipped) < 1e-4
    with pytest.raises(ValueError, match="not symmetric"):
        dsk.SpectralEmbedding(metric="kullback").fit(X)


def test_evaluate_takes_estimators_beside_methods(classes):
    X, y = classes
    methods = ["SK:knn", dsk.MDM(), TheirMDM(), make_pipeline(dsk.TangentSpace(), LogisticRegression()), "MDM"]
    evaluation = dsk.evaluate(X, y, methods, "halves:4")
    names = [row["method"] for row in evaluation]
    assert names[0] == "SK:knn" and names[1] == "MDM()" and names[-1] == "majority" and len(names) == 6
    rows = {row["method"]: row for row in evaluation}
    # The same classifier by name and as an estimator: the same splits give the same scores and the same tests.
    for key in ("mean", "std", "interval", "balanced_mean", "difference", "low", "high", "p", "test"):
        assert rows["MDM()"][key] == pytest.approx(rows["MDM"][key]), key
    np.testing.assert_array_equal(evaluation.confusion("MDM()"), evaluation.confusion("MDM"))
    compared = [row for row in evaluation if row["p"] is not None]
    assert all(row["p_holm"] >= row["p"] for row in compared)
    assert "is best with" in evaluation.answer and len(evaluation.to_frame()) == 6
    alone = dsk.evaluate(X, y, [dsk.MDM(), dsk.KNeighborsClassifier(1)], "kfold:3")
    assert [row["method"] for row in alone][:2] == ["MDM()", "KNeighborsClassifier(n_neighbors=1)"]
    one_by_one = dsk.evaluate(X, y, ["MDM", dsk.MDM()], "loo")
    assert one_by_one[0]["mean"] == pytest.approx(one_by_one[1]["mean"])
    with pytest.raises(TypeError, match="methods must be a string or a sequence of strings and estimators"):
        dsk.evaluate(X, y, [5])


def test_reports_show_estimators(classes, tmp_path):
    X, y = classes
    pipeline = make_pipeline(dsk.TangentSpace(), LogisticRegression())
    evaluation = dsk.evaluate(X, y, ["SK:knn", dsk.MDM(), pipeline], "halves:3")
    page = evaluation.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    text = html.unescape(page).replace("\u00a0", " ")
    for row in evaluation:
        assert row["method"] in text
    assert evaluation.answer in text
    alone = dsk.evaluate(X, y, [dsk.MDM(), dsk.MDM("logdet")], "loo").report()
    assert "MDM(metric=" in html.unescape(alone) and "McNemar" in alone


def test_given_splits_are_those_of_the_array(classes):
    X, y = classes
    parts = np.where(np.arange(len(y)) % 3 == 0, "test", "train")
    evaluation = dsk.evaluate(X, y, "MDM", parts)
    train, test = evaluation.split(0)
    np.testing.assert_array_equal(test, np.flatnonzero(parts == "test"))
    assert evaluation[0]["mean"] == dsk.MDM().fit(X[train], y[train]).score(X[test], y[test])
    assert len(dsk.evaluate(X, y, "MDM", np.arange(len(y)) % 4).results) == 4
    with pytest.raises(TypeError, match="protocol must be a string"):
        dsk.evaluate(X, y, "MDM", [0.5] * len(y))


def test_evaluations_are_pickled(classes):
    X, y = classes
    evaluation = dsk.evaluate(X, y, ["SK:knn", dsk.MDM()], "halves:2")
    restored = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(evaluation))))
    assert list(restored) == list(evaluation) and repr(restored) == repr(evaluation)
    assert restored.answer == evaluation.answer and restored.results == evaluation.results
    np.testing.assert_array_equal(restored.confusion("SK:knn"), evaluation.confusion("SK:knn"))
    np.testing.assert_array_equal(restored.split(1)[0], evaluation.split(1)[0])
    assert restored.report() == evaluation.report()


def test_devices_are_named(classes):
    X, y = classes
    with pytest.raises(ValueError, match="device must be one of 'cpu', 'cuda'; got 'tpu'"):
        dsk.pairwise_distance(X, device="tpu")
    for call in (
        lambda device: dsk.pairwise_distance(X, device=device),
        lambda device: dsk.kernel(X, theta=2, device=device),
        lambda device: dsk.KNeighborsClassifier(3, device=device).fit(X, y).predict(X),
        lambda device: dsk.SVC(C=1.0, theta=2, device=device).fit(X, y).predict(X),
        lambda device: dsk.DiscriminativeStein(penalty=0.1, device=device).fit(X, y),
        lambda device: dsk.Classifier(device=device).fit(X, y),
        lambda device: dsk.evaluate(X, y, "SK:knn", "halves:2", device=device),
    ):
        try:
            call("cuda")
        except ValueError as error:
            assert "cuda" in str(error).lower()


def test_complex_files_come_back_complex(tmp_path):
    generator = np.random.default_rng(0)
    samples = generator.standard_normal((6, 3, 20)) + 1j * generator.standard_normal((6, 3, 20))
    X = samples @ samples.conj().transpose(0, 2, 1)
    np.savez(tmp_path / "z.npz", X=X, y=np.arange(6) % 2)
    loaded = dsk.load_dataset(tmp_path / "z.npz")
    np.testing.assert_array_equal(loaded.X, (X + X.conj().transpose(0, 2, 1)) / 2)
    X[2, 0, 1] += 1j
    np.savez(tmp_path / "bad.npz", X=X)
    with pytest.raises(ValueError, match="matrix 2 is not Hermitian"):
        dsk.load_dataset(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match="numpy.savez"):
        dsk.save_dataset(tmp_path / "w.npz", X)


PROMISED = {
    "pairwise_distance": "X Y metric squared n_jobs zeta precision device",
    "kernel": "X Y metric theta n_jobs zeta allow_indefinite precision device",
    "DiscriminativeStein": "criterion adjustment theta penalty scale max_iter tol n_jobs random_state",
    "DiscriminativeKernel": "metric criterion adjustment theta penalty scale max_iter tol n_jobs random_state zeta",
    "KNeighborsClassifier": "n_neighbors metric kernel zeta approximate choose_on cv random_state n_jobs device",
    "SVC": "kernel metric C theta zeta class_weight probability margin approximate cv random_state n_jobs device",
    "Classifier": "random_state n_jobs recentre project cv device",
    "MDM": "metric zeta n_jobs",
    "FgMDM": "metric n_jobs",
    "TangentSpace": "metric n_jobs",
    "Recentre": "by n_jobs",
    "Project": "n_components criterion learn penalty max_iter theta tol cv random_state n_jobs",
    "KMeans": "n_clusters metric zeta init n_init max_iter tol random_state n_jobs",
    "KernelKMeans": "n_clusters metric theta zeta n_init max_iter tol random_state n_jobs",
    "SpectralClustering": "n_clusters metric theta n_neighbors zeta random_state n_jobs",
    "SpectralEmbedding": "n_components metric eps n_jobs",
    "Covariances": "estimator bands rate order n_jobs",
    "covariance": "epochs estimator n_jobs",
    "mean": "X metric weights zeta tol max_iter n_jobs",
    "distance": "A B metric squared zeta",
    "align_kernels": "kernels y sample_weight n_jobs",
    "evaluate": "X y methods protocol groups theta penalty n_neighbors C zeta random_state n_jobs results_file",
    "report": "evaluation path",
    "load": "path",
    "load_dataset": "path labels repair part",
    "save_dataset": "path X y groups",
    "repair": "X how",
    "make_wishart_classes": "n_classes n_per_class dim degrees tau random_state",
    "random_spd": "n_matrices dim condition scale random_state",
    "describe_texture": "pictures tiles windows step features estimator n_jobs",
    "describe_gabor": "pictures tiles windows step features estimator n_jobs",
    "describe_series": "trials estimator bands rate order n_jobs",
    "patch_pyriemann": "verbose",
    "unpatch_pyriemann": "",
}


@pytest.mark.parametrize("name", PROMISED)
def test_promised_names_and_parameters_are_there(name):
    assert name in dsk.__all__
    assert set(PROMISED[name].split()) <= set(inspect.signature(getattr(dsk, name)).parameters)
