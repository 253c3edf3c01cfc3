"""What the tests of the patch share."""
import importlib

import pytest

import dsk


@pytest.fixture(autouse=True)
def unpatched_afterwards():
    yield
    dsk.unpatch_pyriemann()


def geometry(module):
    try:
        return importlib.import_module(f"pyriemann.geometry.{module}")
    except ModuleNotFoundError:
        return importlib.import_module(f"pyriemann.utils.{module}")
