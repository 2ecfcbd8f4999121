"""NumPy's own files, and raw ones: elements behind a header, in memory order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import InvalidArgument, IoFailed
from .stored import Grid, Stored, flush


def open_array(path: Path, dataset: str) -> Stored:
    return Stored(np.lib.format.open_memmap(path, "r"))  # type: ignore[no-untyped-call]


def open_raw(path: Path, dtype: Any, shape: tuple[int, ...], order: str, offset: int) -> Stored:
    """A file of elements of one type behind `offset` bytes. Raises IoFailed where it is shorter."""
    if order not in ("C", "F"):
        raise InvalidArgument(f"the order of a raw file is C (last axis fastest) or F; got {order!r}")
    if offset < 0 or min(shape, default=0) < 1:
        raise InvalidArgument(f"a raw file has extents from 1 on and an offset from 0 on; got {shape}, {offset}")
    needs = offset + np.dtype(dtype).itemsize * int(np.prod(shape, dtype=object))
    if (has := os.path.getsize(path)) < needs:
        raise IoFailed(f"a raw file must hold all its elements, {needs} bytes; {path} has {has}; check type, shape and "
                       "offset")
    return Stored(np.memmap(path, dtype, "r", offset, shape, order))  # type: ignore[call-overload]


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    if place.format.name == "raw":
        mapped: Any = np.memmap(path, dtype, "w+", 0, shape)
    else:
        mapped = np.lib.format.open_memmap(path, "w+", dtype, shape)  # type: ignore[no-untyped-call]
    # Writing to mapped memory without room on the disk would end the process.
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)
    return Stored(mapped, grid, flush(mapped))
