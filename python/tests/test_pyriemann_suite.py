"""pyRiemann's own tests pass with the patch exactly where they pass without it."""
import pathlib

import pytest

import pyriemann_suite

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build" / "pyriemann"


@pytest.mark.parametrize("version", pyriemann_suite.VERSIONS)
def test_outcomes_are_the_same(version):
    try:
        source = pyriemann_suite.fetch(version, FOLDER)
    except pyriemann_suite.Unreachable as error:
        pytest.skip(str(error))
    if version == "newest" and source.name.removeprefix("pyriemann-") in pyriemann_suite.VERSIONS:
        pytest.skip(f"the newest is {source.name}, which is tested above")
    changed, report = pyriemann_suite.compare(source)
    print(report)
    assert not changed, report
