"""dsk beside the other libraries of a process that bring an OpenMP or BLAS of their own: NumPy, scikit-learn, PyTorch."""
import importlib.util
import subprocess
import sys

import pytest

SCRIPT = """
import concurrent.futures, multiprocessing, os, sys
{imports}
import dsk, numpy as np

X, y = dsk.make_wishart_classes(n_classes=2, n_per_class=150, dim=12, degrees=30, random_state=1)
points = np.random.default_rng(0).standard_normal((2000, 20))

def with_dsk():
    return float(dsk.pairwise_distance(X).sum())

def with_numpy():
    return float(np.linalg.norm(np.linalg.inv(points.T @ points + np.eye(20))))

def with_sklearn():
    from sklearn.cluster import KMeans
    return float(KMeans(4, n_init=1, max_iter=20, random_state=0).fit(points).inertia_)

def with_torch():
    if "torch" not in sys.modules:
        return 0.0
    import torch
    return float(torch.linalg.norm(torch.from_numpy(points).T @ torch.from_numpy(points)))

def everything(_=None):
    return [work() for work in (with_dsk, with_numpy, with_sklearn, with_torch)]

def forked():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map_async(with_dsk_in_child, range(4)).get(timeout=60)

def with_dsk_in_child(_):
    return with_dsk()

alone = everything()
with concurrent.futures.ThreadPoolExecutor(4) as threads:
    together = list(threads.map(everything, range(8)))
children = forked()
after = everything()
for other in [*together, after]:
    assert np.allclose(other, alone, rtol=1e-12), (other, alone)
assert children == [alone[0]] * 4, (children, alone)
loaded = {{line.split("/")[-1].strip() for line in open("/proc/self/maps") if "gomp" in line or "iomp" in line or "libomp" in line}}
print(len(loaded), "OpenMP run times")
"""
LIBRARIES = ("numpy", "sklearn.cluster")
WITH_TORCH = pytest.mark.skipif(not importlib.util.find_spec("torch"),
                                reason="PyTorch is not installed (pip install torch): dsk was tested beside the others only")
ORDERS = [("dsk", *LIBRARIES), (*LIBRARIES, "dsk"),
          *(pytest.param(order, marks=WITH_TORCH)
            for order in [("dsk", *LIBRARIES, "torch"), (*LIBRARIES, "torch", "dsk"), ("torch", "dsk", "sklearn.cluster")])]


@pytest.mark.parametrize("order", ORDERS, ids=" ".join)
def test_all_compute_in_one_process_in_threads_and_after_a_fork(order):
    imports = "\n".join(f"import {name}" for name in order)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT.format(imports=imports)], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("OpenMP run times\n")
