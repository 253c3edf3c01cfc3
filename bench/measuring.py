"""How contenders are measured: in turns, the shortest time of each counting."""
import json
import os
import subprocess
import sys
import time

import numpy as np

LONGEST = 0.7  # seconds that one turn of a slow contender may take


def seconds_now():
    """By the clock, or of the processor where the programs measure that as well."""
    return time.process_time() if "DSK_BENCH_CPU_TIME" in os.environ else time.perf_counter()


class Program:
    """A benchmark program that answers requests, one line each."""

    def __init__(self, path):
        environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def __call__(self, **request):
        reply = self.reply(**request)
        return reply["seconds"], reply["checksum"]

    def reply(self, **request):
        """All that the program answers."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        reply = json.loads(line) if line else {"error": "the program ended"}
        if "error" in reply:
            sys.exit(f"bench: {self.process.args[0]}: {request}: {reply['error']}")
        return reply


def timed(work, budget):
    """The shortest time of `work`, repeated until `budget` seconds are spent, and the sum of what it returned."""
    shortest, spent = float("inf"), 0.0
    while spent < budget or shortest == float("inf"):
        start = seconds_now()
        result = work()
        seconds = seconds_now() - start
        shortest, spent = min(shortest, seconds), spent + seconds
    return shortest, float(np.sum(result))


def take_turns(contenders, rounds):
    """Shortest time of each contender over all rounds, and its checksum."""
    best = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            seconds, checksum = contender()
            best[name] = (min(seconds, best.get(name, (float("inf"),))[0]), checksum)
    return best


def pairs(n):
    return n * (n - 1) // 2


def few_enough(work, x):
    """How many matrices `work` can take within LONGEST, judged by a small part of them."""
    small = min(len(x), 16)
    seconds, _ = timed(lambda: work(x[:small]), 0.02)
    affordable = LONGEST / seconds * pairs(small)
    return len(x) if affordable >= pairs(len(x)) else max(small, int((2 * affordable) ** 0.5))


def matrices(n, d):
    samples = np.random.default_rng(n * 1000 + d).standard_normal((n, d, 3 * d))
    return np.ascontiguousarray(samples @ samples.transpose(0, 2, 1) / (3 * d))


def agree(what, one, other, tolerance=1e-6):
    if abs(one - other) > tolerance * abs(other):
        sys.exit(f"bench: {what}: the contenders' results differ: {one} and {other}")
