"""Types: annotations on everything public, the stub of the extension, and the language of Python 3.9."""
import ast
import inspect
import pathlib
import subprocess
import sys

import pytest

import dsk

PACKAGE = pathlib.Path(dsk.__file__).parent


def test_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def test_stub_names_everything_in_the_extension():
    stub = ast.parse((PACKAGE / "_dsk.pyi").read_text())
    names = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    library = {name for name in dir(dsk._library) if not name.startswith("_")} - {"version"}
    assert names == library


def test_everything_public_is_annotated():
    def functions():
        for name in dsk.__all__:
            thing = getattr(dsk, name)
            if inspect.isfunction(thing):
                yield thing
            elif inspect.isclass(thing):
                yield from (f for _, f in inspect.getmembers(thing, inspect.isfunction)
                            if f.__module__.startswith("dsk") and not f.__name__.startswith("_"))
        yield from (getattr(dsk.plot, name) for name in dsk.plot.__all__)

    for function in functions():
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, function
        for parameter in signature.parameters.values():
            if parameter.name not in ("self", "random_state"):
                assert parameter.annotation is not parameter.empty, (function, parameter)


def test_sources_are_python_3_9():
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text()
        ast.parse(source, feature_version=(3, 9))
        assert "from __future__ import annotations" in source, path  # newer notation of types is not evaluated


@pytest.mark.parametrize("what", [["-p", "dsk"], [str(pathlib.Path(__file__).with_name("typed_user.py"))]])
def test_mypy_finds_nothing(what, tmp_path):
    pytest.importorskip("mypy")
    settings = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(settings), "--cache-dir", str(tmp_path), *what],
        capture_output=True, text=True, cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
