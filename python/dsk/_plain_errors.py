"""Errors of the extension in a user's words: an argument of the wrong type is named as the package names it."""

from __future__ import annotations

import functools
import re
import types
from typing import Any, Callable

# Where the library's names of arguments are not the package's.
_NAMES = {
    "threads": "n_jobs",
    "max_iterations": "max_iter",
    "tolerance": "tol",
    "per_class": "n_per_class",
    "classes": "n_classes",
    "count": "n_matrices",
    "seed": "random_state",
    "folds": "cv",
    "components": "n_components",
    "c": "C",
    "x": "X",
    "y": "Y",
}
# The types of what nanobind makes.
_METHOD, _FUNCTION = "nb_method", "nb_func"
_KINDS = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "True or False"}


def in_plain_words(module: types.ModuleType) -> types.ModuleType:
    """The same functions and classes; they raise TypeErrors that name the argument."""
    plain = types.ModuleType(module.__name__, module.__doc__)
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, type):
            _make_plain(value)
            # Classes that are made by their constructor are used for nothing else.
            value = _plain(value, name) if type(vars(value)["__init__"]).__name__ == _METHOD else value
        elif not name.startswith("__") and callable(value):
            value = _plain(value, name)
        if not name.startswith("__"):
            setattr(plain, name, value)
    return plain


def _make_plain(kind: type) -> None:
    """Replaces the methods, functions and properties of a class of the extension."""
    for name, value in list(vars(kind).items()):
        if isinstance(value, property) and value.fset is not None:
            setattr(kind, name, property(value.fget, _plain(value.fset, name, skipped=1), doc=value.__doc__))
        elif type(value).__name__ == _METHOD and not name.startswith("__"):
            setattr(kind, name, _plain(value, name.removeprefix("set_"), skipped=1))
        elif type(value).__name__ == _FUNCTION:
            setattr(kind, name, staticmethod(_plain(value, name)))


def _plain(function: Callable[..., Any], name: str, skipped: int = 0) -> Callable[..., Any]:
    """`skipped`: arguments that a user does not see, such as self."""

    @functools.wraps(function, assigned=("__name__", "__doc__"), updated=())
    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            message = _explanation(str(error), arguments[skipped:], name)
        raise TypeError(message)

    return called


def _explanation(text: str, arguments: tuple[Any, ...], function: str) -> str:
    """Names the first argument whose type is not the one in the signature that the message shows, or `function` where
    its only argument has no name."""
    signature = re.search(r"1\. \w*\((.*?)\) ->", text, re.DOTALL)
    expected = re.findall(r"(\w+): ([^,\[\]]+)(?:\[[^\]]*\])?", signature[1]) if signature else []
    for (name, kind), value in zip(expected, arguments):
        options = [option.strip() for option in kind.split("|")]
        words = [_KINDS[option] for option in options if option in _KINDS]
        if not words or type(value).__name__ in options or (value is None and "None" in options):
            continue
        if "float" in options and isinstance(value, int):
            continue
        name = function if name == "arg" else name
        return f"{_NAMES.get(name, name)} must be {' or '.join(words)}; got {value!r}"
    if any(isinstance(value, str) and "\0" in value for value in arguments):
        return "the name of a file contains a null character"
    listed = [one for value in arguments for one in (value if isinstance(value, list) else [value])]
    numbers = [value for value in listed if isinstance(value, int) and abs(value) >= 2**31]
    if numbers:
        return f"the number {numbers[0]} is too large"
    return "an argument is of the wrong type"
