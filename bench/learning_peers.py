"""Value and gradient of criteria as a careful user of NumPy and scikit-learn would write them.

Adjusted eigenvalues lam ** alpha; the gradient by the adjoint formula: one inverse per pair, eigenvectors once a matrix.
"""
import numpy as np
from pyriemann.geometry.mean import mean_riemann
from sklearn.svm import SVC, OneClassSVM

from peers import NumpyStein


class AdjustedBatch:
    def __init__(self, x):
        values, self.vectors = np.linalg.eigh(x)
        self.values, self.vectors = values[:, ::-1], self.vectors[:, :, ::-1]
        self.logs = np.log(self.values)

    def adjusted(self, alpha):
        lam = self.values**alpha
        return lam, (self.vectors * lam[:, None, :]) @ self.vectors.transpose(0, 2, 1)

    def gradient(self, theta, x, lam, weights):
        """From c = dJ/dK o K, zero on the diagonal."""
        sums = np.zeros_like(x)
        for i in range(len(x) - 1):
            inverses = np.linalg.inv((x[i] + x[i + 1 :]) / 2) * weights[i, i + 1 :, None, None]
            sums[i] += inverses.sum(axis=0)
            sums[i + 1 :] += inverses
        along = np.einsum("iaz,iab,ibz->iz", self.vectors, sums, self.vectors, optimize=True)
        return -theta * (self.logs * (lam * along - weights.sum(axis=1)[:, None])).sum(axis=0)


class Alignment:
    def __init__(self, x, labels):
        self.batch = AdjustedBatch(x)
        self.stein = NumpyStein(*x.shape[:2])
        self.target = np.where(labels[:, None] == labels, 1.0, -1.0)

    def value(self, alpha, theta):
        return self._kernel(alpha, theta)[-1]

    def value_and_gradient(self, alpha, theta):
        lam, x, kernel, norm, value = self._kernel(alpha, theta)
        weights = (self.target / (len(x) * norm) - value / norm**2 * kernel) * kernel
        np.fill_diagonal(weights, 0)
        return value, self.batch.gradient(theta, x, lam, weights)

    def finite_differences(self, alpha, theta, step=1e-6):
        """As in the published code: another kernel matrix for every eigenvalue."""
        value = self.value(alpha, theta)
        shifts = step * np.eye(len(alpha))
        return value, np.array([(self.value(alpha + shift, theta) - value) / step for shift in shifts])

    def _kernel(self, alpha, theta):
        lam, x = self.batch.adjusted(alpha)
        kernel = np.exp(-theta * self.stein(x))
        norm = np.linalg.norm(kernel)
        return lam, x, kernel, norm, np.sum(self.target * kernel) / (len(x) * norm)


class LogEuclideanAlignment:
    """Distances and gradient by products of matrices: no loop over pairs."""

    def __init__(self, x, labels):
        self.batch = AdjustedBatch(x)
        self.target = np.where(labels[:, None] == labels, 1.0, -1.0)

    def value_and_gradient(self, alpha, theta):
        vectors, logs = self.batch.vectors, self.batch.logs * alpha
        n, d = logs.shape
        rows = ((vectors * logs[:, None, :]) @ vectors.transpose(0, 2, 1)).reshape(n, d * d)
        squares = np.einsum("ie,ie->i", rows, rows)
        kernel = np.exp(-theta * np.maximum(squares[:, None] + squares - 2 * (rows @ rows.T), 0))
        norm = np.linalg.norm(kernel)
        value = np.sum(self.target * kernel) / (n * norm)
        weights = (self.target / (n * norm) - value / norm**2 * kernel) * kernel
        np.fill_diagonal(weights, 0)
        by_rows = -4 * theta * (weights.sum(axis=1)[:, None] * rows - weights @ rows)
        along = ((by_rows.reshape(n, d, d) @ vectors) * vectors).sum(axis=1)
        return value, (self.batch.logs * along).sum(axis=0)


class SubspaceAlignment:
    """Centred alignment of the Stein kernel of W'XW, and its gradient by W."""

    def __init__(self, x, labels, components):
        mean = mean_riemann(x)
        values, vectors = np.linalg.eigh(mean)
        whitening = (vectors / np.sqrt(values)) @ vectors.T
        self.x = whitening @ x @ whitening
        values, vectors = np.linalg.eigh(self.x)
        logs = (vectors * np.log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
        means = np.stack([logs[labels == c].mean(axis=0) for c in np.unique(labels)])
        means -= means.mean(axis=0)
        self.w = np.linalg.eigh((means @ means).sum(axis=0))[1][:, ::-1][:, :components]
        self.stein = NumpyStein(len(x), components)
        self.target = self._centred((labels[:, None] == labels).astype(float))
        divergences = self.stein(self.w.T @ self.x @ self.w)
        sample = divergences[:: -(-len(x) // 300), :: -(-len(x) // 300)]
        above = np.sort(sample[np.triu_indices(len(sample), 1)])
        self.theta = 2 / above[len(above) // 2]

    @staticmethod
    def _centred(kernel):
        return kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()

    def value_and_gradient(self):
        z = self.w.T @ self.x @ self.w
        kernel = np.exp(-self.theta * self.stein(z))
        centred = self._centred(kernel)
        norm, size = np.linalg.norm(centred), np.linalg.norm(self.target)
        value = np.sum(centred * self.target) / (norm * size)
        weights = (self.target / (norm * size) - value / norm**2 * centred) * kernel
        np.fill_diagonal(weights, 0)
        sums = np.zeros_like(z)
        for i in range(len(z) - 1):
            inverses = np.linalg.inv((z[i] + z[i + 1 :]) / 2) * weights[i, i + 1 :, None, None]
            sums[i] += inverses.sum(axis=0)
            sums[i + 1 :] += inverses
        by_z = -self.theta * (sums - weights.sum(axis=1)[:, None, None] * np.linalg.inv(z))
        return value, 2 * ((self.x @ self.w) @ by_z).sum(axis=0)


class RadiusMargin:
    """Both quadratic problems of every pair of classes by LIBSVM, as scikit-learn offers it."""

    def __init__(self, x, labels):
        self.batch = AdjustedBatch(x)
        self.stein = NumpyStein(*x.shape[:2])
        self.members = [np.flatnonzero(labels == c) for c in np.unique(labels)]

    def value_and_gradient(self, alpha, theta, c):
        lam, x = self.batch.adjusted(alpha)
        kernel = np.exp(-theta * self.stein(x))
        weights = np.zeros_like(kernel)
        total = 0
        for a in range(len(self.members)):
            for b in range(a + 1, len(self.members)):
                both = np.concatenate([self.members[a], self.members[b]])
                signs = np.repeat([1, -1], [len(self.members[a]), len(self.members[b])])
                soft = kernel[np.ix_(both, both)] + np.eye(len(both)) / c
                margin = SVC(kernel="precomputed", C=1e12, tol=1e-4).fit(soft, signs)
                coefficients = np.zeros(len(both))
                coefficients[margin.support_] = margin.dual_coef_[0]
                ball = OneClassSVM(kernel="precomputed", nu=1 / len(both), tol=1e-4).fit(soft)
                beta = np.zeros(len(both))
                beta[ball.support_] = ball.dual_coef_[0]
                norm = 2 * np.abs(coefficients).sum() - coefficients @ soft @ coefficients
                radius = soft[0, 0] - beta @ soft @ beta
                total += radius * norm
                weights[np.ix_(both, both)] -= norm * np.outer(beta, beta) + radius * np.outer(coefficients, coefficients)
        weights *= kernel
        np.fill_diagonal(weights, 0)
        return total, self.batch.gradient(theta, x, lam, weights)
