"""Which exchanges make each transformed axis whole in a process: a shortest path over cuts. Arithmetic only."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from dataclasses import dataclass
from typing import Hashable, Iterator, Mapping, Sequence

Name = Hashable  # of an axis of the mesh of processes
Cuts = tuple[tuple[Name, ...], ...]  # for each axis of an array the axes of the mesh that cut it, the coarsest first

_ELEMENTS_PER_EXCHANGE = 1 << 12  # that a process could send in the time that an exchange of nothing takes


@dataclass(frozen=True)
class Transform:
    """A transform along an axis that is whole."""

    axis: int


@dataclass(frozen=True)
class Exchange:
    """An all-to-all of the processes along some axes of the mesh, which cut `source` before it, and `target` after."""

    names: tuple[Name, ...]
    source: int
    target: int

    def applied(self, cuts: Cuts) -> Cuts:
        """Cuts after the exchange."""
        result = list(cuts)
        result[self.source] = cuts[self.source][:-len(self.names)]
        result[self.target] = cuts[self.target] + self.names
        return tuple(result)


Step = Transform | Exchange


@dataclass(frozen=True)
class Mesh:
    """A mesh of processes, and how its engine exchanges and keeps arrays."""

    sizes: Mapping[Name, int]
    jointly: bool  # several axes of the mesh take part in one exchange
    even: bool  # the engine keeps parts of one size only

    def count(self, names: Sequence[Name]) -> int:
        """Parts that these axes of the mesh cut an axis into."""
        return math.prod(self.sizes[name] for name in names)

    def keeps(self, cuts: Cuts, shape: Sequence[int]) -> bool:
        """Whether the engine has a name for an array of this shape, cut like this."""
        position = {name: i for i, name in enumerate(self.sizes)}
        in_order = all(list(names) == sorted(names, key=position.__getitem__) for names in cuts)
        return (self.jointly or in_order) and not (self.even and any(n % self.count(c) for n, c in zip(shape, cuts)))


def one_by_one(sizes: Sequence[int]) -> Mesh:
    """A mesh of these sizes, which exchanges along one of its axes at a time and keeps parts of any size."""
    return Mesh(dict(enumerate(sizes)), jointly=False, even=False)


def shortest(mesh: Mesh, before: Sequence[int], after: Sequence[int], order: Sequence[int], cuts: Cuts,
             goal: Cuts | None) -> tuple[list[Step], Cuts]:
    """The steps from `cuts` through the transforms of the axes in their order to `goal`, and the cuts at the end.

    before  shape of the input
    after   shape of the result
    goal    None: whatever cuts are cheapest, of those that the engine keeps"""
    steps, last = _shortest(tuple(mesh.sizes.items()), mesh.jointly, mesh.even, tuple(before), tuple(after),
                            tuple(order), cuts, goal)
    return list(steps), last


@functools.lru_cache(maxsize=4096)
def _shortest(sizes: tuple[tuple[Name, int], ...], jointly: bool, even: bool, before: tuple[int, ...],
              after: tuple[int, ...], order: tuple[int, ...], cuts: Cuts,
              goal: Cuts | None) -> tuple[tuple[Step, ...], Cuts]:
    """Dijkstra's search, where states count what they must still pay, too (A*)."""
    mesh = Mesh(dict(sizes), jointly, even)
    shapes = [tuple(after[axis] if axis in order[:done] else n for axis, n in enumerate(before))
              for done in range(len(order) + 1)]
    count = functools.lru_cache(maxsize=None)(mesh.count)
    smallest = min(map(math.prod, shapes)) / count(tuple(name for names in cuts for name in names))

    def price(part: float, names: tuple[Name, ...]) -> float:
        return _ELEMENTS_PER_EXCHANGE + part * (1 - 1 / count(names))

    def ahead(now: Cuts, done: int) -> float:
        left, come = _ahead(now, goal, order[done:])
        return max(sum(price(smallest, names) for names in side) for side in (left, come))

    if goal is not None and sorted(map(str, itertools.chain(*goal))) != sorted(map(str, itertools.chain(*cuts))):
        raise ValueError(f"exchanges keep the axes of the mesh that cut an array; got cuts {cuts} to become {goal}")
    start = cuts, 0
    best: dict[tuple[Cuts, int], float] = {start: 0.0}
    heap: list[tuple[float, int, float, tuple[Cuts, int], tuple[Step, ...]]] = [(0.0, 0, 0.0, start, ())]
    pushed = 0
    while heap:
        _, _, cost, (now, done), steps = heapq.heappop(heap)
        if cost > best[now, done]:
            continue
        if done == len(order) and (now == goal if goal is not None else mesh.keeps(now, after)):
            return steps, now
        following: list[tuple[float, Step, tuple[Cuts, int]]] = []
        is_whole = done < len(order) and not now[order[done]]
        if is_whole:
            following.append((cost, Transform(order[done]), (now, done + 1)))
        can_wait = not is_whole or after[order[done]] > before[order[done]]  # until other axes have come there
        tiles = [-(-n // count(names)) for n, names in zip(shapes[done], now)]
        for exchange in _possible(mesh, now) if can_wait else ():
            then, a, b = exchange.applied(now), exchange.source, exchange.target
            part = math.prod(n for axis, n in enumerate(tiles) if axis not in (a, b))
            part *= math.prod(-(-shapes[done][axis] // count(then[axis])) for axis in (a, b))
            following.append((cost + price(part, exchange.names), exchange, (then, done)))
        for total, step, state in following:
            if total < best.get(state, math.inf):
                best[state] = total
                pushed -= 1  # of equals the last one first, which is nearest to the end
                heapq.heappush(heap, (total + ahead(*state), pushed, total, state, (*steps, step)))
    raise ValueError(f"a transformed axis is whole, and the engine keeps the result; got shape {before}, then {after}, "
                     f"cut by {cuts} of {dict(sizes)}")


def _ahead(cuts: Cuts, goal: Cuts | None, order: Sequence[int]) -> tuple[list[tuple[Name, ...]], ...]:
    """Axes of the mesh that must still leave axes of the array, and that must still come to some: those of one axis in
    one exchange or more."""
    left: list[tuple[Name, ...]] = []
    come: list[tuple[Name, ...]] = []
    for axis, names in enumerate(cuts):
        wanted = names if goal is None else goal[axis]
        same = 0 if axis in order else sum(1 for _ in itertools.takewhile(lambda two: two[0] == two[1],
                                                                          zip(names, wanted)))
        left.append(names[same:])
        come.append(wanted[same:] if goal is not None else ())
    return [names for names in left if names], [names for names in come if names]


def _possible(mesh: Mesh, cuts: Cuts) -> Iterator[Exchange]:
    """The finest axes of the mesh leave an axis of the array for another one, together or one at a time."""
    for source, names in enumerate(cuts):
        for first in range(0 if mesh.jointly else max(0, len(names) - 1), len(names)):
            for target in reversed(range(len(cuts))):
                if target != source:
                    yield Exchange(names[first:], source, target)
