"""Pickles the library's kernels and models as the bytes of their .dsk files."""

from __future__ import annotations

import copyreg
import pathlib
import tempfile
from typing import Any

from ._library import library


def _bytes_of(saved: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "pickled.dsk")
        saved.save(path)
        return path.read_bytes()


def _restore(kind: str, content: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "pickled.dsk")
        path.write_bytes(content)
        return getattr(library, kind).load(path)


def _reduce(saved: Any) -> tuple[Any, ...]:
    return _restore, (type(saved).__name__, _bytes_of(saved))


copyreg.pickle(library.Kernel, _reduce)
copyreg.pickle(library.Model, _reduce)
