"""The classifier without settings beside a grid search over pyRiemann's estimators, and MDM beside pyRiemann's."""
import warnings

import numpy as np
from pyriemann.classification import MDM, KNearestNeighbor, SVC
from pyriemann.tangentspace import TangentSpace
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC as LinearSVC

import dsk
from measuring import agree, matrices, take_turns, timed

MDM_CASES = [(500, 8), (500, 16), (500, 32), (500, 64)]
SEARCH_CASES = [(64, 24), (240, 24)]
CS = [0.1, 1, 10, 100, 1000]
FOLDS = 5


def classes(n, d):
    return dsk.make_wishart_classes(n_classes=2, n_per_class=n // 2, dim=d, degrees=3 * d, tau=0.2, random_state=1)


def mdm_case(n, d, rounds):
    x, y = matrices(n, d), np.arange(n) % 4

    def ours():
        return dsk.MDM("riemann", n_jobs=1).fit(x, y).predict(x)

    def theirs():
        return MDM("riemann").fit(x, y).predict(x)

    best = take_turns({"dsk": lambda: timed(ours, 0.05), "pyriemann": lambda: timed(theirs, 0.05)}, min(rounds, 3))
    agree(f"MDM, n = {n}, d = {d}", best["dsk"][1], best["pyriemann"][1])
    return {"n": n, "d": d, "dsk_seconds": best["dsk"][0], "pyriemann_seconds": best["pyriemann"][0],
            "over_pyriemann": best["pyriemann"][0] / best["dsk"][0]}


def grid_search():
    """Those of our candidates that pyRiemann and scikit-learn have: no subspaces, no class means in kernel space."""
    on_tangent_space = {"tangent": [TangentSpace()], "model__C": CS}
    return GridSearchCV(
        Pipeline([("tangent", "passthrough"), ("model", MDM())]),
        [
            {"model": [MDM("riemann"), MDM("logdet")]},
            {"model": [LogisticRegression(max_iter=1000)], **on_tangent_space},
            {"model": [LinearSVC(kernel="linear")], **on_tangent_space},
            {"model": [KNearestNeighbor(metric="logeuclid")], "model__n_neighbors": [1, 3, 5, 7, 9]},
            {"model": [KNearestNeighbor(metric="logdet")], "model__n_neighbors": [1, 3, 5, 7, 9]},
            {"model": [SVC(metric="logeuclid")], "model__C": CS},
        ],
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=0),
    )


def search_case(n, d):
    x, y = classes(n, d)
    new, _ = classes(n, d)
    best = take_turns(
        {
            "dsk": lambda: timed(lambda: dsk.Classifier(n_jobs=1).fit(x, y).predict(new), 0),
            "grid search": lambda: timed(lambda: grid_search().fit(x, y).predict(new), 0),
        },
        1,
    )
    tried = len(dsk.Classifier(n_jobs=1).fit(x, y).candidates_)
    search = grid_search()
    theirs = sum(int(np.prod([len(values) for values in grid.values()])) for grid in search.param_grid)
    return {"n": n, "d": d, "dsk_seconds": best["dsk"][0], "dsk_candidates": tried, "search_seconds": best["grid search"][0],
            "search_candidates": theirs, "over_search": best["grid search"][0] / best["dsk"][0]}


def measure(rounds):
    # pyRiemann passes an argument that scikit-learn will remove, in every fit.
    warnings.filterwarnings("ignore", category=FutureWarning, module="sklearn")
    return {"mdm": [mdm_case(n, d, rounds) for n, d in MDM_CASES], "search": [search_case(n, d) for n, d in SEARCH_CASES]}


def show(result):
    print("\nNearest mean (MDM, Riemannian metric): fit and predict n matrices of 4 classes, beside pyRiemann's")
    for row in result["mdm"]:
        print(f"{row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.2f} ms {row['pyriemann_seconds'] * 1e3:>10.1f} ms"
              f" {row['over_pyriemann']:>7.1f}x")
    print("Classifier without settings: fit and predict, beside a grid search over pyRiemann's estimators")
    for row in result["search"]:
        print(f"{row['n']:>5} {row['d']:>4} {row['dsk_seconds']:>7.2f} s with {row['dsk_candidates']} candidates,"
              f" {row['search_seconds']:>7.2f} s with {row['search_candidates']}: {row['over_search']:.1f}x")
