"""MATLAB 7.3 files read through h5py, as in wheels, beside the values that they were written with."""
import pathlib
import sys

import numpy as np
import pytest

import dsk
from dsk import _matlab73

h5py = pytest.importorskip("h5py")
FILES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "files"
THREE = [[[2, 1], [1, 2]], [[3, 1], [1, 5]], [[4, 0], [0, 1]]]


@pytest.fixture(autouse=True)
def without_hdf5(monkeypatch):
    """The package as it is in a wheel."""
    monkeypatch.setattr(_matlab73, "_library_reads", lambda: False)


@pytest.mark.parametrize("name, labels", [("h5py.mat", [1, 2, 1]), ("h5py_text.mat", ["a", "b", "a"]),
                                          ("hdf5storage.mat", ["a", "bc", "a"]), ("h5py_int.mat", None)])
def test_files_of_several_writers(name, labels):
    data = dsk.load_dataset(FILES / name)
    np.testing.assert_array_equal(data.X, THREE)
    assert (None if data.y is None else data.y.tolist()) == labels


def matlab_file(path, **arrays):
    """As MATLAB writes it: axes reversed, the class as an attribute, cells as references."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            if isinstance(array, list):
                references = np.empty((len(array), 1), dtype=h5py.ref_dtype)
                for k, cell in enumerate(array):
                    references[k, 0] = file.create_dataset(f"#refs#/{name}{k}", data=np.asarray(cell, float).T).ref
                data = file.create_dataset(name, data=references, dtype=h5py.ref_dtype)
                data.attrs["MATLAB_class"] = np.bytes_("cell")
            else:
                file.create_dataset(name, data=np.asarray(array).T).attrs["MATLAB_class"] = np.bytes_("double")
    return path


def test_stacks_and_cells_of_matlab(tmp_path):
    stack = np.stack(THREE, axis=2).astype(float)
    data = dsk.load_dataset(matlab_file(tmp_path / "a.mat", X=stack, y=[[3.0], [4.0], [3.0]]))
    np.testing.assert_array_equal(data.X, THREE)
    assert data.y.tolist() == [3, 4, 3]
    both = matlab_file(tmp_path / "b.mat", train_data=THREE[:2], test_data=THREE[2:], train_label=[[1.0], [2.0]],
                       test_label=[[2.0]])
    np.testing.assert_array_equal(dsk.load_dataset(both).X, THREE[:2])
    test = dsk.load_dataset(both, part="test")
    np.testing.assert_array_equal(test.X, THREE[2:])
    assert test.y.tolist() == [2]


def test_broken_files_end_in_one_line_with_their_name(tmp_path):
    whole = (FILES / "h5py.mat").read_bytes()
    for size in (8, 100, 600, 1000, 1500, 2000):
        path = tmp_path / "short.mat"
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="short.mat") as error:
            dsk.load_dataset(path)
        assert "\n" not in str(error.value)
    path = matlab_file(tmp_path / "odd.mat", X=np.full((2, 2, 3), -1.0))
    with pytest.raises(ValueError, match=str(path)):
        dsk.load_dataset(path)


def test_without_h5py_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ValueError, match="needs h5py: pip install h5py"):
        dsk.load_dataset(FILES / "h5py.mat")


def test_other_files_are_left_to_the_library(tmp_path, monkeypatch):
    monkeypatch.setattr(_matlab73, "convert", None)
    dsk.save_dataset(tmp_path / "a.mat", np.array(THREE, float))
    np.testing.assert_array_equal(dsk.load_dataset(tmp_path / "a.mat").X, THREE)
