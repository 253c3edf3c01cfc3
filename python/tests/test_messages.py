"""Errors in a user's words: Python's own kinds of exception, the package's names, and never a signature of the extension."""
import numpy as np
import pytest

import dsk

EPOCHS = np.random.default_rng(0).standard_normal((2, 3, 20))
LARGE = 10**12


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda X, y: dsk.covariance(EPOCHS, estimator=3), "estimator must be a string; got 3"),
        (lambda X, y: dsk.repair(X, 5), "how must be a string; got 5"),
        (lambda X, y: dsk.make_wishart_classes(n_per_class="many"), "n_per_class must be a whole number; got 'many'"),
        (lambda X, y: dsk.random_spd(1.5, 3), "n_matrices must be a whole number; got 1.5"),
        (lambda X, y: dsk.DiscriminativeStein(criterion=5).fit(X, y), "criterion must be a string; got 5"),
        (lambda X, y: dsk.DiscriminativeStein(adjustment=None).fit(X, y), "adjustment must be a string; got None"),
        (lambda X, y: dsk.evaluate(X, y, ["SK:knn"], 5),
         "protocol must be a string, or one name or number of a split per matrix; got 5"),
        (lambda X, y: dsk.evaluate(X, y, 5), "methods must be a string or a sequence of strings and estimators; got 5"),
        (lambda X, y: dsk.evaluate(X, y, [5]), r"methods must be a string or a sequence of strings and estimators; got \[5\]"),
        (lambda X, y: dsk.mean(X, max_iter=LARGE), f"the number {LARGE} is too large"),
        (lambda X, y: dsk.pairwise_distance(X, n_jobs=LARGE), f"the number {LARGE} is too large"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(call, message, classes):
    with pytest.raises(TypeError, match=f"^{message}$"):
        call(*classes)


@pytest.mark.parametrize("load", [dsk.load, dsk.load_dataset, dsk.Classifier.load])
def test_missing_files_raise_file_not_found(load, tmp_path):
    missing = tmp_path / "missing.npz"
    with pytest.raises(FileNotFoundError) as caught:
        load(missing)
    assert caught.value.filename == str(missing)


def test_missing_labels_raise_file_not_found(classes, tmp_path):
    dsk.save_dataset(tmp_path / "x.npz", classes[0])
    with pytest.raises(FileNotFoundError):
        dsk.load_dataset(tmp_path / "x.npz", labels=tmp_path / "missing.csv")


def test_more_neighbours_than_matrices_are_refused(classes):
    X, y = classes
    with pytest.raises(ValueError, match=f"n_neighbors = {len(X) + 1}, n_samples_fit = {len(X)}"):
        dsk.KNeighborsClassifier(n_neighbors=len(X) + 1).fit(X, y)
    dsk.KNeighborsClassifier(n_neighbors=len(X)).fit(X, y)


def test_weights_of_absent_classes_are_refused(classes):
    with pytest.raises(ValueError, match=r"\[7\], are not in class_label"):
        dsk.SVC(C=1, class_weight={0: 2.0, 7: 2.0}).fit(*classes)


def test_repr_tells_whether_anything_was_learned(classes):
    assert repr(dsk.LearnedKernel.plain(4, 2.0)) == "LearnedKernel(dim=4, theta=2, plain)"
    learned = dsk.DiscriminativeStein(penalty=0.01).fit(*classes).learned_
    assert not learned.is_plain and "adjustment='power'" in repr(learned)
    X, y = classes
    # Classes that mean nothing: no adjustment helps on held-out matrices.
    kept = dsk.DiscriminativeStein().fit(X, np.random.default_rng(0).permutation(y)).learned_
    assert kept.is_plain and "plain: no adjustment was clearly better" in repr(kept)
