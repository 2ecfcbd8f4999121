"""Transforms of arrays of any extents, and what a device computes of them."""

from __future__ import annotations

import ast
import dataclasses
import functools
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .._functions.arguments import fitted
from .._functions.fourier import meaning
from .._linear import Transform
from .._sharded.maps import CALLS
from .._sharded.pencils import Part, parts_of_call, result_type, transformed
from .._threads import threads_of


@dataclass(frozen=True)
class Fitted:
    """A transform of arrays that are cut or filled to the extents of its input, and its result in the same way."""

    transform: Transform
    before: tuple[int, ...]  # extents of what is given, along the transform's axes
    after: tuple[int, ...]  # of what is returned

    @staticmethod
    def to(transform: Transform, shape: Sequence[int]) -> Fitted:
        """The transform of an array of this shape."""
        result = transform.output_shape(shape)
        return Fitted(transform, *(tuple(s[axis] for axis in transform.axes) for s in (shape, result)))

    def adjoint(self) -> Fitted:
        return Fitted(self.transform.adjoint(), self.after, self.before)

    def output_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _with(shape, self.transform.axes, self.after)

    def output_type(self, dtype: Any) -> np.dtype[Any]:
        return result_type(CALLS[self.transform.kind][0], dtype)

    def parts(self, shape: Sequence[int]) -> list[Part]:
        """What it comes to for a whole array of this shape."""
        t = self.transform
        read = _with(shape, t.axes, t.input_extents())
        return parts_of_call(*CALLS[t.kind], meaning(*CALLS[t.kind], read, t.lengths, t.axes, t.norm))

    def weights(self, inner: float, extent: int, dtype: Any) -> Any:
        """Transform.weights() of a half spectrum that is cut or filled to this extent."""
        w = self.transform.weights(inner, dtype)
        return fitted(w, (extent, *w.shape[1:]))

    def run(self, x: Any, out: Any) -> None:
        """Transforms a whole array in memory."""
        t = self.transform
        x = fitted(x, _with(x.shape, t.axes, t.input_extents()))
        if t.output_shape(x.shape) == out.shape:
            t.run(x, out)
        else:
            out[...] = fitted(t.run(x), out.shape)


@dataclass(frozen=True)
class Pencils:
    """A part along some of its axes, in a block where they are whole."""

    part: Part
    axes: tuple[int, ...]
    after: tuple[int, ...]  # extents that results are cut or filled to
    blocks: int  # that the processor transforms at the same time

    def output_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _with(shape, self.axes, self.after)

    def output_type(self, dtype: Any) -> np.dtype[Any]:
        return result_type(self.part.kind_along(self.axes), dtype)

    def text(self) -> str:
        return repr(dataclasses.astuple(self))

    def run(self, block: Any, out: Any) -> None:
        workers = max(1, threads_of(None, max(block.size, out.size)) // self.blocks)
        if all(self.part.extents(axis)[1] == n for axis, n in zip(self.axes, self.after)):
            transformed(block, self.part, self.axes, out, workers)
        else:
            out[...] = fitted(transformed(block, self.part, self.axes, None, workers), out.shape)


@functools.lru_cache(maxsize=1024)
def pencils(text: str) -> Pencils:
    """Pencils.text() back."""
    part, *others = ast.literal_eval(text)
    return Pencils(Part(*part), *others)


def _with(shape: Sequence[int], axes: Sequence[int], extents: Sequence[int]) -> tuple[int, ...]:
    result = list(shape)
    for axis, n in zip(axes, extents):
        result[axis] = n
    return tuple(result)
