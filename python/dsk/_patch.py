"""Makes existing pyRiemann code fast: pyRiemann's functions run in this library.

>>> import dsk
>>> with dsk.patch_pyriemann() as patch:
...     from pyriemann.classification import MDM
...     X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, tau=1, random_state=1)
...     labels = MDM().fit(X, y).predict(X)
>>> patch.calls["mean_riemann", "dsk"]
2

``python -m dsk.patch script.py arguments`` runs a script that way, unchanged: see dsk/patch.py.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections import Counter
from typing import Any, Callable, Optional

from ._pyriemann import TABLE, LeaveToPyriemann, Replacement

__all__ = ["Patch", "patch_pyriemann", "unpatch_pyriemann"]

_active: Optional[Patch] = None


class Patch:
    """The functions of pyRiemann that run in this library, and what they did; a context manager that ends it.

    Attributes
    ----------
    replaced : tuple of str
        Names of the functions.
    calls : collections.Counter
        Number of calls by name and path: ("mean_riemann", "dsk") for those that ran here, and for the others
        ("mean_riemann", reason why pyRiemann's own function ran).

    Examples
    --------
    >>> import dsk
    >>> with dsk.patch_pyriemann() as patch:
    ...     print(*patch.replaced[-3:])
    untangent_space FGDA._fit_lda FGDA._retro_project
    """

    def __init__(self, verbose: bool) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self._verbose = verbose
        self._depth = 0
        # Keeps the originals, so that their identity stays theirs.
        self._pairs = [(original, self._around(original, row)) for original, row in _originals()]

    @property
    def replaced(self) -> tuple[str, ...]:
        return tuple(row.name for row in TABLE)

    def report(self) -> str:
        """The calls so far as a table.

        Returns
        -------
        str
            One line per function and path, most frequent first.
        """
        lines = [f"{count:>8} {name}: {path}" for (name, path), count in self.calls.most_common()]
        return "\n".join(["   calls function: path", *lines])

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        if _active is self and self._depth == 0:
            unpatch_pyriemann()

    def __repr__(self) -> str:
        state = "active" if _active is self else "ended"
        return f"<Patch of {len(self._pairs)} pyRiemann functions, {state}>"

    def _around(self, original: Callable[..., Any], row: Replacement) -> Callable[..., Any]:
        ours, name = row.function, row.name

        @functools.wraps(original)
        def replacement(*arguments: Any, **keywords: Any) -> Any:
            try:
                result = ours(*arguments, **keywords)
            except LeaveToPyriemann as reason:
                self._count(name, str(reason))
            except TypeError:
                self._count(name, "other arguments")
            except ValueError:
                self._count(name, "matrices that are not symmetric positive definite")
            else:
                self._count(name, "dsk")
                return result
            return original(*arguments, **keywords)

        return replacement

    def _count(self, name: str, path: str) -> None:
        self.calls[name, path] += 1
        if self._verbose:
            print(f"dsk: {name} runs in {'dsk' if path == 'dsk' else f'pyRiemann: {path}'}", file=sys.stderr)


def _originals() -> list[tuple[Callable[..., Any], Replacement]]:
    """The functions of the installed pyRiemann that are in the table."""
    try:
        importlib.import_module("pyriemann")
    except ImportError as error:
        raise ImportError("patch_pyriemann needs pyRiemann: pip install pyriemann") from error
    found = []
    for row in TABLE:
        owner: Any = _module(row.module)
        found.append((functools.reduce(getattr, row.name.split("."), owner), row))
    return found


def _module(name: str) -> types.ModuleType:
    try:
        return importlib.import_module(f"pyriemann.{name}")
    except ModuleNotFoundError:  # before 0.12
        return importlib.import_module(f"pyriemann.{name.replace('geometry', 'utils')}")


def _rebind(pairs: list[tuple[Callable[..., Any], Callable[..., Any]]]) -> None:
    """Puts the second of each pair wherever a module of pyRiemann, or a class or a table in it, has the first."""
    new = {id(old): function for old, function in pairs}
    modules = [m for name, m in list(sys.modules.items()) if name.split(".")[0] == "pyriemann" and m is not None]
    for module in modules:
        for name, value in list(vars(module).items()):
            if id(value) in new:
                setattr(module, name, new[id(value)])
            elif type(value) is dict and not name.startswith("__"):
                value.update({key: new[id(entry)] for key, entry in value.items() if id(entry) in new})
            elif isinstance(value, type) and value.__module__.startswith("pyriemann"):
                for key, entry in list(vars(value).items()):
                    if id(entry) in new:
                        setattr(value, key, new[id(entry)])


def patch_pyriemann(verbose: bool = False) -> Patch:
    """Lets pyRiemann's functions run in this library, for the same results in less time.

    Call it before the imports from pyRiemann: ``from pyriemann... import name`` keeps the function that it finds. What
    this library does not do, or not faster, is left to the original function: other types of numbers and arrays, matrices
    that are not positive definite, options, large matrices.

    Parameters
    ----------
    verbose : bool, default=False
        Print the names of the functions, and for each call where it runs, on the standard error stream.

    Returns
    -------
    Patch
        Counts the calls. As a context manager it undoes the patch at the end of the block, unless pyRiemann was
        patched before it.

    Examples
    --------
    >>> import dsk
    >>> with dsk.patch_pyriemann() as patch:
    ...     from pyriemann.estimation import Covariances
    ...     from pyriemann.tangentspace import TangentSpace
    >>> patch
    <Patch of 18 pyRiemann functions, ended>
    """
    global _active
    if _active is None:
        _active = Patch(verbose)
        _rebind(_active._pairs)
    _active._depth += 1
    _active._verbose = verbose
    if verbose:
        print(f"dsk: replaced in pyRiemann: {', '.join(_active.replaced)}", file=sys.stderr)
    return _active


def unpatch_pyriemann() -> None:
    """Undoes :func:`patch_pyriemann`; does nothing if pyRiemann is not patched.

    Examples
    --------
    >>> import dsk
    >>> patch = dsk.patch_pyriemann()
    >>> dsk.unpatch_pyriemann()
    >>> patch
    <Patch of 18 pyRiemann functions, ended>
    """
    global _active
    if _active is None:
        return
    _rebind([(replacement, original) for original, replacement in _active._pairs])
    _active = None
