"""Transforms of arrays in parts as linear maps: the steps that they take, and their adjoints."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

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


@functools.lru_cache(maxsize=256)
def steps_of(what: Map, sizes: tuple[int, ...], cuts: Cuts, goal: Cuts | None) -> tuple[list[Exchange | Run], Cuts]:
    """The steps on a mesh of these sizes, which exchanges along one of its axes at a time, and the cuts at the end.
    Axes are transformed in the order of the functions on whole arrays."""
    transform, ndim = what.transform, len(what.shape)
    kind, forward = CALLS[transform.kind]
    along = tuple(axis + ndim for axis in transform.axes)
    parts = parts_of_call(kind, forward, meaning(kind, forward, what.shape, transform.lengths, along, transform.norm))
    turns: list[tuple[Part | None, int]] = [(part, axis) for part in parts for axis in part.axes]
    transformed_axes = [axis for _, axis in turns]
    turns = [(None, axis) for axis in along
             if axis not in transformed_axes and what.shape[axis] != what.result[axis]] + turns
    steps, last = shortest(Mesh(dict(enumerate(sizes)), jointly=False, even=False), what.shape, what.result,
                           [axis for _, axis in turns], cuts, goal)
    result: list[Exchange | Run] = []
    left = iter(turns)
    for step in steps:
        if isinstance(step, Exchange):
            result.append(step)
            continue
        part, axis = next(left)
        before = result[-1] if result else None
        if isinstance(before, Run) and before.part == part:
            result[-1] = Run(part, (*before.axes, axis))
        else:
            result.append(Run(part, (axis,)))
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
    return fitted(block, tuple(what.result[axis] if axis in axes else n for axis, n in enumerate(block.shape)))


def _weighted(what: Map, spectrum: Array, own: bool) -> Array:
    weights = what.transform.weights(what.weight, spectrum.real.dtype)
    return np.multiply(spectrum, weights, out=spectrum if own else None)
