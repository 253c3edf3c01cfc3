"""The requests of the other tables to two builds in turns: another version's programs, and these."""
import numpy as np

from learning import widths
from measuring import Program, agree, matrices, take_turns
from neighbours import CLASSES, DIMS, NEIGHBOURS, QUERIES, TRAINED, classes

SIZES = [(1000, 5), (500, 16), (200, 43), (100, 100), (60, 200)]
METRICS = ("airm", "cholesky", "euclidean", "logeuclidean", "powereuclidean")
METRIC_SIZES = [(300, 5), (200, 16), (100, 43), (20, 200)]
CRITERIA = ("alignment", "separability", "centred", "neighbour")
MARGINS = ("radius-margin", "trace-margin")
CRITERION_SIZES = [(1000, 5), (500, 16), (200, 43)]


def requests(folder):
    """Pairs of a name and a request that both programs understand."""
    for n, d in SIZES:
        x = matrices(n, d)
        file = str(folder / f"before_{n}_{d}.npy")
        np.save(file, x)
        sizes = {"file": file, "n": n, "d": d, "budget": 0.05}
        yield f"stein {n} x {d}", {"what": "divergence", **sizes}
        yield f"inverse sums {n} x {d}", {"what": "inverse_sums", **sizes}
        theta = widths(x)
        yield f"kernel {n} x {d}", {"what": "gram", "theta": theta, **sizes}
        if (n, d) in CRITERION_SIZES:
            for criterion in CRITERIA + MARGINS:
                yield (f"{criterion} {n} x {d}",
                       {"what": "criterion", "criterion": criterion, "theta": theta, "classes": 4, **sizes})
    for metric in METRICS:
        for n, d in METRIC_SIZES:
            file = str(folder / f"before_{n}_{d}.npy")
            np.save(file, matrices(n, d))
            yield f"{metric} {n} x {d}", {"what": metric, "file": file, "n": n, "d": d, "budget": 0.05}
    for d in DIMS:
        file = str(folder / f"before_neighbours_{d}.npy")
        np.save(file, np.concatenate([classes(TRAINED, d, 1), classes(QUERIES[d], d, 2)]))
        yield (f"{NEIGHBOURS} neighbours of {TRAINED} x {d}",
               {"what": "neighbours", "search": "automatic", "file": file, "n": TRAINED, "queries": QUERIES[d], "d": d,
                "classes": CLASSES, "neighbours": NEIGHBOURS, "budget": 0.1})


def measure(folder, ours, other, rounds):
    theirs = Program(other / "bench_dsk")
    rows = []
    for name, request in requests(folder):
        best = take_turns({"before": lambda: theirs(**request), "now": lambda: ours(**request)}, rounds)
        agree(name, best["now"][1], best["before"][1])
        rows.append({"name": name, "before_seconds": best["before"][0], "now_seconds": best["now"][0],
                     "ratio": best["now"][0] / best["before"][0]})
    return rows


def show(rows):
    print("\nBeside another build, in turns; one thread")
    print(f"{'':<32} {'before ms':>10} {'now ms':>10} {'now / before':>13}")
    for row in rows:
        print(f"{row['name']:<32} {row['before_seconds'] * 1e3:>10.3f} {row['now_seconds'] * 1e3:>10.3f} {row['ratio']:>13.2f}")
    slower = [row["name"] for row in rows if row["ratio"] > 1.05]
    print(f"more than 5 % slower: {', '.join(slower) or 'none'}")
