"""What different ways to optimise criteria learn, on held-out matrices: accuracy over random halves, on one thread."""
from collections import defaultdict

import numpy as np

from measuring import Program
from optimiser import wishart

CRITERIA = ("centred", "alignment")
SPLITS = 10


def measure(folder, program, files):
    ours = Program(program)
    result = []
    for file in files or [wishart(folder)]:
        with np.load(file, allow_pickle=False) as data:
            d = data["X"].shape[1]
        for criterion in CRITERIA:
            reply = ours.reply(file=str(file), criterion=criterion, components=max(2, d // 4), splits=SPLITS)
            result.append({"data": file.stem, "criterion": criterion, **reply})
    return result


def show(result):
    print(f"\nAccuracy on the other half, mean of {SPLITS} halves in %, by the nearest matrix and by class means; processor time of learning")
    print(f"{'data':>16} {'n':>5} {'d':>3} {'criterion':>10} {'way':>45} {'nearest':>8} {'means':>8} {'theta':>9} {'s':>7}")
    for case in result:
        ways = defaultdict(list)
        for split in case["splits"]:
            for row in split:
                ways[row["way"]].append(row)
        for way, rows in ways.items():
            mean = {key: np.mean([row[key] for row in rows]) for key in ("neighbour", "class_mean", "seconds")}
            theta = np.median([row["theta"] for row in rows])
            print(f"{case['data']:>16} {case['n']:>5} {case['d']:>3} {case['criterion']:>10} {way:>45} {100 * mean['neighbour']:>8.1f}"
                  f" {100 * mean['class_mean']:>8.1f} {theta:>9.3g} {mean['seconds']:>7.2f}")
