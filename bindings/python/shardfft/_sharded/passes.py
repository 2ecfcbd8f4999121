"""Passes over a process's part: each joins the pieces of an exchange, transforms axes that are whole, and cuts pieces
for the next exchange, in blocks that stay in cache."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from .._threads import in_threads
from .exchanges import Cuts, Exchange, Name
from .maps import Array, Run
from .placements import part_of

_BLOCK_BYTES = 1 << 20  # have room in a core's cache
_FEWEST = 8  # pencils of a block: so many are computed at once

Place = tuple[slice, ...]


@dataclass(frozen=True)
class Pieces:
    """An axis in pieces, one for each process of an exchange: ceil(n / p) elements, fewer in the last ones, or none."""

    axis: int
    extent: int  # of all of them together
    counts: tuple[int, ...]  # along each axis of the mesh, the coarsest first

    @property
    def count(self) -> int:
        return math.prod(self.counts)

    @property
    def longest(self) -> int:
        return -(-self.extent // self.count)

    def places(self) -> list[tuple[int, int]]:
        """Begin and length of each process's piece."""
        names = range(len(self.counts))
        return [part_of(self.extent, names, self.counts, at) for at in itertools.product(*map(range, self.counts))]

    def sizes(self, shape: Sequence[int]) -> list[int]:
        """Elements of each piece of a whole of this shape."""
        others = math.prod(n for axis, n in enumerate(shape) if axis != self.axis)
        return [n * others for _, n in self.places()]


@dataclass(frozen=True)
class Pass:
    """Runs between two exchanges."""

    shape: tuple[int, ...]  # of what is read, joined
    joined: Pieces | None  # None: one array is read
    runs: tuple[Run, ...]
    cut: Pieces | None  # None: one array is written

    @property
    def after(self) -> tuple[int, ...]:
        """Shape of what is written, joined."""
        return functools.reduce(lambda shape, run: run.output_shape(shape), self.runs, self.shape)

    def result_type(self, dtype: Any) -> np.dtype[Any]:
        return functools.reduce(lambda known, run: run.result_type(known), self.runs, np.dtype(dtype))

    def places(self, itemsize: int) -> list[Place]:
        """Blocks of what is read, with all of the axes that are transformed."""
        if self.joined is None and self.cut is None:
            return [tuple(slice(0, n) for n in self.shape)]
        batch = set(range(len(self.shape))).difference(*(run.axes for run in self.runs))
        steps = list(self.shape)
        while math.prod(steps) * itemsize > _BLOCK_BYTES and math.prod(steps[a] for a in batch) >= 2 * _FEWEST:
            axis = min(a for a in batch if steps[a] > 1)
            steps[axis] = -(-steps[axis] // 2)
        return list(itertools.product(*map(_ranges, self.shape, steps)))


def _ranges(extent: int, step: int) -> list[slice]:
    return [slice(lo, min(lo + step, extent)) for lo in range(0, extent, max(1, step))] or [slice(0, extent)]


def passes_of(steps: Sequence[Exchange | Run], shape: Sequence[int], sizes: Mapping[Any, int], cuts: Cuts,
              part: Callable[[Sequence[int], Cuts], Sequence[int]]) -> list[tuple[Pass, tuple[Name, ...]]]:
    """Passes, and the axes of the mesh along which processes exchange what each of them writes: none after the last.

    part  shape of this process's part of an array of some shape, with some cuts"""
    read = tuple(part(shape, cuts))
    joined: Pieces | None = None
    runs: list[Run] = []
    result: list[tuple[Pass, tuple[Name, ...]]] = []
    for step in steps:
        if isinstance(step, Run):
            runs.append(step)
            shape = step.output_shape(shape)
            continue
        counts, written = tuple(sizes[name] for name in step.names), part(shape, cuts)
        result.append((Pass(read, joined, tuple(runs), Pieces(step.target, written[step.target], counts)), step.names))
        cuts = step.applied(cuts)
        read, runs = tuple(part(shape, cuts)), []
        joined = Pieces(step.source, read[step.source], counts)
    return [*result, (Pass(read, joined, tuple(runs), None), ())]


class _Joined:
    """Arrays in memory as one: the pieces of each process, or a single array."""

    def __init__(self, pieces: Pieces | None, memory: Sequence[Array]) -> None:
        self._axis, self._parts = 0, [(0, memory[0])]
        if pieces is not None:
            self._axis = pieces.axis
            before = (slice(None),) * pieces.axis
            self._parts = [(begin, piece[(*before, slice(n))]) for (begin, n), piece in zip(pieces.places(), memory)]

    def parts(self, place: Place) -> Iterator[tuple[Place, Array]]:
        """Memory of a place, and where in the place."""
        lo, hi = place[self._axis].start, place[self._axis].stop
        for begin, memory in self._parts:
            first, last = max(lo, begin), min(hi, begin + memory.shape[self._axis])
            if first < last:
                there, here = list(place), [slice(None)] * len(place)
                there[self._axis], here[self._axis] = slice(first - begin, last - begin), slice(first - lo, last - lo)
                yield tuple(here), memory[tuple(there)]

    def whole(self, place: Place) -> Array | None:
        """Memory of a place that lies in one part."""
        shape = [s.stop - s.start for s in place]
        return next((memory for _, memory in self.parts(place) if list(memory.shape) == shape), None)

    def copied(self, place: Place) -> Array:
        block = np.empty([s.stop - s.start for s in place], self._parts[0][1].dtype)
        for here, memory in self.parts(place):
            block[here] = memory
        return block


def run_pass(one: Pass, given: Sequence[Array], wanted: Sequence[Array], workers: int, own: bool = False) -> None:
    """Reads and writes the pieces of each process, or one array. Pieces may be longer than they must.

    own  the memory that is read may be used"""
    if 0 in one.after:
        return
    source, target = _Joined(one.joined, given), _Joined(one.cut, wanted)
    places = one.places(max(given[0].itemsize, wanted[0].itemsize))
    each, count = (workers, 1) if len(places) == 1 else (1, min(workers, len(places)))
    in_threads(count, lambda place: _run_block(one, source, target, place, each, own), places)


def _run_block(one: Pass, source: _Joined, target: _Joined, place: Place, workers: int, own: bool) -> None:
    block = source.whole(place)
    if block is None:
        block, own = source.copied(place), True
    written = list(place)
    for run in one.runs:
        for axis, n in zip(run.axes, run.after):
            written[axis] = slice(0, n)
    out = target.whole(tuple(written))
    for i, run in enumerate(one.runs):
        block, own = run.applied(block, out if i + 1 == len(one.runs) else None, workers, own), True
    if block is not out:
        for within, memory in target.parts(tuple(written)):
            memory[...] = block[within]
