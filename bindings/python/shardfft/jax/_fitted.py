"""Transforms of arrays of any extents, whatever batches are in front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from .._functions.arguments import fitted
from .._linear import Transform
from .._sharded.maps import CALLS, Map, with_extents
from .._sharded.pencils import result_type


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
        return with_extents(shape, self.transform.axes, self.after)

    def output_type(self, dtype: Any) -> np.dtype[Any]:
        return result_type(CALLS[self.transform.kind][0], dtype)

    def of_shape(self, shape: Sequence[int]) -> Map:
        """What it is for a whole array of this shape."""
        return Map(self.transform, tuple(shape), self.output_shape(shape))

    def weights(self, inner: float, extent: int, dtype: Any) -> Any:
        """Transform.weights() of a half spectrum that is cut or filled to this extent."""
        w = self.transform.weights(inner, dtype)
        return fitted(w, (extent, *w.shape[1:]))

    def run(self, x: Any, out: Any) -> None:
        """Transforms a whole array in memory."""
        t = self.transform
        x = fitted(x, with_extents(x.shape, t.axes, t.input_extents()))
        if t.output_shape(x.shape) == out.shape:
            t.run(x, out)
        else:
            out[...] = fitted(t.run(x), out.shape)
