"""Reductions of distributed arrays: what NumPy would answer for the whole array, the same on any number of ranks."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from . import _core
from ._comm import Run
from ._core import Comm
from ._errors import InvalidArgument

Array = np.ndarray[Any, Any]


def _check(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biufc":
        raise InvalidArgument(f"reductions are of numbers; got dtype {dtype}; use a.local")


def _doubles(dtype: np.dtype[Any], parts: Sequence[Array]) -> list[Array]:
    """Elements in double precision, complex ones as their real and imaginary parts in turn."""
    wide = np.complex128 if dtype.kind == "c" else np.float64
    return [np.ascontiguousarray(part, wide).reshape(-1).view(np.float64) for part in parts]


def total(comm: Comm, dtype: np.dtype[Any], parts: Sequence[Array]) -> Run[Any]:
    """Sum of all elements. Whole numbers are added as 64-bit ones."""
    _check(dtype)
    if dtype.kind in "biu":
        wide: Any = np.uint64 if dtype.kind == "u" else np.int64
        mine = sum(int(part.sum(dtype=wide)) for part in parts) % 2**64
        return lambda: int(np.frombuffer(comm.allgather(mine.to_bytes(8, "little")), "<u8").sum().astype(wide))
    streams, numbers = (2 if dtype.kind == "c" else 1), _doubles(dtype, parts)

    def run() -> Any:
        sums = _core.exact_sums(comm, numbers, streams)
        return complex(*sums) if streams == 2 else sums[0]

    return run


def norm(comm: Comm, dtype: np.dtype[Any], parts: Sequence[Array]) -> Run[float]:
    """Root of the sum of squares."""
    _check(dtype)
    numbers = _doubles(dtype, parts)
    largest = max((float(np.abs(part).max()) for part in numbers if part.size), default=0.0)

    def run() -> float:
        # Powers of two change no digit; with them squares neither overflow nor vanish.
        exponent = math.frexp(most)[1] if math.isfinite(most := comm.max(largest)) else 0
        squares = [np.square(np.ldexp(part, -exponent)) for part in numbers]
        return math.ldexp(math.sqrt(_core.exact_sums(comm, squares, 1)[0]), exponent)

    return run


def largest(comm: Comm, dtype: np.dtype[Any], parts: Sequence[Array]) -> Run[Any]:
    """Largest element, NaN if there is one."""
    _check(dtype)
    if dtype.kind == "c":
        raise InvalidArgument("complex numbers have no largest one; use abs(a).max()")
    native = dtype.newbyteorder("=")
    found = [part.max() for part in parts if part.size]
    mine = np.array([np.max(found)] if found else [0], native)

    def run() -> Any:
        has_one = np.frombuffer(comm.allgather(bytes([bool(found)])), bool)
        values = np.frombuffer(comm.allgather(mine.tobytes()), native)[has_one]
        if values.size == 0:
            raise InvalidArgument("an array without elements has no largest one")
        return values.max().item()

    return run
