import os
import pathlib
import subprocess

import numpy as np
import pytest

import dsk

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def classes():
    """Two overlapping classes: X (80, 4, 4), y."""
    return dsk.make_wishart_classes(n_per_class=40, dim=4, degrees=12, tau=1, random_state=3)


@pytest.fixture(scope="session")
def three_classes():
    return dsk.make_wishart_classes(n_classes=3, n_per_class=25, dim=4, degrees=15, tau=1, random_state=4)


@pytest.fixture
def random_matrices():
    def make(n, d, seed=0, samples_per_dim=3):
        samples = np.random.default_rng(seed).standard_normal((n, d, samples_per_dim * d + 2))
        return samples @ samples.transpose(0, 2, 1) / samples.shape[2]

    return make


@pytest.fixture(scope="session")
def program():
    """Runs the command line; where only the package is tested, such tests are skipped."""
    if os.environ.get("DSK_PROGRAM") == "none":
        pytest.skip("without the command line")

    def run(*arguments):
        path = os.environ.get("DSK_PROGRAM", ROOT / "build" / "dsk")
        done = subprocess.run([str(path), *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
