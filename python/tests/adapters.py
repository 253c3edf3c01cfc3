"""Our estimators behind scikit-learn's usual tables, so that its checks, which know no other input, can run.

A row of features becomes a matrix: the log-Euclidean picture of the row, so that nothing is lost.
"""
import numpy as np
from sklearn.utils.validation import check_array

import dsk


def _finite_keyword():
    from inspect import signature

    return "ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else "force_all_finite"


def as_spd(X, estimator=None):
    """exp of the diagonal matrix of a row, in some rotated basis."""
    rows = check_array(X, estimator=estimator, dtype="numeric", **{_finite_keyword(): True})
    rows = np.asarray(rows, dtype=np.float64)
    limit = 8 * np.tanh(rows / 8)  # matrices that are well within double's range, for any row
    d = rows.shape[1]
    basis = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    spd = np.einsum("ij,nj,kj->nik", basis, np.exp(limit), basis)
    return (spd + spd.transpose(0, 2, 1)) / 2


def _table_tags(tags):
    tags.input_tags.two_d_array = True
    tags.input_tags.three_d_array = False
    return tags


class _Rows:
    def __sklearn_tags__(self):
        return _table_tags(super().__sklearn_tags__())

    def _like_fitted(self, X):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        rows = check_array(X)
        if rows.shape[1] != self.n_features_in_:
            return super()._like_fitted(np.tile(np.eye(rows.shape[1]), (len(rows), 1, 1)))
        return super()._like_fitted(as_spd(rows, self))


class TableKNeighbors(_Rows, dsk.KNeighborsClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(as_spd(X, self), y, sample_weight=sample_weight)


class TableSVC(_Rows, dsk.SVC):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableStein(_Rows, dsk.DiscriminativeStein):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableClassifier(_Rows, dsk.Classifier):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableMDM(_Rows, dsk.MDM):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableFgMDM(_Rows, dsk.FgMDM):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableEmbedding(_Rows, dsk.SpectralEmbedding):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)


class TableDiscriminativeKernel(_Rows, dsk.DiscriminativeKernel):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableTangentSpace(_Rows, dsk.TangentSpace):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)


class TableKMeans(_Rows, dsk.KMeans):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)


class TableKernelKMeans(_Rows, dsk.KernelKMeans):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)


class TableSpectral(_Rows, dsk.SpectralClustering):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)


class TableProject(_Rows, dsk.Project):
    def fit(self, X, y):
        return super().fit(as_spd(X, self), y)


class TableRecentre(_Rows, dsk.Recentre):
    def fit(self, X, y=None):
        return super().fit(as_spd(X, self), y)

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)
