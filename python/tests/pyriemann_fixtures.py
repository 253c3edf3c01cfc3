"""The fixtures that pyRiemann's tests ask for. Its source archives hold the tests, but not the file that defines these.

`pyriemann_suite.py` puts it beside the tests as conftest.py, and runs them with and without the patch. What it is run
with, it writes down: the outcome of every test and, if patched, the number of calls by function and path.
"""
import json
import os

import numpy as np
import pytest
from numpy.testing import assert_array_almost_equal, assert_array_equal  # noqa: F401  (the tests import them from here)
from pyriemann.datasets import make_masks, make_matrices

approx = pytest.approx
patch = None
outcomes = {}


def to_backend(X, backend):
    if backend == "torch":
        return pytest.importorskip("torch").as_tensor(X)
    return X


def to_numpy(X):
    return np.asarray(X)


@pytest.fixture
def backend():
    return "numpy"


@pytest.fixture
def rndstate():
    return np.random.RandomState(1234)


@pytest.fixture
def get_mats(rndstate):
    def make(n_matrices, n_dim, kind):
        lead = n_matrices if isinstance(n_matrices, list) else [n_matrices]
        matrices = make_matrices(int(np.prod(lead)), n_dim, kind, rndstate)
        return matrices.reshape(*lead, *matrices.shape[1:])

    return make


@pytest.fixture
def get_mats_params(rndstate):
    def make(n_matrices, n_dim, kind):
        return make_matrices(n_matrices, n_dim, kind, rndstate, return_params=True, eigvecs_same=True)

    return make


@pytest.fixture
def get_masks(rndstate):
    return lambda n_matrices, n_channels: make_masks(n_matrices, n_channels, n_channels // 2, rndstate)


@pytest.fixture
def get_weights(rndstate):
    return lambda n_matrices: rndstate.uniform(1, 2, n_matrices)


@pytest.fixture
def get_targets(rndstate):
    return lambda n_matrices: rndstate.uniform(size=n_matrices)


@pytest.fixture
def get_labels():
    return lambda n_matrices, n_classes: np.repeat(np.arange(n_classes), n_matrices // n_classes)


def pytest_configure(config):
    global patch
    if os.environ["DSK_SUITE_PATCHED"] == "1":
        import dsk

        patch = dsk.patch_pyriemann()


def pytest_runtest_setup(item):
    np.random.seed(0)  # for tests that use the global generator


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish(session):
    calls = [] if patch is None else [[*key, count] for key, count in patch.calls.most_common()]
    with open(os.environ["DSK_SUITE_RESULT"], "w") as file:
        json.dump({"outcomes": outcomes, "calls": calls}, file)
