"""MATLAB 7.3 files, which are HDF5, for a library that was built without it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._library import library

_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def _is_hdf5(path: str) -> bool:
    """Whether HDF5 begins at one of the places where MATLAB and others put it."""
    if not path.endswith(".mat") or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        start = file.read(2048 + len(_SIGNATURE))
    return any(start[at : at + len(_SIGNATURE)] == _SIGNATURE for at in (0, 512, 1024, 2048))


def _value(data: Any, file: Any) -> Any:
    """A data set as scipy.io.savemat takes it, with its axes in MATLAB's order; None for what is no array."""
    import h5py

    kind = data.attrs.get("MATLAB_class", b"")
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    if "MATLAB_empty" in data.attrs:
        return np.zeros((0, 0))
    if h5py.check_string_dtype(data.dtype) is not None:
        texts = data.asstr()[()]
        return np.array(texts, dtype=object).T.reshape(-1, 1)
    if h5py.check_ref_dtype(data.dtype) is not None:
        cells = np.empty(data.shape, dtype=object)
        for place in np.ndindex(data.shape):
            cells[place] = _value(file[data[place]], file)
        return cells.T
    if data.dtype.kind not in "biuf":
        return None
    values = np.asarray(data[()]).T
    if kind == "char":
        return np.array(["".join(map(chr, row)) for row in np.atleast_2d(values).tolist()])
    return values


def convert(path: str, target: str) -> None:
    """Writes what a 7.3 file holds as a MAT-file of version 5, which the library reads."""
    try:
        import h5py
    except ImportError:
        raise ValueError(
            f"{path}: is a MAT-file of version 7.3, which needs h5py: pip install h5py (in MATLAB, save it with -v7)"
        ) from None
    import scipy.io

    try:
        with h5py.File(path, "r") as file:
            values = {
                name: _value(data, file)
                for name, data in file.items()
                if isinstance(data, h5py.Dataset) and not name.startswith("#")
            }
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is not a complete MAT-file of version 7.3") from error
    scipy.io.savemat(target, {name: value for name, value in values.items() if value is not None})


def _library_reads() -> bool:
    return bool(library.reads_matlab73())


@contextlib.contextmanager
def readable(path: str) -> Iterator[str]:
    """The file itself if the library reads it, or a copy that it reads. Errors name the file itself."""
    if _library_reads() or not _is_hdf5(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(path))
        convert(path, copy)
        try:
            yield copy
        except ValueError as error:
            raise ValueError(str(error).replace(copy, path)) from None
