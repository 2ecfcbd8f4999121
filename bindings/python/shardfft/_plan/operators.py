"""Operators as users name them: ready ones, arrays, functions of Python and of C."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from .. import _core
from .._arrays import DistArray
from .._core import Modes, Operator
from .._errors import InvalidArgument
from .memory import MIDDLE, Array, PlanMemory


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
    return callable(operator) and not isinstance(operator, Operator) and _address_of(operator) is None


def called(function: Callable[[Modes], Any]) -> Callable[[Modes], None]:
    """What it returns becomes the values; nothing: it has changed them."""

    def call(modes: Modes) -> None:
        result = function(modes)
        if result is not None:
            values = modes.values if modes.values.ndim == 1 else modes.values[:modes.components_out]
            values[...] = result

    return call


def factors_of(plan: PlanMemory, factors: Any) -> Array:
    """Factors in the plan's precision; what has it already is not copied."""
    memory: Array = np.asarray(plan._memory(factors, MIDDLE))
    if memory.dtype.kind not in "biufc" or memory.dtype.char in "gG":
        raise InvalidArgument(f"factors are numbers of at most 8 bytes; got dtype {memory.dtype}; convert them")
    return memory.astype(plan._complex if memory.dtype.kind == "c" else plan._real, copy=False)


def multiplied(plan: PlanMemory, factors: Any) -> Operator:
    """spectral.multiply() on this rank alone, inside of another call."""
    by = factors_of(plan, factors)
    return _core.multiply(plan._plan, by) if by.dtype.kind == "c" else _core.multiply_by_reals(plan._plan, by)


def ready(plan: PlanMemory, operator: Any) -> Any:
    """What the library calls without Python."""
    if isinstance(operator, Operator):
        return operator
    if isinstance(operator, (np.ndarray, DistArray)):
        return multiplied(plan, operator)
    address = _address_of(operator)
    if address is None:
        raise InvalidArgument(
            "an operator is one of shardfft.spectral, an array in the middle layout, a function of Modes, or a C "
            f"function; got {type(operator).__name__}"
        )
    return _core.operator_at(address)
