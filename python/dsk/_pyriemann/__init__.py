"""pyRiemann's functions by this library: the same arguments, the same results, one module for each of pyRiemann's.

Each function raises LeaveToPyriemann for arguments that it does not take or would not be faster with. It need not check
what pyRiemann checks: the original function runs then, with its own results, warnings and exceptions.
"""

from __future__ import annotations

from .arguments import LeaveToPyriemann
from .table import TABLE, Replacement

__all__ = ["TABLE", "LeaveToPyriemann", "Replacement"]
