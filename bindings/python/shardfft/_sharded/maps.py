"""Transforms of arrays in parts as linear maps: their adjoints, and the steps that they take."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .._functions.arguments import fitted
from .._functions.fourier import meaning
from .._linear import Transform, half_weights
from .exchanges import Cuts, Exchange, Mesh, shortest
from .pencils import Part, parts_of_call, result_type, transformed

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

    @staticmethod
    def of(transform: Transform, shape: Sequence[int]) -> Map:
        """The map whose result has the extents of the transform's."""
        return Map(transform, tuple(shape), transform.output_shape(shape))

    def of_many(self, count: int) -> Map:
        """The map of so many arrays at a time, along a new first axis."""
        return dataclasses.replace(self, shape=(count, *self.shape), result=(count, *self.result))

    def result_type(self, dtype: Any) -> np.dtype[Any]:
        return result_type(CALLS[self.transform.kind][0], dtype)

    def weights(self, shape: Sequence[int], dtype: Any) -> Array:
        """Along a half spectrum that is cut or filled to this shape."""
        weights = self.transform.weights(self.weight, dtype)
        return fitted(weights, (shape[self.transform.axes[-1]], *weights.shape[1:]))

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
    weight: float = 1.0  # as that of a map, if the run transforms the axis with the half spectrum

    def output_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return with_extents(shape, self.axes, self.after)

    def result_type(self, dtype: Any) -> np.dtype[Any]:
        return np.dtype(dtype) if self.part is None else result_type(self.part.kind_along(self.axes), dtype)

    def applied(self, block: Array, out: Array | None, workers: int | None, own: bool) -> Array:
        """The block after this run: `out`, where the run can write there, else other memory. That of the block may be
        used if it is the caller's `own`."""
        if self.part is not None:
            if self.weight != 1 and self.part.kind == "c2r":
                block, own = self._weighted(block, own), True
            is_whole = all(self.part.extents(axis)[1] == n for axis, n in zip(self.axes, self.after))
            block = transformed(block, self.part, self.axes, out if is_whole else None, workers, own)
            if self.weight != 1 and self.part.kind == "r2c":
                block = self._weighted(block, True)
        return fitted(block, self.output_shape(block.shape))

    def _weighted(self, spectrum: Array, own: bool) -> Array:
        weights = self.weights(spectrum.shape, spectrum.real.dtype)
        return np.multiply(spectrum, weights, out=spectrum if own else None)

    def weights(self, shape: Sequence[int], dtype: Any) -> Array:
        """Factors along the axis of a half spectrum of this shape."""
        assert self.part is not None and self.part.real_axis is not None
        axis = self.part.real_axis
        weights = half_weights(self.part.points[axis], self.weight, dtype)
        return weights[:shape[axis]].reshape(-1, *[1] * (len(shape) - 1 - axis))

    def call(self) -> tuple[str, list[int], tuple[int, ...], str, float]:
        """What numpy.fft has for it: a function's name, lengths, axes and norm, and a factor on its result."""
        assert self.part is not None
        part, axes = self.part, self.axes[::-1] if self.part.forward else self.axes
        name = {"c2c": "fftn" if part.forward else "ifftn", "r2c": "rfftn", "c2r": "irfftn"}[part.kind_along(self.axes)]
        factor = part.factor if self.axes[-1] == part.axes[-1] else 1.0
        return name, [part.points[axis] for axis in axes], axes, "backward" if part.forward else "forward", factor


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
        weighs = part is not None and part.real_axis in axes
        result.append(Run(part, axes, tuple(what.result[axis] for axis in axes), what.weight if weighs else 1.0))
    return result, last
