"""Loads the C++ library with the settings that a guest in somebody's Python process should have."""

from __future__ import annotations

import os
from typing import Any

from ._plain_errors import in_plain_words


def _load() -> Any:
    # OpenMP's threads spin while they wait for each other, which slows everybody down where other programs run. The
    # OpenMP library reads its settings when it is loaded; afterwards the environment is as it was.
    variable = "GOMP_SPINCOUNT"
    if variable in os.environ or "OMP_WAIT_POLICY" in os.environ:
        from . import _dsk

        return _dsk
    os.environ[variable] = "1000"
    try:
        from . import _dsk
    finally:
        del os.environ[variable]
    return _dsk


library: Any = in_plain_words(_load())
_is_forked = False


def _after_fork_in_child() -> None:
    # The parent's OpenMP threads are not there in a forked child, and waiting for them would never end.
    global _is_forked
    _is_forked = True
    library.use_one_thread()


os.register_at_fork(after_in_child=_after_fork_in_child)


def is_forked() -> bool:
    """Whether this process was forked from one that had loaded the library."""
    return _is_forked
