"""`cv`: a number of folds, one of scikit-learn's splitters, or pairs of positions, wherever something is chosen."""
import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

import dsk

ESTIMATORS = [
    lambda cv: dsk.KNeighborsClassifier(cv=cv),
    lambda cv: dsk.KNeighborsClassifier(kernel=dsk.DiscriminativeStein("centred"), cv=cv),
    lambda cv: dsk.KNeighborsClassifier(kernel="auto", cv=cv),
    lambda cv: dsk.SVC(cv=cv),
    lambda cv: dsk.SVC(dsk.DiscriminativeStein("centred"), cv=cv),
    lambda cv: dsk.SVC(metric="riemann", cv=cv),
    lambda cv: dsk.DiscriminativeStein(cv=cv),
    lambda cv: dsk.Project(cv=cv),
    lambda cv: dsk.Classifier(project="start", cv=cv),
]


@pytest.mark.parametrize("make", ESTIMATORS)
def test_splitters_and_their_pairs_choose_the_same(make, classes):
    X, y = classes
    groups = np.arange(len(y)) // 4
    for splitter in (StratifiedKFold(3, shuffle=True, random_state=1), GroupKFold(3)):
        pairs = list(splitter.split(X, y, groups))
        ours, same = make(splitter).fit(X, y, groups=groups), make(pairs).fit(X, y, groups=groups)
        iterator = make(iter(pairs)).fit(X, y, groups=groups)
        for other in (same, iterator):
            if hasattr(ours, "predict"):
                np.testing.assert_array_equal(ours.predict(X), other.predict(X))
                assert ours.validation_accuracy_ == other.validation_accuracy_
            else:
                np.testing.assert_array_equal(ours.transform(X), other.transform(X))


def test_folds_are_those_given(classes):
    X, y = classes
    # Scored on its own training part, the nearest neighbour is the matrix itself.
    everything = [(np.arange(len(y)), np.arange(len(y)))]
    fitted = dsk.KNeighborsClassifier(cv=everything).fit(X, y)
    assert fitted.n_neighbors_ == 1 and fitted.validation_accuracy_ == 1
    scores = dsk.DiscriminativeStein(cv=everything).fit(X, y).penalty_scores_
    assert {row["accuracy"] for row in scores} == {1.0}
    candidates = dsk.Classifier(project="start", cv=everything).fit(X, y).candidates_
    assert next(row for row in candidates if row["name"].endswith("knn, 1 neighbour"))["accuracy"] == 1
    assert {row["folds"] for row in candidates} == {1}


def test_masks_and_repetitions_are_folds(classes):
    X, y = classes
    masks = [(np.arange(len(y)) % 3 != k, np.arange(len(y)) % 3 == k) for k in range(3)]
    positions = [tuple(np.flatnonzero(part) for part in fold) for fold in masks]
    assert (
        dsk.SVC(theta=2.0, cv=masks).fit(X, y).validation_accuracy_
        == dsk.SVC(theta=2.0, cv=positions).fit(X, y).validation_accuracy_
    )
    for splitter in (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), ShuffleSplit(4, random_state=0)):
        assert 0 < dsk.KNeighborsClassifier(cv=splitter).fit(X, y).validation_accuracy_ <= 1
    exact = dsk.KNeighborsClassifier(cv=LeaveOneOut()).fit(X, y)
    distances = dsk.pairwise_distance(X)
    np.fill_diagonal(distances, np.inf)
    assert exact.validation_accuracy_ >= (y[distances.argmin(axis=1)] == y).mean()


@pytest.mark.parametrize("make", ESTIMATORS)
def test_bad_folds_are_refused(make, classes):
    X, y = classes
    for cv, message in (
        ([], "cv gives no folds"),
        ([([0, 1], [])], "cv gives no folds, or a fold without matrices"),
        ([([0, 1, len(y)], [2])], f"there are {len(y)} matrices"),
        (None, "cv must be a number of folds"),
        ("five", "cv must be a number of folds"),
    ):
        with pytest.raises(ValueError, match=message):
            make(cv).fit(X, y)


def test_approximations_take_a_number_of_folds(classes):
    X, y = classes
    with pytest.raises(ValueError, match="cv must be a number of folds with approximate"):
        dsk.SVC(approximate="nystrom:10", cv=StratifiedKFold(3)).fit(X, y)
