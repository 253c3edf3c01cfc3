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
_KINDS = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "True or False"}


def in_plain_words(module: types.ModuleType) -> types.ModuleType:
    """The same functions and classes; functions raise TypeErrors that name the argument."""
    plain = types.ModuleType(module.__name__, module.__doc__)
    for name in dir(module):
        value = getattr(module, name)
        if not name.startswith("__"):
            setattr(plain, name, value if isinstance(value, (type, str)) else _plain(value))
    return plain


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function, assigned=("__name__", "__doc__"))
    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            message = _explanation(str(error), arguments)
        raise TypeError(message)

    return called


def _explanation(text: str, arguments: tuple[Any, ...]) -> str:
    """Names the first argument whose type is not the one in the signature that the message shows."""
    signature = re.search(r"1\. \w+\((.*?)\) ->", text, re.DOTALL)
    expected = re.findall(r"(\w+): ([^,\[\]]+)(?:\[[^\]]*\])?", signature[1]) if signature else []
    for (name, kind), value in zip(expected, arguments):
        options = [option.strip() for option in kind.split("|")]
        words = [_KINDS[option] for option in options if option in _KINDS]
        if not words or type(value).__name__ in options or (value is None and "None" in options):
            continue
        if "float" in options and isinstance(value, int):
            continue
        return f"{_NAMES.get(name, name)} must be {' or '.join(words)}; got {value!r}"
    numbers = [value for value in arguments if isinstance(value, int) and abs(value) > 2**31]
    if numbers:
        return f"the number {numbers[0]} is too large"
    return "an argument is of the wrong type"
