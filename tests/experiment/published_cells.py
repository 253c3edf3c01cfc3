"""Checks cells of a results file of `dsk experiment` against what independent_cells.py makes of the real data.

The matrices are made of the pictures, and the splits and folds drawn, by NumPy and plain Python as well.
"""
import gzip
import json

import numpy as np

from independent_cells import AlignedKernel, MarginKernel, Task, compare, stein_svm


class Random:
    """The 64-bit Mersenne twister of the C++ standard, and shuffling with it."""

    def __init__(self, seed):
        mask = 2 ** 64 - 1
        self.state = [seed & mask]
        for k in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ (last >> 62)) + k) & mask)
        self.position = 312

    def draw(self):
        if self.position == 312:
            s = self.state
            for k in range(312):
                x = (s[k] & 0xFFFFFFFF80000000) | (s[(k + 1) % 312] & 0x7FFFFFFF)
                s[k] = s[(k + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.position = 0
        x = self.state[self.position]
        self.position += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def below(self, limit):
        end = 2 ** 64 - 1 - (2 ** 64 - 1) % limit
        while True:
            x = self.draw()
            if x < end:
                return x % limit

    def shuffle(self, items):
        for left in range(len(items), 1, -1):
            other = self.below(left)
            items[left - 1], items[other] = items[other], items[left - 1]


def stratified(y, folds, seed):
    """Every class dealt out evenly among the folds, at random: (train, test) of each."""
    random, place, turn = Random(seed), np.full(len(y), -1), 0
    classes = [list(np.flatnonzero(y == label)) for label in range(max(y) + 1)]
    count = min(folds, max(map(len, classes)))
    for members in classes:
        if len(members) < 2:
            continue
        random.shuffle(members)
        for i in members:
            place[i], turn = turn % count, turn + 1
    return [(np.flatnonzero(place != fold), np.flatnonzero(place == fold)) for fold in range(count)]


def area_weights(size, wanted):
    """Shares of the old pixels in each new one."""
    ratio, weights = size / wanted, np.zeros((wanted, size))
    for new in range(wanted):
        for old in range(size):
            weights[new, old] = max(0, min(old + 1, (new + 1) * ratio) - max(old, new * ratio)) / ratio
    return weights


def texture(file):
    """The covariances of 8 x 8 tiles of a picture, resized to 256 x 256."""
    from PIL import Image
    grey = np.asarray(Image.open(file), dtype=float) / 255
    grey = area_weights(grey.shape[0], 256) @ grey @ area_weights(grey.shape[1], 256).T
    wide = np.pad(grey, 1, mode="edge")
    left, right, above, below = wide[1:-1, :-2], wide[1:-1, 2:], wide[:-2, 1:-1], wide[2:, 1:-1]
    features = np.stack([grey, abs(right - left), abs(below - above), abs(2 * grey - left - right),
                         abs(2 * grey - above - below)])
    return np.stack([np.cov(features[:, r:r + 32, c:c + 32].reshape(5, -1)) for r in range(0, 256, 32)
                     for c in range(0, 256, 32)])


def published_tasks(study, data, X, y):
    """(number, task, results by method) of each split of a study."""
    settings, by_split = study["settings"], {}
    for result in study["splits"]:
        by_split.setdefault(result["split"], {})[result["method"]] = result
    for number in sorted(by_split):
        if settings["protocol"] == "loo":
            train, test = np.delete(np.arange(len(y)), number), np.array([number])
        elif settings["protocol"].startswith("kfold:"):
            train, test = stratified(y, int(settings["protocol"][6:]), settings["seed"])[number]
        else:
            train, test = stratified(y, 2, settings["seed"] * 1000003 + number)[0]
        folds = stratified(y[train], settings["folds"], settings["seed"])
        yield number, Task(X, y, train, test, folds), by_split[number]


class Tally:
    """How often two computations agree on a cell."""

    def __init__(self, name):
        self.name, self.published, self.recomputed, self.same, self.tested, self.notes = name, [], [], 0, 0, []

    def add(self, published, recomputed, truth):
        published, recomputed = np.asarray(published), np.asarray(recomputed)
        self.published.append(np.mean(published == truth))
        self.recomputed.append(np.mean(recomputed == truth))
        self.same += int(np.sum(published == recomputed))
        self.tested += len(truth)

    def report(self, most_apart):
        ours, theirs = 100 * np.mean(self.published), 100 * np.mean(self.recomputed)
        print(f"{self.name}: {ours:.2f} % published, {theirs:.2f} % recomputed; {self.same} of {self.tested} predictions "
              f"are the same, on {len(self.published)} splits", *self.notes, sep="; ")
        assert abs(ours - theirs) <= most_apart, self.name


def check_brain(file, data, study, splits):
    with np.load(data / "fnc" / "fnc.npz") as given:
        X, labels = given["X"].astype(float), given["y"]
    name, found = next(iter(file["studies"].items()))
    y, tally, apart = np.unique(labels, return_inverse=True)[1], Tally("SK:svm on " + name), 0
    for number, task, results in published_tasks(found, data, X, y):
        if number >= splits:
            break
        theta, C, predicted = stein_svm(task, found["settings"]["relative_thetas"], found["settings"]["C"])
        cell = results["SK:svm"]
        apart += abs(cell["theta"] / theta - 1) > 1e-6 or cell["setting"] != C
        tally.add(cell["predicted"], predicted, y[task.test])
    tally.notes = [f"theta or C differ on {apart}"]
    tally.report(0)


def check_pair(file, data, study, splits):
    name = study or next(iter(file["studies"]))
    found = file["studies"][name]
    classes = name.split(" and ")
    X = np.concatenate([texture(data / "brodatz" / f"{one}.png") for one in classes])
    y = np.repeat([found["settings"]["classes"].index(one) for one in classes], 64)
    penalties = [p for p in found["settings"]["relative_penalties"] if p != "infinite"]
    aligned_cell, own_cell = Tally(f"DSK-KA-p as printed on {name}"), Tally("  with its own choice of lambda and k")
    margin_cell, behind, other_theta, Cs = Tally(f"DSK-RM-p as printed on {name}"), [], 0, []
    for number, task, results in published_tasks(found, data, X, y):
        if number >= splits:
            break
        cell = results["DSK-KA-p-printed:knn"]
        kernel = AlignedKernel(task, penalties, found["settings"]["neighbours"])
        chosen = int(np.argmin(np.abs(np.array(kernel.penalties) - cell["penalty"])))
        compare(f"split {number}: KA-p penalty", cell["penalty"], kernel.penalties[chosen], 1e-3)
        hits = kernel.hits()
        behind.append(int(hits.max() - hits[chosen, kernel.neighbours.index(int(cell["setting"]))]))
        # The strongest of equally good penalties, with its smallest number of neighbours.
        best = max(range(len(penalties)), key=lambda p: (hits[p].max(), p))
        own = kernel.predicted(kernel.penalties[best], kernel.neighbours[int(np.argmax(hits[best]))])
        own_cell.add(cell["predicted"], own, y[task.test])
        aligned_cell.add(cell["predicted"], kernel.predicted(kernel.penalties[chosen], int(cell["setting"])), y[task.test])

        cell, kernel = results["DSK-RM-p-printed:svm"], MarginKernel(task)
        _, theta, C = kernel.plain()
        other_theta += abs(cell["theta"] / theta - 1) > 1e-2
        _, alpha, C = kernel.learned(theta, C, eps=1e-4, gtol=1e-3)
        Cs.append(np.exp(abs(np.log(cell["setting"] / C))))
        signs = kernel.predicted(alpha, theta, C)
        margin_cell.add(cell["predicted"], np.where(signs == task.sign[0], y[0], 1 - y[0]), y[task.test])
    aligned_cell.notes = [f"its choice is at most {max(behind)} of {len(task.train)} behind the best in cross-validation"]
    margin_cell.notes = [f"another theta on {other_theta}", f"the learned C within a factor of {max(Cs):.3f}"]
    for cell, most_apart in ((aligned_cell, 0.2), (own_cell, 1), (margin_cell, 0.5)):
        cell.report(most_apart)


def check(results, data, study, splits):
    with (gzip.open if results.suffix == ".gz" else open)(results, "rt") as stream:
        file = json.load(stream)
    {"brain": check_brain, "brodatz-pairs": check_pair}[file["experiment"]](file, data, study, splits)
