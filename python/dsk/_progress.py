"""Progress of a long call: a tqdm bar where tqdm is installed, lines on stderr otherwise."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional


class _Lines:
    def __init__(self, total: Optional[int], what: str) -> None:
        self.total, self.what, self.done, self.told = total, what, 0, time.monotonic()

    def update(self, steps: int) -> None:
        self.done += steps
        now = time.monotonic()
        if now - self.told >= 1:
            self.told = now
            print(f"dsk: {self.what}: {self.done} of {self.total}", file=sys.stderr)

    def close(self) -> None:
        pass


class Progress:
    """Shows the progress inside a `with` block, if `verbose`."""

    def __init__(self, what: str, verbose: bool) -> None:
        self._what, self._verbose = what, bool(verbose)
        self._bar: Any = None
        self._done = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def listener(self) -> Optional[Callable[[int, int], None]]:
        """The function that the library calls with (steps done, total steps), or None."""
        return self.tell if self._verbose else None

    def tell(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = self._make_bar(total)
        self._bar.update(done - self._done)
        self._done = done

    def _make_bar(self, total: int) -> Any:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _Lines(total, self._what)
        return tqdm(total=total, desc=f"dsk: {self._what}")
