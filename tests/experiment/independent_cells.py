"""Recomputes three cells of the tables with NumPy, SciPy and scikit-learn only: SK:svm, DSK-KA-p and DSK-RM-p as printed.

usage: independent_cells.py FOLDER
       independent_cells.py --results FILE --data DIR [--study NAME] [--splits N]

FOLDER holds matrices, labels, one split, its inner folds and what dsk made of them. FILE is a results file of `dsk
experiment brain` (SK:svm) or `dsk experiment brodatz-pairs` (DSK-KA-p and DSK-RM-p, on the pair NAME, by default the
first): matrices are made of what is in DIR, splits and folds drawn anew. Ends with an error where the two disagree.
"""
import argparse
import json
import pathlib

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.svm import SVC, OneClassSVM


class Task:
    """Matrices with labels, one split of them and its inner folds, which are positions in the training part."""

    def __init__(self, X, y, train, test, folds):
        self.X, self.y, self.train, self.test, self.folds = X, y, train, test, folds
        self.d = X.shape[1]
        values, vectors = np.linalg.eigh(X)
        self.values, self.vectors = values[:, ::-1], vectors[:, :, ::-1]  # largest first
        self.sign = np.where(y == y[0], 1.0, -1.0)

    def powers(self, alpha):
        return np.einsum("iab,ib,icb->iac", self.vectors, self.values ** alpha, self.vectors)


def divergences(matrices):
    # A line search may try powers that leave the range of double.
    with np.errstate(divide="ignore", invalid="ignore"):
        return squared(matrices)


def squared(matrices):
    logs = np.linalg.slogdet(matrices)[1]
    S = np.stack([np.linalg.slogdet((one + matrices) / 2)[1] for one in matrices]) - (logs[:, None] + logs[None]) / 2
    return np.maximum(S, 0)


def compare(name, ours, theirs, tolerance):
    print(name, ours, theirs)
    assert abs(ours - theirs) <= tolerance * max(1, abs(theirs)), (name, ours, theirs)


def nearest(S, y, rows, columns, k):
    """Votes of k neighbours; a tie goes to the class of the nearest of those tied."""
    predicted = []
    for i in rows:
        order = columns[np.argsort(S[i, columns], kind="stable")][:k]
        votes = {label: np.sum(y[order] == label) for label in set(y[order])}
        predicted.append(next(y[j] for j in order if votes[y[j]] == max(votes.values())))
    return np.array(predicted)


def best_theta(objective, d):
    """Over the half integers up to (d-1)/2, and everything above."""
    half = [k / 2 for k in range(1, d)]
    grid = half + list(np.geomspace((d - 1) / 2, 1e4, 200)[1:])
    best = max(grid, key=objective)
    if best in half:
        return best
    around = minimize_scalar(lambda log: -objective(np.exp(log)), bounds=np.log([best / 1.1, best * 1.1]), method="bounded")
    return np.exp(around.x)


# SK:svm: theta and C by cross-validation, ties to the smaller theta and then to the smaller C.
def stein_svm(task, relative_thetas, Cs):
    d, y, train = task.d, task.y, task.train
    S = divergences(task.X)
    pairs = np.sort(S[np.ix_(train, train)][np.triu_indices(len(train), 1)])
    median = pairs[len(pairs) // 2]  # the upper one of an even number
    valid = lambda theta: theta if theta > (d - 1) / 2 else max(0.5, np.round(2 * theta) / 2)
    best = (-1, None, None)
    for theta in sorted({valid(r / median) for r in relative_thetas}):
        K = np.exp(-theta * S)
        for C in Cs:
            hits = sum(np.sum(SVC(kernel="precomputed", C=C).fit(K[np.ix_(train[a], train[a])], y[train[a]])
                              .predict(K[np.ix_(train[b], train[a])]) == y[train[b]]) for a, b in task.folds)
            if hits > best[0]:
                best = (hits, theta, C)
    K = np.exp(-best[1] * S)
    predicted = SVC(kernel="precomputed", C=best[2]).fit(K[np.ix_(train, train)], y[train]).predict(
        K[np.ix_(task.test, train)])
    return best[1], best[2], predicted


# KA-p: theta by the alignment of the plain kernel, then alpha, with lambda by cross-validation with k-NN.
def aligned(S, sign, members, theta):
    K, T = np.exp(-theta * S[np.ix_(members, members)]), np.outer(sign[members], sign[members])
    return np.sum(K * T) / (len(members) * np.linalg.norm(K))


class AlignedKernel:
    """Learning by alignment on one split."""

    def __init__(self, task, relative_penalties, neighbours):
        self.task, self.neighbours = task, neighbours
        self.S = divergences(task.X)
        self.theta = self.plain_theta(task.train)
        unit = aligned(self.S, task.sign, task.train, self.theta)
        self.penalties = [relative * unit for relative in sorted(relative_penalties)]

    def plain_theta(self, members):
        return best_theta(lambda theta: aligned(self.S, self.task.sign, members, theta), self.task.d)

    def alpha(self, members, theta, penalty):
        task = self.task
        inside = Task(task.X[members], task.y[members], None, None, None)
        everyone, sign = np.arange(len(members)), task.sign[members]
        objective = lambda alpha: (penalty * np.sum((alpha - 1) ** 2)
                                   - aligned(divergences(inside.powers(alpha)), sign, everyone, theta))
        return minimize(objective, np.ones(task.d), method="BFGS", options={"gtol": 1e-7}).x

    def hits(self):
        """In cross-validation, by penalty and number of neighbours."""
        task, found = self.task, np.zeros((len(self.penalties), len(self.neighbours)), dtype=int)
        for a, b in task.folds:
            members = task.train[a]
            theta = self.plain_theta(members)
            for p, penalty in enumerate(self.penalties):
                there = divergences(task.powers(self.alpha(members, theta, penalty)))
                for k, count in enumerate(self.neighbours):
                    found[p, k] += np.sum(nearest(there, task.y, task.train[b], members, count) == task.y[task.train[b]])
        return found

    def predicted(self, penalty, neighbours):
        alpha = self.alpha(self.task.train, self.theta, penalty)
        return nearest(divergences(self.task.powers(alpha)), self.task.y, self.task.test, self.task.train, neighbours)


# RM-p: R^2 |w|^2 of the kernel k + 1/C on the diagonal, over theta and C of the plain kernel, then over alpha and C.
def machine(K, sign):
    """The hard-margin machine on K, and |w|^2."""
    svc = SVC(kernel="precomputed", C=1e8, tol=1e-9).fit(K, sign)
    w = np.zeros(len(K))
    w[svc.support_] = svc.dual_coef_[0]
    return w, svc.intercept_[0], w @ K @ w


def radius(K):
    """R^2 = max beta' diag(K) - beta' K beta over the simplex; with a constant diagonal, a machine of one class."""
    svc = OneClassSVM(kernel="precomputed", nu=1 / len(K), tol=1e-10).fit(K)
    beta = np.zeros(len(K))
    beta[svc.support_] = svc.dual_coef_[0]
    beta /= beta.sum()
    return beta @ np.diag(K) - beta @ K @ beta


def bound(S, sign, theta, C):
    K = np.exp(-theta * S) + np.eye(len(S)) / C
    return radius(K) * machine(K, sign)[2]


class MarginKernel:
    """Learning by the radius margin bound on one split."""

    def __init__(self, task):
        self.task, self.sign = task, task.sign[task.train]
        self.inside = Task(task.X[task.train], task.y[task.train], None, None, None)
        self.S = divergences(self.inside.X)

    def plain(self):
        """The smallest bound over theta and C, and where it is: theta of a grid, each with its best C, then refined."""
        d = self.task.d
        at = lambda theta: lambda log: bound(self.S, self.sign, theta, np.exp(log))

        def with_best_C(theta):
            logs = np.log(np.geomspace(0.1, 1000, 9))
            start = min(logs, key=at(theta))
            around = minimize_scalar(at(theta), bounds=(start - 1.2, start + 1.2), method="bounded")
            return around.fun, theta, np.exp(around.x)

        thetas = [k / 2 for k in range(1, d)] + list(np.geomspace(d / 2, 100, 12))
        best = min(with_best_C(theta) for theta in thetas)
        if best[1] <= (d - 1) / 2:
            return best
        found = minimize(lambda p: at(max(np.exp(p[1]), (d - 1) / 2))(p[0]), np.log([best[2], best[1]]),
                         method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-8})
        return found.fun, np.exp(found.x[1]), np.exp(found.x[0])

    def adjusted_bound(self, alpha, theta, C):
        return bound(divergences(self.inside.powers(alpha)), self.sign, theta, C)

    def learned(self, theta, C, method="BFGS", **options):
        """The bound, alpha and C at the end of a descent from the plain kernel."""
        d = self.task.d
        found = minimize(lambda p: self.adjusted_bound(p[:d], theta, np.exp(p[d])), np.r_[np.ones(d), np.log(C)],
                         method=method, options=options)
        return found.fun, found.x[:d], np.exp(found.x[d])

    def predicted(self, alpha, theta, C):
        """As signs."""
        task = self.task
        K = np.exp(-theta * divergences(task.powers(alpha)))
        w, bias, _ = machine(K[np.ix_(task.train, task.train)] + np.eye(len(task.train)) / C, self.sign)
        return np.where(K[np.ix_(task.test, task.train)] @ w + bias > 0, 1.0, -1.0)


def check_folder(folder):
    given = json.load(open(folder + "/given.json"))
    folds = [(np.array(fold["train"]), np.array(fold["test"])) for fold in given["folds"]]
    task = Task(np.array(given["X"]).reshape(given["n"], given["d"], given["d"]), np.array(given["y"]),
                np.array(given["train"]), np.array(given["test"]), folds)
    y, test = task.y, task.test

    theta, C, predicted = stein_svm(task, given["relative_thetas"], given["C"])
    compare("SK:svm theta", given["SK:svm"]["theta"], theta, 1e-9)
    compare("SK:svm C", given["SK:svm"]["setting"], C, 0)
    compare("SK:svm accuracy", given["SK:svm"]["accuracy"], np.mean(predicted == y[test]), 1e-12)

    cell = given["KA-p"]
    kernel = AlignedKernel(task, given["relative_penalties"], [given["neighbours"]])
    compare("KA-p theta", cell["theta"], kernel.theta, 1e-2)
    hits = kernel.hits()[:, 0]
    chosen = int(np.argmin(np.abs(np.array(kernel.penalties) - cell["penalty"])))
    compare("KA-p penalty", cell["penalty"], kernel.penalties[chosen], 1e-3)
    # Learning on the folds stops early there: a penalty that is one matrix behind may win.
    assert hits[chosen] >= max(hits) - 1, (hits, cell["penalty"])
    alpha = kernel.alpha(task.train, kernel.theta, kernel.penalties[chosen])
    for z in range(task.d):
        compare(f"KA-p alpha {z}", cell["alpha"][z], alpha[z], 1e-2)
    predicted = kernel.predicted(kernel.penalties[chosen], given["neighbours"])
    compare("KA-p accuracy", cell["accuracy"], np.mean(predicted == y[test]), 1e-12)

    cell, kernel = given["RM-p"], MarginKernel(task)
    start = kernel.plain()
    assert cell["plain"] <= start[0] * (1 + 1e-3), (cell["plain"], start)
    alpha = np.array(cell["alpha"])
    compare("RM-p value", cell["value"], kernel.adjusted_bound(alpha, cell["theta"], cell["C"]), 1e-4)
    best = kernel.learned(cell["theta"], cell["plain_C"], "Nelder-Mead", maxiter=600, xatol=1e-4, fatol=1e-6)[0]
    assert cell["value"] <= best * (1 + 2e-2), (cell["value"], best)
    compare("RM-p accuracy", cell["accuracy"],
            np.mean(kernel.predicted(alpha, cell["theta"], cell["C"]) == task.sign[test]), 1e-12)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--study")
    parser.add_argument("--splits", type=int, default=10 ** 6)
    given = parser.parse_args()
    if given.folder:
        check_folder(given.folder)
        return
    import published_cells
    published_cells.check(given.results, given.data, given.study, given.splits)


if __name__ == "__main__":
    main()
