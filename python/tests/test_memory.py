"""A thousand rounds of everything leave no memory behind."""
import gc
import pathlib

import numpy as np
import pytest

import dsk


def resident_megabytes():
    gc.collect()
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    pytest.skip("no VmRSS in /proc")


def growth(work, rounds):
    for _ in range(rounds // 5):
        work()
    before = resident_megabytes()
    for _ in range(rounds):
        work()
    return resident_megabytes() - before


X, Y = dsk.make_wishart_classes(n_per_class=30, dim=6, degrees=20, tau=1, random_state=1)
EPOCHS = np.random.default_rng(0).standard_normal((30, 6, 50))
STEIN = dsk.DiscriminativeStein(penalty=0.1, n_jobs=1).fit(X, Y)


def learn_and_transform():
    dsk.DiscriminativeStein(penalty=0.1, max_iter=2, n_jobs=1).fit(X, Y).transform(X)


def fit_and_predict_neighbours():
    dsk.KNeighborsClassifier(kernel=STEIN.learned_, n_neighbors=3, n_jobs=1).fit(X, Y).predict_proba(X)


def fit_and_predict_machines():
    dsk.SVC(C=1, theta=2, n_jobs=1).fit(X, Y).decision_function(X)


def fit_and_predict_means():
    dsk.MDM("logeuclid", n_jobs=1).fit(X, Y).transform(X)


def project_and_recentre():
    moved = dsk.Recentre(n_jobs=1).fit_transform(X)
    dsk.Project(2, max_iter=2, n_jobs=1).fit(moved, Y).transform(moved)


def compute_pairs():
    dsk.pairwise_distance(X, n_jobs=1), dsk.kernel(X, X, n_jobs=1), dsk.covariance(EPOCHS, n_jobs=1)


def fail():
    bad = X.copy()
    bad[3, 0, 0] = np.nan
    with pytest.raises(ValueError):
        dsk.pairwise_distance(bad)


# One round leaks at least the 17 kB of X's copy if it leaks an array, which are 17 MB after a thousand.
@pytest.mark.parametrize(
    "work",
    [
        learn_and_transform,
        fit_and_predict_neighbours,
        fit_and_predict_machines,
        fit_and_predict_means,
        project_and_recentre,
        compute_pairs,
        fail,
    ],
)
def test_memory_does_not_grow_over_1000_rounds(work):
    assert growth(work, 1000) < 4


def test_results_own_their_memory_and_free_it():
    x = dsk.random_spd(700, 4)
    assert growth(lambda: dsk.pairwise_distance(x), 200) < 8  # 4 MB each
