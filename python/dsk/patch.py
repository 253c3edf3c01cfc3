"""The command ``python -m dsk.patch script.py arguments``: runs a script with pyRiemann's functions replaced by dsk's."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from ._patch import patch_pyriemann


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m dsk.patch", description="Runs a Python script with pyRiemann's functions replaced by dsk's."
    )
    parser.add_argument("--verbose", action="store_true", help="print where each call runs")
    parser.add_argument("--report", action="store_true", help="print the number of calls by function and path at the end")
    parser.add_argument("script", help="the script, with its own arguments after it")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    patch = patch_pyriemann(verbose=options.verbose)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    try:
        runpy.run_path(options.script, run_name="__main__")
    finally:
        if options.report:
            print(patch.report(), file=sys.stderr)


if __name__ == "__main__":
    main()
