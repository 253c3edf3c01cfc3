"""Ctrl-C, and Python's lock."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import dsk

# Each would take minutes.
LONG_CALLS = {
    "pairwise_distance": "dsk.pairwise_distance(dsk.random_spd(1500, 150))",
    "riemann": "dsk.pairwise_distance(dsk.random_spd(1500, 60), metric='riemann')",
    "kernel": "dsk.kernel(dsk.random_spd(1500, 150))",
    "fit": "dsk.DiscriminativeStein(penalty=0, tol=1e-15, max_iter=100000).fit(X, y)",
    "choosing": "dsk.DiscriminativeStein().fit(X, y)",
    "predict": "dsk.KNeighborsClassifier(n_neighbors=1).fit(*noise(4000, 60)).predict(noise(4000, 60)[0])",
    "SVC": "dsk.SVC(kernel=dsk.DiscriminativeStein('rm')).fit(X, y)",
    "KNeighborsClassifier": "dsk.KNeighborsClassifier(kernel='auto').fit(X, y)",
    "Classifier": "dsk.Classifier().fit(X, y)",
    "Project": "dsk.Project().fit(X, y)",
    "evaluate": "dsk.evaluate(X, y, 'DSK-KA-p:knn,DSK-RM-p:svm')",
    "batch": "dsk.DiscriminativeStein('ca', penalty=0, tol=1e-15, max_iter=100000, batch=400).fit(X, y)",
    "combined": "dsk.SVC(kernel='combined').fit(X, y)",
    "KMeans": "dsk.KMeans(40, n_init=1000).fit(X)",
    "KernelKMeans": "dsk.KernelKMeans(40, n_init=100000).fit(X)",
    "SpectralClustering": "dsk.SpectralClustering(40, n_init=100000).fit(X)",
    "number of clusters": "dsk.KMeans('auto', n_init=1000, max_clusters=200).fit(X)",
    "learning without labels": "dsk.KMeans(8, n_init=1000, learn=True).fit(X)",
    "verbose evaluate": "dsk.evaluate(X, y, 'DSK-KA-p:knn,DSK-RM-p:svm', verbose=True)",
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_interrupt_is_answered(name):
    script = textwrap.dedent(
        f"""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what they start in the background ignore it
        import dsk, sys
        X, y = dsk.make_wishart_classes(n_per_class=400, dim=30, degrees=60, random_state=1)
        dsk.pairwise_distance(X[:3])
        def noise(n, d):
            return dsk.make_wishart_classes(n_per_class=n, dim=d, degrees=d)
        print("ready", flush=True)
        try:
            {LONG_CALLS[name]}
        except KeyboardInterrupt:
            dsk.pairwise_distance(X[:300])  # the library works again
            print("interrupted", flush=True)
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        assert child.poll() is None, child.communicate()
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        seconds = time.monotonic() - start
        assert answer == "interrupted\n", child.communicate()[1]
        assert seconds < 20  # a tenth of one where nobody else is at work
        assert child.wait(timeout=10) == 0
    finally:
        child.kill()


def test_a_handler_of_ones_own_is_left_alone():
    seen = []
    previous = signal.signal(signal.SIGINT, lambda *_: seen.append(True))
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            dsk.pairwise_distance(dsk.random_spd(300, 10))
    finally:
        signal.signal(signal.SIGINT, previous)
    assert seen


def test_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    dsk.pairwise_distance(dsk.random_spd(50, 5))
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_lock_is_released_while_the_library_works():
    X = dsk.random_spd(900, 60)
    ticks = []
    done = threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    start = time.monotonic()
    dsk.pairwise_distance(X, n_jobs=1)
    end = time.monotonic()
    done.set()
    counter.join()
    during = [tick for tick in ticks if start < tick < end]
    assert len(during) > 0.1 * (end - start) / 0.001


def test_calls_from_many_threads_at_once():
    X = dsk.random_spd(120, 8)
    expected = dsk.pairwise_distance(X)
    results = [None] * 8

    def work(k):
        results[k] = dsk.pairwise_distance(X)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for result in results:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_children_work():
    import multiprocessing

    X = dsk.random_spd(300, 12)
    expected = dsk.pairwise_distance(X)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for result in pool.map_async(dsk.pairwise_distance, [X, X]).get(timeout=60):
            np.testing.assert_array_equal(result, expected)
