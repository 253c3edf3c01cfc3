"""Recentring and projection to a subspace."""
import numpy as np
import pytest
from pyriemann.classification import MDM
from pyriemann.preprocessing import Whitening
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import dsk


@pytest.fixture(scope="module")
def planted():
    return make_planted(2)


@pytest.fixture(scope="module")
def hidden():
    """The same with a smaller difference, which is found in a subspace only."""
    return make_planted(0.4)[:2]


def make_planted(difference):
    """Two classes that differ in 2 of 8 directions, mixed: X (80, 8, 8), y, and the directions' mixing (8, 8)."""
    generator = np.random.default_rng(0)
    y = np.arange(80) % 2
    mixing = generator.standard_normal((8, 8)) + 2 * np.eye(8)
    scales = np.ones((80, 8))
    scales[:, 0] += difference * y
    scales[:, 1] += difference * (1 - y)
    signals = scales[:, :, np.newaxis] * generator.standard_normal((80, 8, 40))
    mixed = mixing @ signals
    return mixed @ mixed.transpose(0, 2, 1) / 40, y, mixing


def test_recentred_matrices_have_the_unit_matrix_as_mean(random_matrices):
    X, new = random_matrices(30, 5), random_matrices(7, 5, 1)
    recentre = dsk.Recentre()
    with pytest.raises(NotFittedError):
        recentre.transform(X)
    moved = recentre.fit_transform(X)
    np.testing.assert_allclose(dsk.mean(moved), np.eye(5), atol=1e-10)
    np.testing.assert_array_equal(recentre.mean_, dsk.mean(X))
    np.testing.assert_allclose(dsk.pairwise_distance(moved), dsk.pairwise_distance(X), atol=1e-10)
    whitening = Whitening(metric="riemann").fit(X)
    expected = dsk.pairwise_distance(whitening.transform(new), np.array([np.eye(5)]), metric="riemann")
    found = dsk.pairwise_distance(recentre.transform(new), np.array([np.eye(5)]), metric="riemann")
    np.testing.assert_allclose(found, expected, atol=1e-6)  # equal up to a rotation; their mean stops earlier


def test_groups_are_recentred_by_their_own_means(random_matrices):
    X = random_matrices(30, 4)
    groups = np.array(["b", "a", "c"])[np.arange(30) % 3]
    X = X * (1 + np.arange(30) % 3)[:, np.newaxis, np.newaxis]
    recentre = dsk.Recentre(by="groups").fit(X, groups=groups)
    assert not hasattr(recentre, "mean_")
    moved = recentre.transform(X, groups=groups)
    for group in "abc":
        np.testing.assert_allclose(dsk.mean(moved[groups == group]), np.eye(4), atol=1e-10)
        # A group alone is moved as it is among others.
        np.testing.assert_allclose(recentre.transform(X[groups == group]), moved[groups == group], atol=1e-12)
    np.testing.assert_array_equal(clone(recentre).fit_transform(X, groups=groups), moved)
    with pytest.raises(ValueError, match="29 groups do not match 30"):
        recentre.transform(X, groups=groups[:-1])
    with pytest.raises(ValueError, match="matrix 4"):
        dsk.Recentre("groups").fit(np.where(np.arange(30)[:, None, None] == 4, np.nan, X))


@pytest.mark.parametrize("learn", [False, True])
def test_planted_directions_are_found(planted, learn):
    X, y, mixing = planted
    project = dsk.Project(2, learn=learn).fit(X, y)
    assert project.filters_.shape == project.patterns_.shape == (8, 2)
    np.testing.assert_allclose(project.transform(X), project.filters_.T @ X @ project.filters_, atol=1e-9)
    # Filters see the two sources and, up to noise, nothing else; patterns span the sources' columns of the mixing.
    seen = np.linalg.norm(mixing.T @ project.filters_, axis=1)
    assert seen[:2].min() > 3 * seen[2:].max()
    basis, span = np.linalg.qr(project.patterns_)[0], np.linalg.qr(mixing[:, :2])[0]
    assert np.linalg.svd(basis.T @ span)[1].min() > 0.9
    np.testing.assert_allclose(project.filters_.T @ project.patterns_, np.eye(2), atol=1e-9)
    assert project.theta_ > 0 and project.stop_ in ("converged", "iteration_limit", "line_search")
    assert len(project.history_) == project.n_iter_ + 1 and project.history_[-1] >= project.history_[0]
    assert (project.n_iter_ > 0) == learn


def test_mixing_and_units_do_not_matter(planted, random_matrices):
    X, y, _ = planted
    other = np.linalg.cholesky(random_matrices(1, 8, 3)[0])
    for criterion in ("centred", "alignment"):
        expected = dsk.Project(3, criterion).fit(X, y).transform(X)
        mixed = other @ X @ other.T
        found = dsk.Project(3, criterion).fit(1e-12 * (mixed + mixed.transpose(0, 2, 1)) / 2, y)
        np.testing.assert_allclose(
            dsk.pairwise_distance(found.transform(1e-12 * (mixed + mixed.transpose(0, 2, 1)) / 2)),
            dsk.pairwise_distance(expected),
            atol=1e-4,
        )


def test_number_of_components_is_chosen(hidden):
    X, y = hidden
    chosen = dsk.Project().fit(X, y)
    assert chosen.n_components_ in (1, 2, 4) and chosen.transform(X).shape[1:] == (chosen.n_components_,) * 2
    again = dsk.Project(chosen.n_components_).fit(X, y)
    np.testing.assert_array_equal(again.filters_, chosen.filters_)
    assert dsk.Project(learn=False).fit(X, y, groups=np.arange(80) % 10).n_components_ <= 8


def test_all_components_are_a_change_of_coordinates(planted):
    X, y, _ = planted
    project = dsk.Project(8, theta=1).fit(X, y)
    assert project.theta_ == 1 and project.n_iter_ == 0
    np.testing.assert_allclose(dsk.pairwise_distance(project.transform(X)), dsk.pairwise_distance(X), atol=1e-9)


def test_in_pipelines_and_searches(planted):
    X, y, _ = planted
    pipeline = make_pipeline(dsk.Project(2), MDM(metric="logdet"))
    search = GridSearchCV(pipeline, {"project__n_components": [2, 8]}, cv=3).fit(X, y)
    assert search.best_params_ == {"project__n_components": 2} and search.best_score_ > 0.9
    make_pipeline(dsk.Recentre(), dsk.Project(2), dsk.MDM()).set_output(transform="pandas").fit(X, y)
    assert type(dsk.Project(2).set_output(transform="pandas").fit_transform(X, y)) is np.ndarray


def test_verbose_shows_folds(planted, capfd):
    dsk.Project(verbose=True).fit(*planted[:2])
    assert "folds" in capfd.readouterr().err
