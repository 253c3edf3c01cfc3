"""n_jobs limits the threads of everything that is computed, the check of the matrices included."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np, dsk
X = np.eye(12) * np.arange(1.0, 2001.0)[:, None, None]
y = np.arange(2000) % 2
{statement}
"""
STATEMENTS = {
    "distance": "dsk.pairwise_distance(X, metric='euclidean', n_jobs={n_jobs})",
    "fit": "dsk.KNeighborsClassifier(1, 'euclidean', n_jobs={n_jobs}).fit(X, y)",
}


def threads_used(statement, n_jobs):
    """The OpenMP threads that took part in a computation where three are used by default."""
    environment = dict(os.environ, OMP_NUM_THREADS="3", OMP_DISPLAY_AFFINITY="TRUE",
                       OMP_AFFINITY_FORMAT="OpenMP thread %n.")
    script = SCRIPT.format(statement=STATEMENTS[statement].format(n_jobs=n_jobs))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    return {line for line in done.stderr.splitlines() if line.startswith("OpenMP thread")}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_one_job_uses_one_thread(statement):
    assert len(threads_used(statement, 1)) <= 1


def test_several_jobs_use_several_threads():
    assert len(threads_used("distance", 3)) == 3
