"""Which chunks an array has while each of its axes is transformed: a shortest path over layouts. Arithmetic only."""

from __future__ import annotations

import functools
import heapq
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Iterator, Sequence

Chunks = tuple[tuple[int, ...], ...]  # extents along each axis, as dask has them

# Only their ratio matters: a task is worth a copy of 100 kB. A distributed scheduler takes 0.1 to 1 ms for a task.
_SECONDS_PER_TASK, _SECONDS_PER_BYTE = 1e-4, 1e-9
_MOST_TASKS = 8  # for each block: dask moves in several rounds rather than by more
_KEPT = 32  # cheapest layouts that are looked at after each axis


@dataclass(frozen=True)
class Axis:
    """An axis that is transformed, and the array at that time."""

    axis: int
    before: int  # extent
    after: int
    room: int  # extent of the longer one of both, in elements of the largest type
    itemsize: int  # bytes of elements before

    def written(self, chunks: Chunks) -> Chunks:
        """Chunks after the transform."""
        return (*chunks[:self.axis], (self.after,), *chunks[self.axis + 1:])


@dataclass(frozen=True)
class Stop:
    """Some axes that are transformed where they are whole: the chunks then, and how many axes of those to come."""

    chunks: Chunks
    count: int


def shortest(chunks: Chunks, order: Sequence[Axis], largest: int, bound: int, goal: Chunks | None) -> list[Stop]:
    """The stops on the way through all axes, in their order, from `chunks` to `goal` (None: to any chunks).

    largest  bytes of the largest element on the way
    bound    bytes of a block, at most; one pencil of each axis has room in it"""
    cheapest: list[dict[Chunks, tuple[float, tuple[Stop, ...]]]] = [{} for _ in range(len(order) + 1)]
    cheapest[0][chunks] = 0.0, ()
    for done, reached in enumerate(cheapest[:-1]):
        for before, (cost, stops) in heapq.nsmallest(_KEPT, reached.items(), key=lambda item: item[1][0]):
            for stop in _stops(before, order[done:], bound // largest):
                after = stop.chunks
                for step in order[done:done + stop.count]:
                    after = step.written(after)
                total = cost + _seconds(before, stop.chunks, order[done].itemsize)
                found = cheapest[done + stop.count]
                if after not in found or total < found[after][0]:
                    found[after] = total, (*stops, stop)
    ends = [(cost + (0 if goal is None else _seconds(last, goal, largest)), stops)
            for last, (cost, stops) in cheapest[-1].items()]
    return list(min(ends, key=lambda end: end[0])[1])


def _stops(chunks: Chunks, ahead: Sequence[Axis], most: int) -> Iterator[Stop]:
    """Where the first of the axes ahead, and perhaps more of them, can be whole, with blocks of at most so many
    elements."""
    for count in range(1, len(ahead) + 1):
        along = ahead[:count]
        room = {step.axis: step.room for step in along}
        if count > 1 and math.prod(room.values()) > most:
            return
        base = list(chunks)
        for step in along:
            base[step.axis] = (step.before,)
        size = math.prod(room.get(axis, max(c)) for axis, c in enumerate(base))
        if size <= most:
            yield Stop(tuple(base), count)
        others = [axis for axis in range(len(base)) if axis not in room]
        for first in others:
            fitted = _fitted(base, size, [first, *(axis for axis in others if axis != first)], most)
            if fitted is not None:
                yield Stop(fitted, count)


def _fitted(base: Sequence[tuple[int, ...]], size: int, axes: Sequence[int], most: int) -> Chunks | None:
    """Blocks of at most `most` elements, from larger ones that are cut along the first of these axes, then the next; or
    from smaller ones that are joined. None: however they are cut, they are larger."""
    result, cut = list(base), size > most
    for axis in axes:
        width = max(result[axis])
        wanted = max(1, most * width // size)
        result[axis] = divided(result[axis], wanted) if cut else _joined(result[axis], wanted)
        size = size // width * max(result[axis])
        if cut and size <= most:
            break
    return tuple(result) if size <= most else None


def divided(chunks: Sequence[int], width: int) -> tuple[int, ...]:
    """Each chunk in equal parts, no wider than this."""
    parts = ((n, max(1, -(-n // width))) for n in chunks)
    return tuple(n * (i + 1) // k - n * i // k for n, k in parts for i in range(k))


def _joined(chunks: Sequence[int], width: int) -> tuple[int, ...]:
    """Neighbours together, as long as they are no wider than this."""
    result = [chunks[0]]
    for n in chunks[1:]:
        if result[-1] + n <= width:
            result[-1] += n
        else:
            result.append(n)
    return tuple(result)


def as_many(chunks: Sequence[int], extent: int) -> tuple[int, ...]:
    """These chunks but empty ones, or as many equal ones, if they have another extent together."""
    chunks = tuple(n for n in chunks if n > 0) or (0,)
    if sum(chunks) == extent:
        return chunks
    width = max(1, -(-extent // len(chunks)))
    return tuple(min(width, extent - begin) for begin in range(0, extent, width))


def block_elements(chunks: Chunks) -> int:
    """Of the largest block."""
    return math.prod(map(max, chunks))


def moved(old: Chunks, new: Chunks) -> int:
    """Elements that come into a block from others than the one that gives it most."""
    return math.prod(map(sum, old)) - math.prod(_meeting(a, b)[1] for a, b in zip(old, new))


def _seconds(old: Chunks, new: Chunks, itemsize: int) -> float:
    """Of moving to other chunks."""
    if old == new:
        return 0.0
    blocks, pieces = math.prod(map(len, new)), math.prod(_meeting(a, b)[0] for a, b in zip(old, new))
    tasks = min(pieces, _MOST_TASKS * (math.prod(map(len, old)) + blocks)) + blocks
    return _SECONDS_PER_TASK * tasks + _SECONDS_PER_BYTE * itemsize * moved(old, new)


@functools.lru_cache(maxsize=4096)
def _meeting(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, int]:
    """Pieces that both cuts together make along an axis; elements of the chunks that give each new chunk most."""
    olds, news = list(accumulate(old, initial=0)), list(accumulate(new, initial=0))
    most = [0] * len(new)
    pieces = at_old = at_new = begin = 0
    while at_old < len(old) and at_new < len(new):
        end = min(olds[at_old + 1], news[at_new + 1])
        if end > begin:
            pieces += 1
            most[at_new] = max(most[at_new], end - begin)
            begin = end
        at_old, at_new = at_old + (olds[at_old + 1] == end), at_new + (news[at_new + 1] == end)
    return pieces, sum(most)
