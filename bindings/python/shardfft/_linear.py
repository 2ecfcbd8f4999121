"""Transforms as linear maps, which shardfft.torch and shardfft.jax differentiate: what calls mean, and adjoints."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ._functions import numpy_fft
from ._functions.arguments import swapped

Array = np.ndarray[Any, Any]

_ADJOINT = {"fft": "ifft", "ifft": "fft", "rfft": "irfft", "irfft": "rfft"}


def without_hermitian(kind: str, norm: str | None) -> tuple[str, str | None]:
    """hfft is irfft of the conjugate, and ihfft the conjugate of rfft, with this norm."""
    known = {"hfft": "irfft", "ihfft": "rfft"}
    return (known[kind], swapped(norm)) if kind in known else (kind, norm)


@dataclass(frozen=True)
class Transform:
    """A transform of arrays that have its lengths. Axes count from the end, so axes in front change nothing."""

    kind: str  # fft, ifft: complex to complex; rfft: reals to a half spectrum, along the last of the axes; irfft: back
    axes: tuple[int, ...]
    lengths: tuple[int, ...]  # of the reals, where there are some
    norm: str | None

    def adjoint(self) -> Transform:
        """The transform that is this one's adjoint, but for the weights of half spectra."""
        return Transform(_ADJOINT[self.kind], self.axes, self.lengths, swapped(self.norm))

    def _extents(self, of_half: bool) -> tuple[int, ...]:
        return (*self.lengths[:-1], self.lengths[-1] // 2 + 1) if of_half else self.lengths

    def input_extents(self) -> tuple[int, ...]:
        """Of an input, along the axes."""
        return self._extents(self.kind == "irfft")

    def output_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Of the result, for an input of this shape."""
        result = list(shape)
        for axis, extent in zip(self.axes, self._extents(self.kind == "rfft")):
            result[axis] = extent
        return tuple(result)

    def weights(self, inner: float, dtype: Any) -> Array:
        """half_weights() along the half spectrum."""
        return half_weights(self.lengths[-1], inner, dtype).reshape(-1, *[1] * (-1 - self.axes[-1]))

    def run(self, x: Array, out: Array | None = None, workers: int | None = None) -> Array:
        """The transform of `x`, which has the type and the extents of an input."""
        function = getattr(numpy_fft, self.kind + "n")
        lengths = self.lengths if self.kind == "irfft" else None
        result: Array = function(x, lengths, self.axes, self.norm, out, workers=workers)
        return result


def half_weights(n: int, inner: float, dtype: Any) -> Array:
    """Along a half spectrum of n reals: 1 where an element stands for itself, `inner` where also for its conjugate."""
    result = np.full(n // 2 + 1, inner, dtype)
    result[0] = 1
    if n % 2 == 0:
        result[-1] = 1
    return result


def transform(kind: str, shape: Sequence[int], s: Any, axes: Any, norm: str | None) -> Transform:
    """What a call with these arguments means for an input of this shape, which is cut and filled to input_extents()."""
    swapped(norm)  # refuses other words
    ndim = len(shape)
    if s is not None and not hasattr(s, "__len__"):
        s = (s,)
    if axes is None:
        axes = range(-ndim if s is None else -len(s), 0)
    axes = tuple(axes) if hasattr(axes, "__iter__") else (axes,)
    axes = tuple(normalize_axis_index(operator.index(axis), ndim) - ndim for axis in axes)
    if len(set(axes)) < len(axes):
        raise ValueError(f"an axis is transformed once; got {axes}")
    if kind[-4:] == "rfft" and not axes:
        raise ValueError("at least 1 axis must be transformed")
    if s is None:
        s = (-1,) * len(axes)
    if len(s) != len(axes):
        raise ValueError(f"each axis has a length; got {len(s)} lengths of {len(axes)} axes")
    whole = [shape[axis] for axis in axes]
    if kind == "irfft":
        whole[-1] = 2 * (whole[-1] - 1)
    lengths = [full if n is None or n == -1 else operator.index(n) for n, full in zip(s, whole)]
    if min(lengths, default=1) < 1:
        raise ValueError(f"lengths are at least 1; got {lengths}")
    return Transform(kind, axes, tuple(lengths), norm)
