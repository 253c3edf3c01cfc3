"""Arrays as users have them: what is taken, what is refused, and that nothing is changed."""
import numpy as np
import pytest
from scipy import sparse

import dsk


def estimators():
    return [
        dsk.DiscriminativeStein(penalty=0.1),
        dsk.KNeighborsClassifier(n_neighbors=3),
        dsk.SVC(C=1, theta=2),
        dsk.MDM(),
        dsk.Project(2),
    ]


def classifiers():
    return [estimator for estimator in estimators() if hasattr(estimator, "predict")] + [dsk.Classifier(cv=2)]


def apply(estimator, X):
    return estimator.transform(X) if hasattr(estimator, "transform") else estimator.predict(X)


def variants(X):
    """The same numbers in other clothes."""
    big_endian = X.astype(">f8")
    strided = np.empty((len(X), 9, 9))
    strided[:, ::2, ::2][:, : X.shape[1], : X.shape[1]] = X
    read_only = X.copy()
    read_only.setflags(write=False)
    return {
        "list": X.tolist(),
        "list of arrays": list(X),
        "tuple": tuple(map(tuple, X.tolist())),
        "Fortran order": np.asfortranarray(X),
        "not contiguous": strided[:, ::2, ::2][:, : X.shape[1], : X.shape[1]],
        "reversed": X[::-1].copy()[::-1],
        "transposed": X.transpose(0, 2, 1),
        "big endian": big_endian,
        "objects": X.astype(object),
        "read only": read_only,
        "masked": np.ma.asarray(X),
    }


def test_any_array_like_gives_the_same_bits(classes):
    X, y = classes
    expected = dsk.pairwise_distance(X)
    for name, variant in variants(X).items():
        np.testing.assert_array_equal(dsk.pairwise_distance(variant), expected, err_msg=name)
    for estimator in estimators():
        reference = apply(estimator.fit(X, y), X)
        for name, variant in variants(X).items():
            np.testing.assert_array_equal(apply(estimator.fit(variant, y), variant), reference, err_msg=name)


def test_memory_mapped_file_is_read(classes, tmp_path):
    np.save(tmp_path / "X.npy", classes[0])
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(dsk.pairwise_distance(mapped), dsk.pairwise_distance(classes[0]))


def test_single_precision_and_integers_are_taken(classes):
    X, y = classes
    np.testing.assert_allclose(
        dsk.pairwise_distance(X.astype(np.float32)), dsk.pairwise_distance(X), atol=2e-3
    )
    assert dsk.pairwise_distance(X.astype(np.float32)).dtype == np.float64
    dsk.SVC(C=1, theta=2).fit(X.astype(np.float32), y).predict(X.astype(np.float32))
    whole = np.stack([np.diag([1, 2, 3]), np.diag([2, 2, 5])])
    np.testing.assert_array_equal(dsk.pairwise_distance(whole), dsk.pairwise_distance(whole.astype(float)))


def test_the_asymmetry_of_single_precision_is_accepted():
    samples = np.random.default_rng(0).standard_normal((8, 6, 40)).astype(np.float32)
    X = np.einsum("nit,njt->nij", samples, samples[:, :, ::-1][:, :, ::-1])
    X[:, 0, 1] *= np.float32(1 + 1e-6)
    assert (X != X.transpose(0, 2, 1)).any()
    D = dsk.pairwise_distance(X)
    np.testing.assert_array_equal(D, D.T)
    assert dsk.MDM().fit(X, np.arange(8) % 2).predict(X).shape == (8,)


def test_contiguous_arrays_are_read_in_place():
    from dsk._arrays import as_matrices

    for dtype in (np.float64, np.float32):
        X = np.stack([np.eye(3, dtype=dtype)] * 2)
        assert as_matrices(X) is X
        assert np.shares_memory(as_matrices(X[1:]), X)


def test_inputs_are_never_modified(classes):
    X, y = classes
    nearly_symmetric = X.copy()
    nearly_symmetric[:, 0, 1] *= 1 + 1e-12
    for original in (nearly_symmetric, X.astype(np.float32), np.asfortranarray(X)):
        kept, labels = original.copy(), y.copy()
        dsk.pairwise_distance(kept)
        dsk.kernel(kept, kept, theta=2)
        dsk.repair(kept, "shrink:0.1")
        for estimator in estimators():
            apply(estimator.fit(kept, labels), kept)
        dsk.evaluate(kept, labels, "SK:knn", "halves:2")
        np.testing.assert_array_equal(kept, original)
        np.testing.assert_array_equal(labels, y)


BAD = {
    "2-D": (lambda X: X[0], ValueError, r"Expected 3D array .* got 2D array .*X\[np.newaxis\]"),
    "1-D": (lambda X: X[0, 0], ValueError, "Expected 3D array"),
    "4-D": (lambda X: X[np.newaxis], ValueError, "got 4D"),
    "not square": (lambda X: X[:, :2], ValueError, "square"),
    "no matrices": (lambda X: X[:0], ValueError, r"0 sample\(s\)"),
    "no entries": (lambda X: X[:, :0, :0], ValueError, r"0 feature\(s\)"),
    "text": (lambda X: X.astype(str).astype(object) + "x", ValueError, "must hold numbers"),
    "sparse": (lambda X: sparse.csr_matrix(X[0]), TypeError, "Sparse data"),
    "ragged": (lambda X: [[[1.0]], [[1.0, 0.0], [0.0, 1.0]]], ValueError, "not an array of numbers|must hold numbers"),
    "NaN": (lambda X: with_entry(X, 5, np.nan), ValueError, "matrix 5.*NaN"),
    "infinite": (lambda X: with_entry(X, 7, np.inf), ValueError, "matrix 7.*(inf|Inf)"),
    "asymmetric": (lambda X: with_entry(X, 3, 0.3), ValueError, "matrix 3.*symmetric"),
    "indefinite": (lambda X: with_negative(X, 2), ValueError, "matrix 2 .*eigenvalue"),
}


def with_entry(X, index, value):
    changed = X.copy()
    changed[index, 0, 1] = value
    return changed


def with_negative(X, index):
    changed = X.copy()
    changed[index, 0, 0] = -1
    return changed


@pytest.mark.parametrize("what", BAD)
def test_bad_matrices_are_refused_and_named(what, classes):
    X, y = classes
    spoil, error, message = BAD[what]
    bad = spoil(X)
    for call in (dsk.pairwise_distance, dsk.kernel, lambda bad: dsk.pairwise_distance(X, bad)):
        with pytest.raises(error, match=message.replace("X", "[XY]")):
            call(bad)
    for estimator in estimators():
        with pytest.raises(error, match=message):
            estimator.fit(bad, y)
        fitted = estimator.fit(X, y)
        with pytest.raises(error, match=message):
            apply(fitted, bad)


def test_size_must_be_that_of_fit(classes, random_matrices):
    X, y = classes
    for estimator in estimators():
        with pytest.raises(ValueError, match="X has 3 features, but .* is expecting 4 features"):
            apply(estimator.fit(X, y), random_matrices(2, 3))
    with pytest.raises(ValueError, match="X holds matrices of 4 x 4, but Y of 3 x 3"):
        dsk.pairwise_distance(X, random_matrices(2, 3))


BAD_LABELS = {
    "too few": (lambda y: y[:-1], "inconsistent numbers of samples"),
    "none": (lambda y: None, "requires y to be passed, but the target y is None"),
    "one class": (lambda y: y * 0, "one class"),
    "continuous": (lambda y: y + 0.5 * np.arange(len(y)), "Unknown label type"),
    "2-D": (lambda y: np.stack([y, y], axis=1), "y should be a 1d array"),
    "NaN": (lambda y: np.where(np.arange(len(y)) == 3, np.nan, y), "NaN"),
}


@pytest.mark.parametrize("what", BAD_LABELS)
def test_bad_labels_are_refused(what, classes):
    X, y = classes
    spoil, message = BAD_LABELS[what]
    for estimator in estimators():
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, spoil(y))


@pytest.mark.parametrize(
    "names",
    [
        np.array([0, 1]),
        np.array([9, 10], dtype=np.int8),
        np.array([-3, 5]),
        np.array([1.0, 2.0]),
        np.array(["left", "right"]),
        np.array(["übel", "ゆき"], dtype=object),
        np.array([False, True]),
    ],
    ids=lambda names: f"{names.dtype}{names[0]!r}",
)
def test_classes_of_any_type_come_back(names, classes):
    X, codes = classes
    y = names[codes]
    for estimator in classifiers():
        predicted = estimator.fit(X, y).predict(X)
        assert set(predicted) <= set(names)
        assert predicted.dtype == estimator.classes_.dtype
        np.testing.assert_array_equal(estimator.classes_, np.unique(names))
        np.testing.assert_array_equal(estimator.fit(X, y.tolist()).predict(X), predicted)
        assert (predicted == y).mean() > 0.7


def test_labels_of_mixed_types_are_refused_as_by_scikit_learn(classes):
    X, y = classes
    mixed = y.astype(object)
    mixed[y == 0] = "left"
    for estimator in estimators():
        with pytest.raises((TypeError, ValueError)):
            estimator.fit(X, mixed)


def test_repair_mends_rank_deficient_matrices():
    samples = np.random.default_rng(0).standard_normal((5, 6, 3))
    deficient = samples @ samples.transpose(0, 2, 1)
    with pytest.raises(ValueError, match="matrix 0.*rank.*shrink"):
        dsk.pairwise_distance(deficient)
    for how in ("shrink", "ridge:1e-3", "clip:1e-6"):
        assert np.isfinite(dsk.pairwise_distance(dsk.repair(deficient, how))).all()


def test_repair_changes_only_what_needs_it():
    X = np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]])
    repaired = dsk.repair(X, "ridge:0.1")
    assert (repaired[0] == X[0]).all() and (repaired[1] != X[1]).any()
    assert (dsk.repair(X, "ridge:0.1", every_matrix=True)[0] != X[0]).any()


def test_load_dataset_repairs_what_needs_it_or_all(tmp_path):
    np.save(tmp_path / "X.npy", np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]]))
    assert dsk.load_dataset(tmp_path / "X.npy", repair="ridge:0.1").X[0, 0, 0] == 2
    assert dsk.load_dataset(tmp_path / "X.npy", repair="ridge:0.1", repair_all=True).X[0, 0, 0] > 2
