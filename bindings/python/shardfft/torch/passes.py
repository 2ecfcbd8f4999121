"""A process's part on the CPU: c10d moves pieces between passes, which cut and join them."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any, Sequence

import numpy as np
import torch
import torch.distributed as dist

from .. import _cache
from .._sharded.exchanges import Cuts, Exchange
from .._sharded.maps import Array, Run
from .._sharded.passes import Pass, Pieces, passes_of, run_pass
from .._sharded.placements import box_of
from .._threads import threads_of
from .tensors import Tensor, view, workers

_KEPT, _MOST_BYTES = "memory of shardfft.torch", 1 << 30


def run_passes(x: Tensor, steps: Sequence[Exchange | Run], shape: Sequence[int], cuts: Cuts, mesh: Any) -> Tensor:
    """Collective in the mesh. What a part of a tensor of this shape becomes."""
    sizes, here = tuple(mesh.shape), mesh.get_coordinate()

    def part(extents: Sequence[int], now: Cuts) -> list[int]:
        return [n for _, n in box_of(extents, now, sizes, here)]

    memory, own, room, group = view(x), False, _Room(), None
    sent: list[int] = []
    for one, names in passes_of(steps, shape, dict(enumerate(sizes)), cuts, part):
        if one.joined is not None:
            memory, own = _exchanged(memory, sent, one.joined.sizes(one.shape), group, room, own), True
        memory, own = _passed(memory, one, room, own)
        if one.cut is not None:
            sent, group = one.cut.sizes(one.after), mesh.get_group(names[0])
    room.keep()
    return torch.from_dlpack(memory) if own else x


class _Room:
    """Memory of a call that can be used again: new pages take longer than a pass over the data. NumPy asks for huge
    ones. The largest free part is kept for the next call, or until forget_plans()."""

    def __init__(self) -> None:
        kept = _cache.take(_KEPT)
        self._free: list[Array] = [] if kept is None else [kept]

    def keep(self) -> None:
        largest = max(self._free, key=lambda memory: memory.nbytes, default=None)
        if largest is not None and largest.nbytes <= _MOST_BYTES:
            _cache.remember(_KEPT, largest)

    def give(self, memory: Array) -> None:
        self._free.append(memory.reshape(-1))

    def take(self, count: int, dtype: Any) -> Array:
        """So many elements, one after the other."""
        for i, memory in enumerate(self._free):
            if memory.dtype == dtype and memory.size >= count:
                return self._free.pop(i)[:count]
        return np.empty(count, dtype)


def _passed(memory: Array, one: Pass, room: _Room, own: bool) -> tuple[Array, bool]:
    """What a pass makes of an array, or of pieces one after the other, as such; and whether it is the call's own."""
    joined, cut = (None if pieces is None or _lie_in_order(shape, pieces.axis) else pieces
                   for shape, pieces in ((one.shape, one.joined), (one.after, one.cut)))
    if joined is None and cut is None:
        memory = memory.reshape(one.shape)
        for run in one.runs:
            memory, own = run.applied(memory, None, workers(), own), True
        return memory, own
    result = room.take(math.prod(one.after), one.result_type(memory.dtype))
    run_pass(dataclasses.replace(one, joined=joined, cut=cut), _split(memory, joined, one.shape),
             _split(result, cut, one.after), threads_of(workers(), result.size), own)
    if own and memory.flags.c_contiguous:
        room.give(memory)
    return result if cut is not None else result.reshape(one.after), True


def _split(memory: Array, pieces: Pieces | None, shape: Sequence[int]) -> list[Array]:
    """Pieces that lie one after the other, or the one array."""
    if pieces is None:
        return [memory.reshape(shape)]
    result, begin = [], 0
    for _, n in pieces.places():
        piece = (*shape[:pieces.axis], n, *shape[pieces.axis + 1:])
        result.append(memory[begin:begin + math.prod(piece)].reshape(piece))
        begin += math.prod(piece)
    return result


def _exchanged(memory: Array, sent: list[int], received: list[int], group: Any, room: _Room, own: bool) -> Array:
    """Collective in a group: elements for each process become those of each. `memory` may be used again if it is the
    call's `own`."""
    memory = np.ascontiguousarray(memory).reshape(-1)
    result = room.take(sum(received), memory.dtype)
    dist.all_to_all_single(_as_reals(result), _as_reals(memory), received, sent, group)
    if own:
        room.give(memory)
    return result


def _as_reals(memory: Array) -> Tensor:
    """c10d moves real numbers."""
    return torch.from_dlpack(memory.view(memory.real.dtype).reshape(memory.size, 2 if memory.dtype.kind == "c" else 1))


def _lie_in_order(shape: Sequence[int], axis: int) -> bool:
    """Whether parts along an axis lie one after the other where the whole does."""
    return math.prod(shape[:axis]) == 1
