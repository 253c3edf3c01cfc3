"""Whatever is passed for an argument: a result, or an error in Python's words that shows nothing of the extension."""
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import dsk

SIGNS_OF_THE_EXTENSION = ("incompatible function arguments", "Invoked with", "nanobind", "_dsk", "std::")
MATRICES, LABELS = dsk.make_wishart_classes(n_per_class=8, dim=3, degrees=12, tau=1, random_state=1)
EPOCHS = np.random.default_rng(0).standard_normal((6, 3, 50))
PICTURES = [np.random.default_rng(0).random((8, 8))]
KERNELS = [dsk.kernel(MATRICES), dsk.kernel(MATRICES, theta=2)]

VALUES = [
    None, "abc", "", "a\0b", 5, -1, 1.5, float("nan"), float("inf"), 10**30, -(10**30), [], [1, 2], {}, b"x", np.array(3),
    np.array([1.0, 2.0]), np.float32(2), True, object(), int, 1 + 2j, pd.Series([1, 2]),
]  # fmt: skip
ARRAYS = {
    "0-d": np.array(3.0),
    "1-d": MATRICES[0, 0],
    "2-d": MATRICES[0],
    "4-d": MATRICES[None],
    "objects": MATRICES.astype(object),
    "objects that are no numbers": np.array([None] * 3, dtype=object),
    "empty": np.empty((0, 3, 3)),
    "of size 0": np.empty((3, 0, 0)),
    "NaN": MATRICES * np.nan,
    "not contiguous": MATRICES[:, ::-1, ::-1],
    "float16": MATRICES.astype(np.float16),
    "long double": MATRICES.astype(np.longdouble),
    "big endian": MATRICES.astype(">f4"),
    "complex": MATRICES + 0j,
    "complex long double": MATRICES.astype(np.clongdouble),
    "bool": MATRICES > 0,
    "dates": np.zeros((16, 3, 3), "M8[s]"),
    "text": MATRICES.astype(str),
    "structured": np.zeros(16, dtype=[("a", "f8")]),
    "generator": (x for x in MATRICES),
    "frame": pd.DataFrame(MATRICES[0]),
    "huge": MATRICES * 1e300,
    "tiny": MATRICES * 1e-300,
    "zero": MATRICES * 0,
}


@pytest.fixture
def functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of the values are names of files
    evaluation = dsk.evaluate(MATRICES, LABELS, "SK:knn", "halves:2")
    np.save(tmp_path / "x.npy", MATRICES)
    return [
        (dsk.pairwise_distance, {"X": MATRICES}),
        (dsk.kernel, {"X": MATRICES}),
        (dsk.mean, {"X": MATRICES}),
        (dsk.distance, {"A": MATRICES[0], "B": MATRICES[1]}),
        (dsk.covariance, {"epochs": EPOCHS}),
        (dsk.repair, {"X": MATRICES}),
        (dsk.make_wishart_classes, {"n_per_class": 3}),
        (dsk.random_spd, {"n_matrices": 3, "dim": 3}),
        (dsk.align_kernels, {"kernels": KERNELS, "y": LABELS}),
        (dsk.describe_texture, {"pictures": PICTURES}),
        (dsk.describe_gabor, {"pictures": PICTURES}),
        (dsk.describe_series, {"trials": [EPOCHS[0]]}),
        (dsk.load_dataset, {"path": tmp_path / "x.npy"}),
        (dsk.save_dataset, {"path": tmp_path / "y.npz", "X": MATRICES}),
        (dsk.report, {"evaluation": evaluation, "path": tmp_path / "r.html"}),
        (dsk.evaluate, {"X": MATRICES, "y": LABELS, "methods": "SK:knn", "protocol": "halves:2"}),
        (dsk.LearnedKernel.plain, {"dim": 3, "theta": 1.0}),
    ]


ESTIMATORS = [
    dsk.KNeighborsClassifier(3),
    dsk.SVC(C=1.0, theta=2.0),
    dsk.MDM(),
    dsk.FgMDM(),
    dsk.TangentSpace(),
    dsk.Recentre(),
    dsk.Project(2, max_iter=2),
    dsk.DiscriminativeStein(penalty=0.1, max_iter=2),
    dsk.DiscriminativeKernel(penalty=0.1, max_iter=2),
    dsk.KMeans(2, n_init=1),
    dsk.KernelKMeans(2, n_init=1),
    dsk.SpectralClustering(2, n_init=1),
    dsk.SpectralEmbedding(),
    dsk.Covariances(),
]


def expect_plain_words(call, what):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except (TypeError, ValueError, OSError, AttributeError) as error:
            found = [sign for sign in SIGNS_OF_THE_EXTENSION if sign in str(error)]
            assert not found and str(error), f"{what}: {error!r}"


def test_functions_take_or_refuse_anything(functions):
    for function, arguments in functions:
        for name in inspect.signature(function).parameters:
            for value in [*VALUES, *(ARRAYS.values() if name in ("X", "Y", "A", "B", "epochs") else ())]:
                expect_plain_words(
                    lambda: function(**{**arguments, name: value}), f"{function.__name__}({name}={value!r})"
                )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_estimators_take_or_refuse_anything(estimator):
    kind, settings = type(estimator), estimator.get_params(deep=False)
    data = EPOCHS if kind is dsk.Covariances else MATRICES
    for name in settings:
        for value in VALUES:
            expect_plain_words(lambda: kind(**{**settings, name: value}).fit(data, LABELS), f"{name}={value!r}")
    for name, array in ARRAYS.items():
        expect_plain_words(lambda: kind(**settings).fit(array, LABELS), f"fit of {name}")
    fitted = kind(**settings).fit(data, LABELS)
    for method in ("predict", "transform", "predict_proba", "decision_function", "kneighbors", "inverse_transform"):
        if hasattr(fitted, method):
            for name, array in ARRAYS.items():
                expect_plain_words(lambda: getattr(fitted, method)(array), f"{method} of {name}")
    for value in VALUES:
        expect_plain_words(lambda: kind(**settings).fit(data, value), f"y={value!r}")
        for name in ("sample_weight", "groups"):
            if name in inspect.signature(kind.fit).parameters:
                expect_plain_words(lambda: kind(**settings).fit(data, LABELS, **{name: value}), f"{name}={value!r}")
