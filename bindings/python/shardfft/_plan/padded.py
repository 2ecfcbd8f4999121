"""Rows of reals with room for their half spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import DistArray
from .._core import Comm, Layout
from .._layouts import local_shapes

Array = np.ndarray[Any, Any]


class PaddedArray(DistArray):
    """A DistArray in which rows of n reals have room for 2 (n//2 + 1). `memory` has the room, `local` does not show it.
    `buffer` is a copy without room that may not be written to."""

    __slots__ = ()

    def __init__(self, comm: Comm, layout: Layout, dtype: np.dtype[Any], memory: Array) -> None:
        """`memory`: bytes that hold this rank's rows with their room, box after box; the last row may lack it."""
        self.comm, self.layout, self.dtype, self.memory = comm, layout, dtype, memory
        self.parts = []
        at = 0
        for shape in local_shapes(layout, comm.rank):
            strides, step = [0] * len(shape), dtype.itemsize
            for axis in reversed(layout.order):
                strides[axis] = step
                step *= 2 * (shape[axis] // 2 + 1) if axis == layout.order[-1] else shape[axis]
            self.parts.append(np.ndarray(shape, dtype, memory, at, strides))
            at += step

    @property
    def buffer(self) -> Array:  # type: ignore[override]
        """This rank's elements without room, box after box, in the layout's order: a copy."""
        flat = [part.transpose(self.layout.order).reshape(-1) for part in self.parts]
        copy: Array = np.concatenate([np.empty(0, self.dtype), *flat]).view(np.uint8)
        copy.flags.writeable = False
        return copy
