"""Transforms of arrays in parts as linear maps: the steps that they take, and their adjoints."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .._functions.arguments import fitted
from .._functions.fourier import meaning
from .._linear import Transform
from .exchanges import Cuts, Exchange, Mesh, shortest
from .pencils import Part, parts_of_call, transformed

Array = np.ndarray[Any, Any]

CALLS = {"fft": ("c2c", True), "ifft": ("c2c", False), "rfft": ("r2c", True), "irfft": ("c2r", False)}


@dataclass(frozen=True)
class Map:
    """A transform of arrays of one shape. They are cut and filled to the extents that it takes, and its result likewise
    to those of the map's."""

    transform: Transform
    shape: tuple[int, ...]  # of what is mapped
    result: tuple[int, ...]
    from_reals: bool = False  # complex numbers that are transformed have no imaginary part
    to_reals: bool = False  # of complex numbers the real part is taken
    weight: float = 1.0  # on the half spectrum, of elements that stand for their conjugates, too
    conjugate: bool = False  # of all of the half spectrum

    def adjoint(self) -> Map:
        """<map(x), y> = <x, adjoint(y)>, where the product is the real part of the sum of conj(a) b."""
        weight = self.weight * {"rfft": 0.5, "irfft": 2.0}.get(self.transform.kind, 1.0)
        return dataclasses.replace(self, transform=self.transform.adjoint(), shape=self.result, result=self.shape,
                                   from_reals=self.to_reals, to_reals=self.from_reals, weight=weight)


@dataclass(frozen=True)
class Run:
    """A run over axes that are whole, in this order. part: None if they are only cut and filled."""

    part: Part | None
    axes: tuple[int, ...]
    after: tuple[int, ...]  # extents that results are cut and filled to

    def output_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return with_extents(shape, self.axes, self.after)


def with_extents(shape: Sequence[int], axes: Sequence[int], extents: Sequence[int]) -> tuple[int, ...]:
    result = list(shape)
    for axis, n in zip(axes, extents):
        result[axis] = n
    return tuple(result)


def steps_of(what: Map, mesh: Mesh, cuts: Cuts, goal: Cuts | None) -> tuple[list[Exchange | Run], Cuts]:
    """The steps on a mesh, and the cuts at the end. Axes are transformed in the order of the functions on whole
    arrays."""
    return _steps_of(what, tuple(mesh.sizes.items()), mesh.jointly, mesh.even, cuts, goal)


@functools.lru_cache(maxsize=1024)
def _steps_of(what: Map, sizes: tuple[tuple[Any, int], ...], jointly: bool, even: bool, cuts: Cuts,
              goal: Cuts | None) -> tuple[list[Exchange | Run], Cuts]:
    transform, ndim = what.transform, len(what.shape)
    kind, forward = CALLS[transform.kind]
    along = tuple(axis + ndim for axis in transform.axes)
    parts = parts_of_call(kind, forward, meaning(kind, forward, what.shape, transform.lengths, along, transform.norm))
    part_of = {axis: part for part in parts for axis in part.axes}
    moved = [axis for axis, (m, n) in enumerate(zip(what.shape, what.result)) if m != n and axis not in part_of]
    steps, last = shortest(Mesh(dict(sizes), jointly, even), what.shape, what.result, [*moved, *part_of], cuts, goal)
    result: list[Exchange | Run] = []
    for step in steps:
        if isinstance(step, Exchange):
            result.append(step)
            continue
        part, before = part_of.get(step.axis), result[-1] if result else None
        axes: tuple[int, ...] = (step.axis,)
        if isinstance(before, Run) and before.part == part:
            axes = (*before.axes, *axes)
            result.pop()
        result.append(Run(part, axes, tuple(what.result[axis] for axis in axes)))
    return result, last


def applied(run: Run, what: Map, block: Array, workers: int | None, own: bool) -> Array:
    """A step on a block, whose memory may be used for the result if it is the caller's `own`."""
    part, axes = run.part, run.axes
    if part is not None:
        weighs = what.weight != 1 and part.real_axis in axes
        if weighs and part.kind == "c2r":
            block = _weighted(what, block, own)
        block = transformed(block, part, axes, workers=workers, own=own)
        if weighs and part.kind == "r2c":
            block = _weighted(what, block, True)
    return fitted(block, run.output_shape(block.shape))


def _weighted(what: Map, spectrum: Array, own: bool) -> Array:
    weights = what.transform.weights(what.weight, spectrum.real.dtype)
    return np.multiply(spectrum, weights, out=spectrum if own else None)
