"""Docstrings: their examples run, and they name every parameter."""
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re

import matplotlib
import pytest

matplotlib.use("agg")
import dsk

MODULES = ["dsk", *(found.name for found in pkgutil.walk_packages(dsk.__path__, "dsk.") if found.name != "dsk._dsk")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


def test_readme_example_runs():
    readme = pathlib.Path(__file__).resolve().parents[2] / "README.md"
    outcome = doctest.testfile(str(readme), module_relative=False)
    assert outcome.attempted > 4 and outcome.failed == 0


def public_callables():
    for name in dsk.__all__:
        thing = getattr(dsk, name)
        if inspect.isfunction(thing):
            yield name, thing, thing
        elif inspect.isclass(thing):
            yield name, thing, thing
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and function.__module__.startswith("dsk"):
                    yield f"{name}.{method}", function, function
    for name in dsk.plot.__all__:
        yield f"plot.{name}", getattr(dsk.plot, name), getattr(dsk.plot, name)


def test_everything_public_is_documented():
    for name, thing, _ in public_callables():
        assert inspect.getdoc(thing), name


def described(doc):
    """Names in the Parameters section."""
    section = re.search(r"Parameters\n-+\n(.*?)(\n\n[A-Z][a-z]+\n-+\n|\Z)", doc, re.DOTALL)
    names = re.findall(r"^([\w, *]+?)(?: :.*)?$", section[1], re.MULTILINE) if section else []
    return {name.strip("* ") for line in names for name in line.split(",")}


@pytest.mark.parametrize("name", [name for name in dsk.__all__ if name not in ("plot", "Evaluation", "LearnedKernel", "Patch")])
def test_every_parameter_is_described(name):
    thing = getattr(dsk, name)
    parameters = set(inspect.signature(thing).parameters) - {"self"}
    assert parameters <= described(inspect.getdoc(thing)), name


def test_functions_and_estimators_have_an_example():
    for name in dsk.__all__:
        if name not in ("plot", "Evaluation", "save_dataset"):
            assert ">>>" in inspect.getdoc(getattr(dsk, name)), name
    for name in dsk.plot.__all__:
        assert ">>>" in inspect.getdoc(getattr(dsk.plot, name)), name
