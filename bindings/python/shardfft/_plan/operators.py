"""Operators as users name them: ready ones, arrays, functions of Python and of C."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from .. import _core, spectral
from .._arrays import DistArray
from .._core import Modes
from .._errors import InvalidArgument

if TYPE_CHECKING:
    from .apply import Applies


class CModes(ctypes.Structure):
    """What a C function sees of neighbouring elements: shardfft_modes of shardfft.h."""

    _fields_ = [
        ("bytes", ctypes.c_size_t), ("axes", ctypes.c_int), ("axis", ctypes.c_int), ("count", ctypes.c_int64),
        ("components_in", ctypes.c_int), ("components_out", ctypes.c_int), ("precision", ctypes.c_int),
        ("complex_elements", ctypes.c_int), ("first", ctypes.POINTER(ctypes.c_int64)),
        ("wave", ctypes.POINTER(ctypes.POINTER(ctypes.c_double))), ("data", ctypes.c_void_p),
        ("component_bytes", ctypes.c_int64), ("place", ctypes.c_int64), ("step", ctypes.c_int64),
        ("component_step", ctypes.c_int64),
    ]


c_operator = ctypes.CFUNCTYPE(None, ctypes.POINTER(CModes), ctypes.c_void_p)
"""The type of such functions: c_operator(("name", ctypes.CDLL("mine.so")))."""


def _address_of(operator: Any) -> int | None:
    """Of a function of C: by ctypes, by numba's cfunc, or the number itself."""
    if isinstance(operator, (int, np.integer)) and not isinstance(operator, bool):
        return int(operator)
    if hasattr(operator, "restype") and hasattr(operator, "argtypes"):
        return ctypes.cast(operator, ctypes.c_void_p).value or 0
    address = getattr(operator, "address", None)
    return address if isinstance(address, int) else None


def is_function(operator: Any) -> bool:
    """Whether Python calls it."""
    return callable(operator) and not isinstance(operator, _core.Operator) and _address_of(operator) is None


def called(function: Callable[[Modes], Any]) -> Callable[[Modes], None]:
    """What it returns becomes the values; nothing: it has changed them."""

    def call(modes: Modes) -> None:
        result = function(modes)
        if result is not None:
            values = modes.values if modes.values.ndim == 1 else modes.values[:modes.components_out]
            values[...] = result

    return call


def ready(plan: Applies, operator: Any) -> Any:
    """What the library calls without Python."""
    if isinstance(operator, _core.Operator):
        return operator
    if isinstance(operator, (np.ndarray, DistArray)):
        return spectral.multiplied(plan, operator)
    address = _address_of(operator)
    if address is None:
        raise InvalidArgument(
            "an operator is one of shardfft.spectral, an array in the middle layout, a function of Modes, or a C "
            f"function; got {type(operator).__name__}"
        )
    return _core.operator_at(address)
