"""Which exchanges make each transformed axis whole in a process: a shortest path over cuts. Arithmetic only."""

from __future__ import annotations

import heapq
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
    """An all-to-all of processes along some axes of the mesh: these cut `source` before it, `target` after it."""

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


def shortest(mesh: Mesh, before: Sequence[int], after: Sequence[int], order: Sequence[int], cuts: Cuts,
             goal: Cuts | None) -> tuple[list[Step], Cuts]:
    """The steps from `cuts` through the transforms of the axes in their order to `goal`, and the cuts at the end.

    before  shape of the input
    after   shape of the result
    goal    None: whatever cuts are cheapest, of those that the engine keeps"""
    start = cuts, 0
    best: dict[tuple[Cuts, int], float] = {start: 0.0}
    heap: list[tuple[float, int, tuple[Cuts, int], tuple[Step, ...]]] = [(0.0, 0, start, ())]
    seen = 0
    while heap:
        cost, _, (now, done), steps = heapq.heappop(heap)
        if cost > best[now, done]:
            continue
        if done == len(order) and (now == goal if goal is not None else mesh.keeps(now, after)):
            return list(steps), now
        shape = [after[axis] if axis in order[:done] else n for axis, n in enumerate(before)]
        following: list[tuple[float, Step, tuple[Cuts, int]]] = []
        if done < len(order) and not now[order[done]]:
            following.append((0.0, Transform(order[done]), (now, done + 1)))
        following += ((_elements(mesh, shape, now, step), step, (step.applied(now), done))
                      for step in _possible(mesh, now))
        for price, step, state in following:
            if cost + price < best.get(state, math.inf):
                best[state] = cost + price
                seen += 1
                heapq.heappush(heap, (cost + price, seen, state, (*steps, step)))
    raise ValueError(f"exchanges bring an array of shape {tuple(before)} from cuts {cuts} to others; got {goal}, of "
                     "another mesh")


def _possible(mesh: Mesh, cuts: Cuts) -> Iterator[Exchange]:
    """The finest axes of the mesh leave an axis of the array for another one, together or one at a time."""
    for source, names in enumerate(cuts):
        for first in range(0 if mesh.jointly else max(0, len(names) - 1), len(names)):
            for target in range(len(cuts)):
                if target != source:
                    yield Exchange(names[first:], source, target)


def _elements(mesh: Mesh, shape: Sequence[int], cuts: Cuts, step: Exchange) -> float:
    """Elements that a process sends, with what an exchange costs beside them."""
    part = math.prod(-(-n // mesh.count(names)) for n, names in zip(shape, step.applied(cuts)))
    count = mesh.count(step.names)
    return _ELEMENTS_PER_EXCHANGE + part * (count - 1) / count
