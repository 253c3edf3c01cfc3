#!/usr/bin/env python3
"""Measures dsk beside its peers, in one run: contenders take turns, and the shortest time of each counts.

Everything runs on one thread unless a column says otherwise. Where pyRiemann would take too long it gets the first
matrices only, and its time is scaled by the number of pairs; the table marks these with *.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import datetime
import json
import pathlib
import platform
import tempfile
from importlib.metadata import version

import numpy as np

import automatic
import clustering
import crossovers
import describing
import evaluating
import held_out
import latency
import learning
import neighbours
import optimiser
import other_version
import peers
import pyriemann_patch
import python_package
import scale
import selecting
import sizes
from measuring import Program, agree, few_enough, matrices, pairs, take_turns, timed
from targets import print_checks

STEIN_CASES = [(1000, 5), (500, 16), (200, 43), (100, 100), (60, 200)]
MEAN_CASES = [(500, 8), (500, 16), (500, 32), (500, 64)]
MEAN_TOLERANCE = 1e-8
METRIC_CASES = [(300, 5), (200, 16), (100, 43)]


def stein_case(n, d, folder, ours, eigen, rounds):
    x = matrices(n, d)
    file = str(folder / f"stein_{n}_{d}.npy")
    np.save(file, x)
    part = few_enough(peers.pyriemann_stein, x)
    numpy_stein = peers.NumpyStein(n, d)

    def run(what, **more):
        return lambda: ours(what=what, file=file, n=n, d=d, budget=0.05, **more)

    best = take_turns(
        {
            "fma": lambda: ours(what="fma_peak", budget=0.02),
            "dsk": run("divergence"),
            "numpy": lambda: timed(lambda: numpy_stein(x), 0.1),
            "dsk, 2 threads": run("divergence", threads=2),
            "eigen": lambda: eigen(file=file, n=n, d=d, budget=0.1),
            "dsk, float32": run("divergence", float32=True),
            "pyriemann": lambda: timed(lambda: peers.pyriemann_stein(x[:part]), 0.1),
            "dsk, inverse sums": run("inverse_sums"),
        },
        rounds,
    )
    agree(f"n = {n}, d = {d}, dsk and NumPy", best["dsk"][1], best["numpy"][1])
    agree(f"n = {n}, d = {d}, Eigen and NumPy", best["eigen"][1], best["numpy"][1])
    agree(f"n = {n}, d = {d}, pyRiemann and NumPy", best["pyriemann"][1], np.sum(peers.NumpyStein(part, d)(x[:part])))
    agree(f"n = {n}, d = {d}, float32 and float64", best["dsk, float32"][1], best["dsk"][1], 1e-3)

    seconds = {name: best[name][0] for name in best}
    pyriemann = seconds["pyriemann"] * pairs(n) / pairs(part)
    fma_seconds, fma_flops = best["fma"]
    return {
        "n": n,
        "d": d,
        "dsk_seconds": seconds["dsk"],
        "dsk_ns_per_pair": seconds["dsk"] / pairs(n) * 1e9,
        "flops_per_second": pairs(n) * d**3 / 3 / seconds["dsk"],
        "fma_flops_per_second": fma_flops / fma_seconds,
        "pyriemann_seconds": pyriemann,
        "pyriemann_matrices_measured": part,
        "numpy_seconds": seconds["numpy"],
        "eigen_seconds": seconds["eigen"],
        "over_pyriemann": pyriemann / seconds["dsk"],
        "over_numpy": seconds["numpy"] / seconds["dsk"],
        "over_eigen": seconds["eigen"] / seconds["dsk"],
        "two_threads_seconds": seconds["dsk, 2 threads"],
        "two_threads_speedup": seconds["dsk"] / seconds["dsk, 2 threads"],
        "float32_speedup": seconds["dsk"] / seconds["dsk, float32"],
        "inverse_sums_seconds": seconds["dsk, inverse sums"],
        "inverse_sums_over_divergence": seconds["dsk, inverse sums"] / seconds["dsk"],
    }


def metric_case(metric, n, d, folder, ours, rounds):
    x = matrices(n, d)
    file = str(folder / f"metric_{n}_{d}.npy")
    np.save(file, x)
    peer = peers.METRICS[metric]
    part = few_enough(peer, x)
    best = take_turns(
        {
            "dsk": lambda: ours(what=metric, file=file, n=n, d=d, budget=0.05),
            "pyriemann": lambda: timed(lambda: peer(x[:part]), 0.05),
        },
        rounds,
    )
    if part == n:
        agree(f"{metric}, n = {n}, d = {d}", best["dsk"][1], best["pyriemann"][1])
    theirs = best["pyriemann"][0] * pairs(n) / pairs(part)
    return {
        "metric": metric,
        "n": n,
        "d": d,
        "dsk_seconds": best["dsk"][0],
        "pyriemann_seconds": theirs,
        "pyriemann_matrices_measured": part,
        "over_pyriemann": theirs / best["dsk"][0],
    }


def mean_case(metric, n, d, folder, ours, rounds):
    x = matrices(n, d)
    file = str(folder / f"mean_{n}_{d}.npy")
    np.save(file, x)
    peer = peers.MEANS[metric]

    def run(threads):
        return lambda: ours(what="mean", metric=metric, tolerance=MEAN_TOLERANCE, file=file, n=n, d=d, budget=0.05, threads=threads)

    best = take_turns(
        {
            "dsk": run(1),
            "dsk, 2 threads": run(2),
            "pyriemann": lambda: timed(lambda: peer(x, tol=MEAN_TOLERANCE), 0.05),
        },
        min(rounds, 3),
    )
    agree(f"mean by {metric}, n = {n}, d = {d}", best["dsk"][1], best["pyriemann"][1])
    return {
        "metric": metric,
        "n": n,
        "d": d,
        "dsk_seconds": best["dsk"][0],
        "two_threads_seconds": best["dsk, 2 threads"][0],
        "pyriemann_seconds": best["pyriemann"][0],
        "over_pyriemann": best["pyriemann"][0] / best["dsk"][0],
        "two_threads_over_pyriemann": best["pyriemann"][0] / best["dsk, 2 threads"][0],
    }


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def print_header(result):
    machine = result["machine"]
    peers_used = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    print(f"{machine['processor']}, {machine['cores']} cores, load {machine['load']:.1f}, {machine['date']}; {peers_used}")
    if "DSK_BENCH_CPU_TIME" in os.environ:
        print("Processor time, not time by the clock")
    print("One thread; the shortest time of each contender. * measured on fewer matrices, scaled by the number of pairs")
    if machine["load"] > 0.5:
        print("Others were at work on this machine: two threads especially may look slower than they are")


def scaled_mark(row):
    return "*" if row["pyriemann_matrices_measured"] < row["n"] else " "


def print_stein(result):
    print(f"\nStein divergences of all pairs of n matrices of size d; FMA peak {result['fma_peak_gflops']:.1f} GF")
    print("                 dsk                     dsk is faster than             dsk's time changes with")
    print(f"{'n':>5} {'d':>4} {'ms':>9} {'ns/pair':>9} {'of peak':>8} {'pyRiemann':>11} {'NumPy':>7} {'Eigen':>7}"
          f" {'2 threads':>11} {'float32':>8} {'inverse sums':>13}")
    for row in result["stein"]:
        print(f"{row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.2f} {row['dsk_ns_per_pair']:>9.1f}"
              f" {row['share_of_fma_peak']:>8.0%} {row['over_pyriemann']:>9.0f}x{scaled_mark(row)} {row['over_numpy']:>6.1f}x"
              f" {row['over_eigen']:>6.1f}x {'/ %.2f' % row['two_threads_speedup']:>11} {'/ %.2f' % row['float32_speedup']:>8}"
              f" {'* %.2f' % row['inverse_sums_over_divergence']:>13}")


def print_metrics(result):
    print("\nThe other metrics beside pyRiemann's")
    print(f"{'metric':>15} {'n':>5} {'d':>4} {'dsk ms':>9} {'pyRiemann ms':>13} {'ratio':>9}")
    for row in result["metrics"]:
        print(f"{row['metric']:>15} {row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.2f}"
              f" {row['pyriemann_seconds'] * 1e3:>12.1f}{scaled_mark(row)} {row['over_pyriemann']:>7.1f}x")


def print_means(result):
    print(f"\nMeans beside pyRiemann's, both to a tolerance of {MEAN_TOLERANCE:g}")
    print(f"{'metric':>15} {'n':>5} {'d':>4} {'dsk ms':>9} {'2 threads ms':>13} {'pyRiemann ms':>13} {'ratio':>9} {'2 threads':>10}")
    for row in result["means"]:
        print(f"{row['metric']:>15} {row['n']:>5} {row['d']:>4} {row['dsk_seconds'] * 1e3:>9.2f} {row['two_threads_seconds'] * 1e3:>13.2f}"
              f" {row['pyriemann_seconds'] * 1e3:>13.1f} {row['over_pyriemann']:>8.1f}x {row['two_threads_over_pyriemann']:>9.1f}x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default="build", help="folder of bench_dsk and bench_eigen")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there as well")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each contender (default 7)")
    parser.add_argument("--check", action="store_true", help="say which of the stated minimum ratios are met")
    parser.add_argument("--only", choices=("stein", "metrics", "means", "automatic", "learning", "neighbours", "latency", "describe", "python",
                                           "pyriemann", "evaluate", "select", "scale", "sizes", "crossovers", "cluster", "optimiser", "held-out"),
                        help="measure one table; `pyriemann`, `evaluate`, `select`, `scale`, `sizes`, `crossovers`, `cluster`, `optimiser` and `held-out` take minutes and are left out"
                             " otherwise")
    parser.add_argument("--cpu-time", action="store_true",
                        help="measure the processor's time, which depends less on other work; columns of two threads mean nothing then")
    parser.add_argument("--before", type=pathlib.Path, metavar="FOLDER",
                        help="measure only this: the bench_dsk of another build, in FOLDER, and ours by the same requests")
    parser.add_argument("--dims", help="with --only sizes: these sizes only, such as 64,128")
    parser.add_argument("--matrices", type=pathlib.Path, action="append", default=[],
                        help="with --only scale, optimiser or held-out: an .npz of labelled matrices to compare on; may be repeated but with scale")
    arguments = parser.parse_args()
    if arguments.before:
        arguments.only = "before"
    if arguments.cpu_time:
        os.environ["DSK_BENCH_CPU_TIME"] = "1"

    ours, eigen = (Program(arguments.programs / name) for name in ("bench_dsk", "bench_eigen"))
    result = {
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        },
        "versions": {"Python": platform.python_version(), **{name: version(name) for name in ("numpy", "pyriemann", "scikit-learn", "scikit-image")}},
        "rounds": arguments.rounds,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stein_cases = STEIN_CASES if arguments.only in (None, "stein") else []
        metric_cases = METRIC_CASES if arguments.only in (None, "metrics") else []
        result["stein"] = [stein_case(n, d, folder, ours, eigen, arguments.rounds) for n, d in stein_cases]
        result["metrics"] = [
            metric_case(metric, n, d, folder, ours, arguments.rounds) for metric in peers.METRICS for n, d in metric_cases
        ]
        mean_cases = MEAN_CASES if arguments.only in (None, "means") else []
        result["means"] = [mean_case(metric, n, d, folder, ours, arguments.rounds) for metric in peers.MEANS for n, d in mean_cases]
        if arguments.only in (None, "automatic"):
            result["automatic"] = automatic.measure(arguments.rounds)
        if arguments.only in (None, "learning"):
            result["learning"] = learning.measure(folder, ours, arguments.programs / "bench_dsk", arguments.rounds)
        if arguments.before:
            result["before"] = other_version.measure(folder, ours, arguments.before, arguments.rounds)
        if arguments.only in (None, "python"):
            result["python"] = python_package.measure(folder, ours, arguments.rounds)
        if arguments.only == "pyriemann":
            result["pyriemann"] = pyriemann_patch.measure(arguments.rounds)
        if arguments.only in (None, "neighbours"):
            result["neighbours"] = neighbours.measure(folder, ours, min(arguments.rounds, 5))
        if arguments.only in (None, "latency"):
            result["latency"] = latency.measure(folder, ours)
        if arguments.only == "evaluate":
            result["evaluate"] = evaluating.measure(folder, arguments.programs / "dsk")
        if arguments.only == "select":
            result["select"] = selecting.measure()
        if arguments.only == "scale":
            result["scale"] = scale.measure(folder, arguments.programs / "dsk", arguments.matrices[0] if arguments.matrices else None)
        if arguments.only == "cluster":
            result["cluster"] = clustering.measure(folder, arguments.programs / "dsk", arguments.rounds)
        if arguments.only == "optimiser":
            result["optimiser"] = optimiser.measure(folder, arguments.programs / "bench_optimiser", arguments.matrices)
        if arguments.only == "held-out":
            result["held-out"] = held_out.measure(folder, arguments.programs / "bench_held_out", arguments.matrices)
        if arguments.only == "sizes":
            dims = [int(d) for d in arguments.dims.split(",")] if arguments.dims else sizes.DIMS
            result["sizes"] = sizes.measure(min(arguments.rounds, 3), dims)
        if arguments.only == "crossovers":
            result["crossovers"] = crossovers.measure(folder, arguments.programs / "bench_crossovers", min(arguments.rounds, 5))
        if arguments.only in (None, "describe"):
            result["describe"] = describing.measure(folder, ours, arguments.programs, arguments.rounds)
    peak = max((row["fma_flops_per_second"] for row in result["stein"]), default=float("nan"))
    result["fma_peak_gflops"] = peak / 1e9
    for row in result["stein"]:
        row["share_of_fma_peak"] = row["flops_per_second"] / peak

    print_header(result)
    if result["stein"]:
        print_stein(result)
    if result["metrics"]:
        print_metrics(result)
    if result["means"]:
        print_means(result)
    if "automatic" in result:
        automatic.show(result["automatic"])
    if "learning" in result:
        learning.show(result["learning"])
    if "before" in result:
        other_version.show(result["before"])
    if "python" in result:
        python_package.show(result["python"])
    if "pyriemann" in result:
        pyriemann_patch.show(result["pyriemann"])
    if "neighbours" in result:
        neighbours.show(result["neighbours"])
    if "latency" in result:
        latency.show(result["latency"])
    if "evaluate" in result:
        evaluating.show(result["evaluate"])
    if "select" in result:
        selecting.show(result["select"])
    if "scale" in result:
        scale.show(result["scale"])
    if "cluster" in result:
        clustering.show(result["cluster"])
    if "optimiser" in result:
        optimiser.show(result["optimiser"])
    if "held-out" in result:
        held_out.show(result["held-out"])
    if "sizes" in result:
        sizes.show(result["sizes"])
        sizes.plot(result["sizes"], arguments.programs / "sizes.svg")
    if "crossovers" in result:
        crossovers.show(result["crossovers"])
    if "describe" in result:
        describing.show(result["describe"])
    if arguments.check:
        print_checks(result)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
        print(f"\nwritten to {arguments.json}")


if __name__ == "__main__":
    main()
