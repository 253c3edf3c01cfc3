"""How far different ways to optimise criteria come: the objective in processor time, on one thread."""
import numpy as np

import dsk
from measuring import Program

CRITERIA = ("alignment", "separability", "centred", "neighbour")
MOST_MATRICES = 200


def wishart(folder):
    x, y = dsk.make_wishart_classes(n_classes=4, n_per_class=75, dim=8, degrees=24, tau=0.2, random_state=0)
    file = folder / "wishart.npz"
    np.savez(file, X=x, y=y)
    return file


def thinned(file, folder):
    """At most so many matrices, evenly spaced."""
    with np.load(file, allow_pickle=False) as data:
        x, y = data["X"], data["y"]
    kept = folder / f"kept_{file.name}"
    some = slice(None, None, -(-len(x) // MOST_MATRICES))
    np.savez(kept, X=x[some], y=y[some])
    return kept, x.shape[1]


def measure(folder, program, files):
    ours = Program(program)
    result = []
    for file in [wishart(folder), *files]:
        kept, d = thinned(file, folder)
        for criterion in CRITERIA:
            reply = ours.reply(file=str(kept), criterion=criterion, components=max(2, d // 4))
            result.append({"data": file.stem, "criterion": criterion, **reply})
    return result


def change(value, today):
    """In per cent; nothing where there is nothing to compare with."""
    return f"{100 * (value - today) / abs(today):+.2f}%" if abs(today) > 1e-12 else "-"


def show(result):
    print("\nObjective (criterion less penalty), change against the first row of its kind, on one thread")
    print(f"{'data':>16} {'n':>5} {'d':>3} {'criterion':>13} {'way':>36} {'objective':>10} {'change':>9} {'same time':>9} {'theta':>9} {'s':>8} {'calls':>6}")
    for case in result:
        for row in case["rows"]:
            if row["name"] in ("theta, then eigenvalues", "W, then theta and eigenvalues"):
                today = row["objective"]
            print(f"{case['data']:>16} {case['n']:>5} {case['d']:>3} {case['criterion']:>13} {row['name']:>36} {row['objective']:>10.5f}"
                  f" {change(row['objective'], today):>9} {change(row['in_the_same_time'], today):>9} {row['theta']:>9.4g} {row['seconds']:>8.2f} {row['evaluations']:>6}")
