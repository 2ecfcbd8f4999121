"""Arrays in chunks through transforms: dask moves, blocks are transformed."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any, Sequence

import dask
import numpy as np
from dask import array as da
from dask.utils import parse_bytes

from .._errors import InvalidArgument
from .._functions.arguments import check_norm
from .._functions.fourier import Call, meaning, one_by_one
from .layouts import Axis, Chunks, as_many, block_elements, shortest
from .._sharded.pencils import Part, parts_of_call, result_type, transformed

Array = Any  # of dask

# Unless the input has fewer blocks, there are so many; and of small ones, for which a task takes longest, fewer.
_MANY, _FEW, _SMALL = 64, 8, 1 << 22


def array_of(a: Any) -> Array:
    """`a` as an array of dask; refuses those whose chunks or blocks are not known."""
    x = da.asarray(a)
    for axis, chunks in enumerate(x.chunks):
        if any(map(math.isnan, chunks)):
            raise ValueError(f"the sizes of all chunks are known; got {chunks} along axis {axis}; call "
                             "x.compute_chunk_sizes() first")
    if not isinstance(x._meta, np.ndarray):
        raise TypeError(f"blocks are arrays of NumPy; got {type(x._meta).__name__}; convert them by map_blocks()")
    return x


def natural(chunks: Chunks, shape: Sequence[int]) -> Chunks:
    """Chunks of a result: as those of the input that are not empty, along axes that change as many."""
    return tuple(as_many(c, n) for c, n in zip(chunks, shape))


def through(x: Array, call: Call, parts: Sequence[Part], goal: Chunks | None, block: int | str | None = None) -> Array:
    """`x` transformed along all axes of the call's parts, in the chunks `goal`, or (None) those of the last transform.

    block  bytes of a block, at most"""
    read = tuple(map(min, x.shape, call.read))
    order, dtype = _order(x.dtype, read, parts)
    if x.size == 0:  # transforms of nothing, or of the zeros that it is filled with
        return da.zeros(call.written, dtype=dtype, chunks=goal or natural(x.chunks, call.written))
    x = x[tuple(map(slice, read))]
    x = x.rechunk(natural(x.chunks, read))  # dask cannot always move to empty chunks
    largest = max(dtype.itemsize, *(step.itemsize for step in order))
    bound = _bound(x.chunks, order, largest, block)
    turns = [(part, axis) for part in parts for axis in part.axes]
    for stop in shortest(x.chunks, order, largest, bound, goal):
        x = x.rechunk(stop.chunks, block_size_limit=bound)
        now, turns = turns[:stop.count], turns[stop.count:]
        for part, along in itertools.groupby(now, key=operator.itemgetter(0)):
            x = _swept(x, part, tuple(axis for _, axis in along))
    return x if goal is None else x.rechunk(goal, block_size_limit=bound)


def _swept(x: Array, part: Part, axes: tuple[int, ...]) -> Array:
    chunks, dtype = list(x.chunks), result_type(part.kind_along(axes), x.dtype)
    for axis in axes:
        chunks[axis] = (part.extents(axis)[1],)
    return x.map_blocks(transformed, part, axes, chunks=tuple(chunks), dtype=dtype, meta=np.empty((0,) * x.ndim, dtype),
                        token="shardfft")


def _order(dtype: np.dtype[Any], read: Sequence[int], parts: Sequence[Part]) -> tuple[list[Axis], np.dtype[Any]]:
    """All axes in the order of their transforms, and the type of the result."""
    order = []
    for part in parts:
        for axis in part.axes:
            before, after = part.extents(axis)
            room = part.points[axis] // 2 + 1 if axis == part.real_axis else before
            order.append(Axis(axis, read[axis], after, room, dtype.itemsize))
            dtype = result_type(part.kind_along((axis,)), dtype)
    return order, dtype


def _bound(chunks: Chunks, order: Sequence[Axis], largest: int, block: int | str | None) -> int:
    """Bytes of a block, at most."""
    grown = largest * math.prod(step.room / step.before for step in order)
    most: int = parse_bytes(dask.config.get("array.chunk-size") if block is None else block)
    bound = most
    if block is None:
        own, whole = math.ceil(grown * block_elements(chunks)), int(grown * math.prod(map(sum, chunks)))
        bound = max(own, min(most, max(whole // _MANY, min(whole // _FEW, _SMALL))))
        most = max(most, own)
    pencil, axis = max((step.room * largest, step.axis) for step in order)
    if pencil > most:
        raise InvalidArgument(f"a pencil along each transformed axis has room in a block; got {pencil} bytes along "
                              f"axis {axis} and blocks of {most}; allow larger ones: block={pencil}")
    return max(bound, pencil)


def goal_of(order: str, chunks: Chunks, shape: Sequence[int]) -> Chunks | None:
    """Chunks of a result of this shape, for an input in these."""
    if order not in ("natural", "transposed"):
        raise InvalidArgument(f"order is 'natural' or 'transposed'; got {order!r}")
    return natural(chunks, shape) if order == "natural" else None


def fourier(kind: str, forward: bool, x: Array, s: Any, axes: Any, norm: str | None, goal: str | Chunks,
            block: int | str | None = None) -> Array:
    """A transform of numpy.fft: c2c, r2c or c2r along the last of the axes. `goal`: chunks of the result, or an
    order."""
    check_norm(norm)
    call = meaning(kind, forward, x.shape, s, axes, norm)
    chunks = goal_of(goal, x.chunks, call.written) if isinstance(goal, str) else goal
    if not call.axes:
        return x if x.dtype.kind in "fc" else x.astype(np.float64)
    if len(set(call.axes)) == len(call.axes):
        return through(x, call, parts_of_call(kind, forward, call), chunks, block)
    for step, n, axis in one_by_one(kind, call):
        x = fourier(step, forward, x, (n,), (axis,), norm, "natural", block)
    return x
