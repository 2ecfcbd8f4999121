"""What is computed of one block: pencils that are whole in it, with the bits that they have in the whole array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .._functions.arguments import fitted, numbers, run
from .._functions.execute import MOST_AXES, Array, lies_well
from .._functions.fourier import RESULTS, Call

_LANES, _SHORTEST = 8, 64  # shorter pencils are computed alike, however many there are; so are so many of any length


@dataclass(frozen=True)
class Part:
    """A run over some axes, and what it would be of the whole array: bits depend on that."""

    kind: str  # c2c, r2c, c2r, or r2r, of complex numbers, too
    forward: bool
    axes: tuple[int, ...]  # in the order in which they are transformed
    points: tuple[int, ...]  # shape of the whole array, of its reals if there are some
    whole: bool  # no axis is split into two; a run may split the only one that is longer than 1
    factor: float = 1.0  # comes with the last of the axes
    axis_kind: str = ""  # of r2r
    scaling: str = "none"

    @property
    def real_axis(self) -> int | None:
        """The axis with a half spectrum."""
        return {"r2c": self.axes[0], "c2r": self.axes[-1]}.get(self.kind)

    @property
    def last_first(self) -> bool:
        """Whether a run takes the last of its axes first."""
        return self.forward or self.kind == "r2r"

    def extents(self, axis: int) -> tuple[int, int]:
        """Along an axis, of what is transformed and of the result."""
        n, half = self.points[axis], self.points[axis] // 2 + 1
        if axis != self.real_axis:
            return n, n
        return (n, half) if self.kind == "r2c" else (half, n)

    def kind_along(self, axes: Sequence[int]) -> str:
        """The kind of a run over some of the axes."""
        return self.kind if self.kind == "r2r" or self.real_axis in axes else "c2c"


def _takes_reals(kind: str, dtype: Any) -> bool:
    return kind == "r2c" or (kind == "r2r" and np.dtype(dtype).kind != "c")


def result_type(kind: str, dtype: Any) -> np.dtype[Any]:
    """Of the result of a run; refuses what is no type of its input."""
    known = numbers(np.empty(0, dtype), _takes_reals(kind, dtype)).dtype
    return np.dtype(RESULTS.get((kind, known.char), known))


def parts_of_call(kind: str, forward: bool, call: Call, axis_kind: str = "", scaling: str = "none") -> list[Part]:
    """What a call comes to, in the order of the functions on whole arrays: all but backward transforms of complex
    numbers, and those to reals, take the last axis first."""
    reals = call.written if kind == "c2r" else call.read
    others = call.read if kind == "c2r" else call.written
    result = []
    for i, axes in enumerate(call.parts):
        is_first = i == 0
        which = kind if is_first or kind == "r2r" else "c2c"
        points = reals if is_first else others
        turns = axes[::-1] if forward or kind == "r2r" else axes
        long = tuple(axis for axis in turns if points[axis] > 1 or which == "r2r" or
                     (which != "c2c" and axis == axes[-1])) or turns[:1]
        whole = len(long) > 1 or (len(axes) == MOST_AXES and len(points) > MOST_AXES + 1)  # no dimension is left for it
        result.append(Part(which, forward, long, points, whole, call.factor if is_first else 1.0, axis_kind, scaling))
    return result[::-1] if kind == "c2r" else result  # reals come last


def transformed(block: Array, part: Part, axes: tuple[int, ...], out: Array | None = None, workers: int | None = 1,
                own: bool = False) -> Array:
    """The block after transforms along some of the part's axes, which are whole in it.

    out  where the result is put, if it has its shape
    own  the block is the caller's own: its memory may be used for the result"""
    kind = part.kind_along(axes)
    x = numbers(block, _takes_reals(kind, block.dtype))
    read, written = list(x.shape), list(x.shape)
    for axis in axes:
        read[axis], written[axis] = part.extents(axis)
    dtype = result_type(kind, block.dtype)
    if 0 in written:
        return np.empty(written, dtype)
    x = _with_enough_pencils(fitted(x, tuple(read)), axes, part.points)
    shape = tuple(written[axis] if axis in axes else n for axis, n in enumerate(x.shape))
    is_own = own or not np.may_share_memory(x, block)
    if out is not None and shape == out.shape:
        result = out
    elif is_own and kind in ("c2c", "r2r") and x.flags.c_contiguous and x.flags.writeable and lies_well(x):
        result = x
    else:
        result = np.empty(shape, dtype)
    run("c2c" if kind == "r2r" and dtype.kind == "c" else kind, part.last_first, x, result,
        axes[::-1] if part.last_first else axes, part.factor if axes[-1] == part.axes[-1] else 1.0, workers,
        (part.axis_kind,) * len(axes) if kind == "r2r" else (), part.scaling, part.whole)
    if shape == tuple(written):
        return result
    kept = result[tuple(map(slice, written))]
    if out is None:
        return kept.copy()
    out[...] = kept
    return out


def _with_enough_pencils(x: Array, axes: Sequence[int], points: Sequence[int]) -> Array:
    """Long pencils are computed in another way if the whole array has few: a block with fewer of them gets some
    zeros."""
    group = math.prod(points[axis] for axis in axes)
    batch = [axis for axis in range(x.ndim) if axis not in axes]

    def counts(shape: Sequence[int]) -> list[int]:
        others = math.prod(shape[axis] for axis in batch)
        return [min(_LANES, others * group // points[axis]) for axis in axes if points[axis] >= _SHORTEST]

    shape = list(x.shape)
    while counts(shape) != counts(points):
        axis = max(axis for axis in batch if shape[axis] < points[axis])
        shape[axis] = min(2 * shape[axis], points[axis])
    return fitted(x, tuple(shape))
