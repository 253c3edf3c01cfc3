"""Recomputes three cells of the tables with NumPy, SciPy and scikit-learn only: SK:svm, DSK-KA-p and DSK-RM-p as printed.

Takes the folder with the matrices, the labels, one split, its inner folds and what dsk made of them; ends with an error
where the two disagree.
"""
import json
import sys

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.svm import SVC

given = json.load(open(sys.argv[1] + "/given.json"))
n, d = given["n"], given["d"]
X = np.array(given["X"]).reshape(n, d, d)
y = np.array(given["y"])
train, test = np.array(given["train"]), np.array(given["test"])
folds = [(np.array(fold["train"]), np.array(fold["test"])) for fold in given["folds"]]
values, vectors = np.linalg.eigh(X)
values, vectors = values[:, ::-1], vectors[:, :, ::-1]  # largest first
sign = np.where(y == y[0], 1.0, -1.0)


def powers(alpha):
    return np.einsum("iab,ib,icb->iac", vectors, values ** alpha, vectors)


def divergences(matrices):
    logs = np.linalg.slogdet(matrices)[1]
    middle = np.linalg.slogdet((matrices[:, None] + matrices[None]) / 2)[1]
    return np.maximum(middle - (logs[:, None] + logs[None]) / 2, 0)


def best_theta(objective):
    """Over the half integers up to (d-1)/2, and everything above."""
    half = [k / 2 for k in range(1, d)]
    grid = half + list(np.geomspace((d - 1) / 2, 1e4, 200)[1:])
    best = max(grid, key=objective)
    if best in half:
        return best
    around = minimize_scalar(lambda log: -objective(np.exp(log)), bounds=np.log([best / 1.1, best * 1.1]), method="bounded")
    return np.exp(around.x)


def compare(name, ours, theirs, tolerance):
    print(name, ours, theirs)
    assert abs(ours - theirs) <= tolerance * max(1, abs(theirs)), (name, ours, theirs)


def nearest(S, rows, columns, k):
    """Votes of k neighbours; a tie goes to the class of the nearest of those tied."""
    predicted = []
    for i in rows:
        order = columns[np.argsort(S[i, columns], kind="stable")][:k]
        votes = {label: np.sum(y[order] == label) for label in set(y[order])}
        predicted.append(next(y[j] for j in order if votes[y[j]] == max(votes.values())))
    return np.array(predicted)


# SK:svm: theta and C by cross-validation, ties to the smaller theta and then to the smaller C.
S = divergences(X)
pairs = np.sort(S[np.ix_(train, train)][np.triu_indices(len(train), 1)])
median = pairs[len(pairs) // 2]  # the upper one of an even number
valid = lambda theta: theta if theta > (d - 1) / 2 else max(0.5, np.round(2 * theta) / 2)
best = (-1, None, None)
for theta in sorted({valid(r / median) for r in given["relative_thetas"]}):
    K = np.exp(-theta * S)
    for C in given["C"]:
        hits = sum(np.sum(SVC(kernel="precomputed", C=C).fit(K[np.ix_(train[a], train[a])], y[train[a]])
                          .predict(K[np.ix_(train[b], train[a])]) == y[train[b]]) for a, b in folds)
        if hits > best[0]:
            best = (hits, theta, C)
K = np.exp(-best[1] * S)
predicted = SVC(kernel="precomputed", C=best[2]).fit(K[np.ix_(train, train)], y[train]).predict(K[np.ix_(test, train)])
compare("SK:svm theta", given["SK:svm"]["theta"], best[1], 1e-9)
compare("SK:svm C", given["SK:svm"]["setting"], best[2], 0)
compare("SK:svm accuracy", given["SK:svm"]["accuracy"], np.mean(predicted == y[test]), 1e-12)

# KA-p: theta by the alignment of the plain kernel, then alpha, with lambda by cross-validation with k-NN.
def aligned(S, members, theta):
    K, T = np.exp(-theta * S[np.ix_(members, members)]), np.outer(sign[members], sign[members])
    return np.sum(K * T) / (len(members) * np.linalg.norm(K))


def learned_alpha(members, theta, penalty):
    objective = lambda alpha: penalty * np.sum((alpha - 1) ** 2) - aligned(divergences(powers(alpha)), members, theta)
    return minimize(objective, np.ones(d), method="BFGS", options={"gtol": 1e-7}).x


cell, k = given["KA-p"], given["neighbours"]
theta = best_theta(lambda theta: aligned(S, train, theta))
compare("KA-p theta", cell["theta"], theta, 1e-2)
scores = {}
for relative in given["relative_penalties"]:
    penalty = relative * aligned(S, train, theta)
    hits = 0
    for a, b in folds:
        inside = best_theta(lambda theta: aligned(S, train[a], theta))
        there = divergences(powers(learned_alpha(train[a], inside, penalty)))
        hits += np.sum(nearest(there, train[b], train[a], k) == y[train[b]])
    scores[penalty] = hits
chosen = min(scores, key=lambda penalty: abs(penalty - cell["penalty"]))
compare("KA-p penalty", cell["penalty"], chosen, 1e-3)
# Learning on the folds stops early there: a penalty that is one matrix behind may win.
assert scores[chosen] >= max(scores.values()) - 1, (scores, cell["penalty"])
alpha = learned_alpha(train, theta, chosen)
for z in range(d):
    compare(f"KA-p alpha {z}", cell["alpha"][z], alpha[z], 1e-2)
compare("KA-p accuracy", cell["accuracy"],
        np.mean(nearest(divergences(powers(alpha)), test, train, k) == y[test]), 1e-12)


# RM-p: R^2 |w|^2 of the kernel k + 1/C on the diagonal, over theta and C of the plain kernel, then over alpha and C.
def machine(K):
    """The hard-margin machine on K, and |w|^2."""
    svc = SVC(kernel="precomputed", C=1e8, tol=1e-9).fit(K, sign[train])
    w = np.zeros(len(K))
    w[svc.support_] = svc.dual_coef_[0]
    return w, svc.intercept_[0], w @ K @ w


def radius(K):
    """R^2 = max beta' diag(K) - beta' K beta over the simplex, as a machine of one class, by pairwise steps."""
    beta = np.full(len(K), 1 / len(K))
    for _ in range(20000):
        slope = np.diag(K) - 2 * K @ beta
        up, down = np.argmax(slope), np.argmin(np.where(beta > 0, slope, np.inf))
        if slope[up] - slope[down] < 1e-10:
            break
        step = (slope[up] - slope[down]) / (2 * (K[up, up] + K[down, down] - 2 * K[up, down]))
        step = min(step, beta[down])
        beta[up] += step
        beta[down] -= step
    return beta @ np.diag(K) - beta @ K @ beta


def bound(S, theta, C):
    K = np.exp(-theta * S[np.ix_(train, train)]) + np.eye(len(train)) / C
    return radius(K) * machine(K)[2]


cell = given["RM-p"]
start = min((bound(S, theta, C), theta, C) for theta in [k / 2 for k in range(1, d)] + list(np.geomspace(d / 2, 100, 12))
            for C in np.geomspace(1e-2, 1e4, 13))
assert cell["plain"] <= start[0] * (1 + 1e-3), (cell["plain"], start)
compare("RM-p value", cell["value"], bound(divergences(powers(np.array(cell["alpha"]))), cell["theta"], cell["C"]), 1e-4)
objective = lambda point: bound(divergences(powers(point[:d])), cell["theta"], np.exp(point[d]))
found = minimize(objective, np.r_[np.ones(d), np.log(cell["plain_C"])], method="Nelder-Mead",
                 options={"maxiter": 600, "xatol": 1e-4, "fatol": 1e-6})
assert cell["value"] <= found.fun * (1 + 2e-2), (cell["value"], found.fun)
K = np.exp(-cell["theta"] * divergences(powers(np.array(cell["alpha"]))))
w, bias, _ = machine(K[np.ix_(train, train)] + np.eye(len(train)) / cell["C"])
predicted = np.where(K[np.ix_(test, train)] @ w + bias > 0, 1.0, -1.0)
compare("RM-p accuracy", cell["accuracy"], np.mean(predicted == sign[test]), 1e-12)
