"""From which size on LAPACK is faster than our own code, beside the constants that the library has.

The constants are the same on all machines, so that results are. This shows what that costs on the machine at hand.
"""
import numpy as np

from measuring import Program, agree, matrices

# What, how many matrices, and sizes around the constant. Groups of eight pairs fill the vector lanes of our own code, so that one or a few
# are faster by LAPACK long before. The constants are for many.
CASES = [
    ("factor", [8], [16, 24, 32, 40, 48, 64, 96]),
    ("function", [8], [96, 112, 128, 129, 144, 160, 200]),
    ("spectrum", [2, 4, 8, 16], [160, 200, 255, 256, 300, 400]),
    ("stein", [2, 4, 8, 16], [200, 256, 300, 399, 400, 500, 600]),
]
NAMES = {"factor": "Cholesky factors and inverses", "function": "logarithms", "spectrum": "AIRM of pairs", "stein": "Stein divergences of pairs"}


def measure(folder, program, rounds):
    ours = Program(program)
    constants = ours.reply(what="constants")
    if constants["factor"] == 0:
        return []
    rows = []
    for kind, counts, sizes in CASES:
        for n, d in ((n, d) for n in counts for d in sizes):
            file = folder / f"crossover_{d}.npy"
            np.save(file, matrices(n, d))
            seconds, sums = {}, {}
            for _ in range(rounds):
                for side in (True, False):
                    reply = ours.reply(kind=kind, lapack=side, n=n, d=d, file=str(file), budget=0.03)
                    seconds[side] = min(reply["seconds"], seconds.get(side, float("inf")))
                    sums[side] = reply["checksum"]
            agree(f"{kind}, n = {n}, d = {d}, LAPACK and our own code", sums[True], sums[False])
            chosen = seconds[d >= constants[kind]]
            rows.append({"what": kind, "n": n, "d": d, "constant": constants[kind], "lapack_seconds": seconds[True], "own_seconds": seconds[False],
                         "loss": chosen / min(seconds.values()) - 1})
    return rows


def show(rows):
    if not rows:
        print("\nThis dsk was built without LAPACK, which has no crossovers")
        return
    print("\nOur own code and LAPACK on one thread, and what the choice by size costs")
    print(f"{'':>28} {'n':>3} {'d':>4} {'own ms':>9} {'LAPACK ms':>10} {'chosen':>7} {'slower by':>10}")
    for row in rows:
        chosen = "LAPACK" if row["d"] >= row["constant"] else "own"
        print(f"{NAMES[row['what']]:>28} {row['n']:>3} {row['d']:>4} {row['own_seconds'] * 1e3:>9.3f} {row['lapack_seconds'] * 1e3:>10.3f} {chosen:>7}"
              f" {row['loss']:>9.0%}")
