"""A whole evaluation, as the paper's on Brodatz: 7168 matrices of 112 classes, d = 5, 20 halves, all cross-validated."""
import resource
import subprocess
import time

import numpy as np

CLASSES, EACH, DIM = 112, 64, 5


def measure(folder, program):
    shapes = np.random.default_rng(0).standard_normal((CLASSES, DIM, DIM))
    samples = shapes[:, None] @ np.random.default_rng(1).standard_normal((CLASSES, EACH, DIM, 60))
    x = (samples @ samples.swapaxes(-1, -2) / 60).reshape(-1, DIM, DIM)
    file = folder / "evaluate.npz"
    np.savez(file, X=x, y=np.repeat(np.arange(CLASSES), EACH))
    start = time.perf_counter()
    subprocess.run([program, "evaluate", file, "--methods", "SK:knn,DSK-KA-p:knn", "--protocol", "halves:20"], check=True)
    seconds = time.perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"n": len(x), "d": DIM, "classes": CLASSES, "seconds": seconds, "megabytes": megabytes}


def show(result):
    print(f"\ndsk evaluate, SK:knn and DSK-KA-p:knn, {result['n']} matrices, {result['classes']} classes, d = {result['d']},"
          f" halves:20, all cores: {result['seconds'] / 60:.1f} minutes, {result['megabytes']:.0f} MB")
