"""Parameters as users write them, as the library takes them."""

from __future__ import annotations

import errno
import numbers
import os
from typing import Any, Literal, Optional, Union, get_args

import numpy as np
from sklearn.utils import check_random_state

from ._library import is_forked, library

AUTO = "auto"
NumberOrAuto = Union[float, Literal["auto"]]
# The library's names, and beside them pyRiemann's.
MetricName = Literal[
    "airm",
    "riemann",
    "cholesky",
    "chol",
    "euclidean",
    "euclid",
    "harmonic",
    "inverse",
    "kullback",
    "kl",
    "kullback_right",
    "kl-right",
    "kullback_sym",
    "kl-sym",
    "logcholesky",
    "logchol",
    "logeuclidean",
    "logeuclid",
    "powereuclidean",
    "poweuclid",
    "stein",
    "logdet",
    "thompson",
    "wasserstein",
    "bures",
]
Device = Literal["cpu", "cuda"]
Precision = Literal["float64", "float32"]
Criterion = Literal[
    "alignment", "ka", "separability", "cs", "radius-margin", "rm", "trace-margin", "tm", "centred", "ca", "neighbour", "nn"
]
Adjustment = Literal["power", "p", "coefficient", "c", "affine", "a"]
Margin = Literal["linear", "squared"]
ThetaRange = Literal["auto", "valid", "any"]
Recentring = Literal["none", "all", "groups"]
Projection = Literal["none", "auto", "ladder", "start"]


def threads_of(n_jobs: Optional[int]) -> int:
    """The library's number of threads; 0 are as many as OpenMP gives."""
    if is_forked():
        return 1
    if n_jobs is None:
        return 0
    if type(n_jobs) is int and n_jobs > 0:
        return _not_too_large(n_jobs)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None, a number of threads, or -1 for all cores; got {n_jobs!r}")
    return _not_too_large(int(n_jobs)) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """The seed, as for the command line's --seed; None means 0, so that results can be reproduced."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative; got {random_state}")
        if int(random_state) > np.iinfo(np.int64).max:
            raise ValueError(f"random_state must be below 2^63; got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def theta_range_of(allow_indefinite: Any) -> str:
    """The library's name for the thetas that are allowed."""
    if is_auto(allow_indefinite):
        return AUTO
    return "any" if allow_indefinite else "valid"


def as_number(name: str, value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number; got {value!r}")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{name} must be a number that a float can hold; got {value!r}") from error


def as_whole_number(name: str, value: Any) -> int:
    number = as_number(name, value)
    if not number.is_integer():
        raise TypeError(f"{name} must be a whole number; got {value!r}")
    return _not_too_large(int(number))


_LARGEST = int(np.iinfo(np.int32).max)


def _not_too_large(number: int) -> int:
    if abs(number) > _LARGEST:
        raise TypeError(f"the number {number} is too large")
    return number


def number_or_auto(name: str, value: Any) -> Optional[float]:
    """The number, or None for "auto"."""
    if is_auto(value):
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f'{name} must be a number or "auto"; got {value!r}')
    return as_number(name, value)


def positive_or_auto(name: str, value: Any) -> Optional[float]:
    number = number_or_auto(name, value)
    if number is not None and not (0 < number < float("inf")):
        raise ValueError(f'{name} must be finite and above 0, or "auto"; got {value!r}')
    return number


def count_or_auto(name: str, value: Any) -> Optional[int]:
    number = number_or_auto(name, value)
    if number is None:
        return None
    if not number.is_integer() or number < 1:
        raise ValueError(f'{name} must be a whole number, 1 or more, or "auto"; got {value!r}')
    return _not_too_large(int(number))


def batch_size(batch: Optional[int]) -> int:
    """The size of random blocks to learn from; 0 for all pairs."""
    if batch is None:
        return 0
    if isinstance(batch, bool) or not isinstance(batch, numbers.Integral) or batch < 2:
        raise ValueError(f"batch must be None or a whole number, 2 or more; got {batch!r}")
    return _not_too_large(int(batch))


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}; got {value!r}")
    return value


def projection_text(project: Any) -> str:
    """The text that the library reads: a name or a number of components."""
    if isinstance(project, bool) or not isinstance(project, (str, numbers.Integral)):
        raise ValueError(f"project must be the name of a projection or a number of components; got {project!r}")
    return str(project)


def device_name(device: Any) -> str:
    """The name of a device that can be used here. Raises ValueError for any other."""
    if type(device) is str and device == "cpu":
        return device
    name = one_of("device", device, get_args(Device))
    if name != "cpu":
        library.check_device(name)
    return name


def scale_text(scale: Union[str, float]) -> str:
    """The text that the library reads: none, unit, or a number."""
    return scale if isinstance(scale, str) else repr(as_number("scale", scale))


def existing(path: Union[str, os.PathLike[str]]) -> str:
    """The name of a file, which must exist."""
    name = os.fsdecode(path)
    if not os.path.exists(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return name
