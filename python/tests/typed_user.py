"""What a user with mypy may write; test_typing.py checks it with `mypy --strict`, and nobody runs it."""
import numpy as np
import dsk

X, y = dsk.make_wishart_classes(n_per_class=10, dim=4)
D = dsk.pairwise_distance(X, metric="stein")
K = dsk.kernel(X, theta=1.5)
classifier = dsk.Classifier().fit(X, y)
labels = classifier.predict(X)
print(classifier.summary(), D.shape, K.shape, labels.shape)
svc = dsk.SVC(dsk.DiscriminativeStein("centred", "affine"), C=1.0).fit(X, y)
print(svc.score(X, y), dsk.MDM("riemann").fit(X, y).transform(X).sum())
with dsk.patch_pyriemann(verbose=True) as patch:
    print(patch.report(), patch.calls["mean_riemann", "dsk"])
evaluation = dsk.evaluate(X, y, ["SK:knn", dsk.MDM("kullback_sym")], "halves:2", device="cpu")
knn = dsk.KNeighborsClassifier(5, "wasserstein").fit(X, y, sample_weight=np.ones(len(y)))
print(knn.kneighbors(X[:2]), dsk.FgMDM().fit(X, y).predict(X), dsk.SpectralEmbedding(2, "logchol").fit_transform(X))
covariances = dsk.Covariances("oas", [(8, 12)], 100.0).fit_transform(np.ones((2, 3, 50)))
print(len(evaluation), evaluation[0]["mean"], np.mean(dsk.mean(X)))
from sklearn.model_selection import StratifiedKFold
print(dsk.SVC(cv=StratifiedKFold(3)).fit(X, y, sample_weight=np.ones(len(y))).support_)
print(dsk.describe_texture([np.ones((8, 8))], tiles=(2, 2)).shape, dsk.describe_series([np.ones((2, 9))], "oas").shape)
