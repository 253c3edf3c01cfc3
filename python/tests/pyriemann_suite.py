#!/usr/bin/env python3
"""Runs pyRiemann's own tests, of released versions, without and with dsk.patch_pyriemann, and compares the outcomes.

usage: pyriemann_suite.py FOLDER [VERSION...]

Source archives and outcomes without the patch are kept in FOLDER. Without versions: 0.11, 0.12 and the newest.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version as version_of

FIXTURES = pathlib.Path(__file__).with_name("pyriemann_fixtures.py")
VERSIONS = ["0.11", "0.12", "newest"]
# Files and tests that take long and have little or nothing to do with what is replaced.
LEFT_OUT = ["viz", "artifactdetection", "channelselection", "simulated", "stats"]
DESELECTED = "not TSNE and not mcd"


class Unreachable(Exception):
    """The package index did not answer."""


def fetch(version: str, folder: pathlib.Path) -> pathlib.Path:
    """The folder of the source archive of this version, fetched with pip unless it is there."""
    if version != "newest" and (known := folder / f"pyriemann-{version}").exists():
        return known
    archives = folder / "archives"
    wanted = "pyriemann" if version == "newest" else f"pyriemann=={version}"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-binary", "pyriemann", "--dest", str(archives), wanted],
        capture_output=True, text=True,
    )
    if done.returncode != 0:
        raise Unreachable(f"{wanted} could not be fetched from the package index: {done.stderr.strip().splitlines()[-1]}")
    newest = max(archives.glob("pyriemann-*.tar.gz"), key=lambda path: path.stat().st_mtime) if version == "newest" else \
        archives / f"pyriemann-{version}.tar.gz"
    target = folder / newest.name.removesuffix(".tar.gz")
    if not target.exists():
        with tarfile.open(newest) as archive:
            archive.extractall(folder)
    return target


def test_files(source: pathlib.Path) -> list[pathlib.Path]:
    """The tests of what the patch replaces, or what is made of it."""
    files = sorted((source / "tests").glob("test_*.py"))
    return [file for file in files if not any(word in file.name for word in LEFT_OUT)]


def run(source: pathlib.Path, patched: bool) -> dict:
    result = source / ("patched.json" if patched else "unpatched.json")
    result.unlink(missing_ok=True)
    shutil.copy(FIXTURES, source / "tests" / "conftest.py")
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),  # before the installed version
        "DSK_SUITE_PATCHED": str(int(patched)),
        "DSK_SUITE_RESULT": str(result),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore",
         "-k", DESELECTED, "--rootdir", str(source), *map(str, test_files(source))],
        cwd=source, env=environment, capture_output=True, text=True,
    )
    if not result.exists():
        raise RuntimeError(f"pyRiemann's tests in {source} could not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return json.loads(result.read_text())


def unpatched(source: pathlib.Path) -> dict:
    """Outcomes without the patch, kept for as long as the packages around are the same."""
    kept = source / "unpatched-kept.json"
    around = [platform.python_version(), *(version_of(name) for name in ("numpy", "scipy", "scikit-learn", "pytest"))]
    around.append(FIXTURES.read_text())
    if kept.exists() and (known := json.loads(kept.read_text()))["around"] == around:
        return known
    outcomes = {"around": around, **run(source, patched=False)}
    kept.write_text(json.dumps(outcomes))
    return outcomes


def compare(source: pathlib.Path) -> tuple[list[str], str]:
    """Tests whose outcome the patch changes, and a report."""
    before, after = unpatched(source), run(source, patched=True)
    tests = sorted(set(before["outcomes"]) | set(after["outcomes"]))
    changed = [
        f"{test}: {before['outcomes'].get(test, 'not run')} without the patch, {after['outcomes'].get(test, 'not run')} with it"
        for test in tests
        if before["outcomes"].get(test) != after["outcomes"].get(test)
    ]
    passed = sum(outcome == "passed" for outcome in after["outcomes"].values())
    ours = sum(count for _, path, count in after["calls"] if path == "dsk")
    total = sum(count for *_, count in after["calls"])
    lines = [
        f"{source.name}: {len(tests)} tests, {passed} pass with the patch, {len(changed)} differ from those without it",
        f"{ours} of {total} calls of replaced functions ran in dsk; the others, by function and reason:",
        *(f"{count:>8} {name}: {path}" for name, path, count in after["calls"] if path != "dsk"),
    ]
    report = "\n".join(lines + changed)
    (source / "report.txt").write_text(report + "\n")
    return changed, report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    options = parser.parse_args()
    differ = 0
    for source in dict.fromkeys(fetch(version, options.folder.resolve()) for version in options.versions):
        changed, report = compare(source)
        print(report)
        differ += len(changed)
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
