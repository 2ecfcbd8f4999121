"""Convolutions, correlations and power spectra of arrays of this process."""

from __future__ import annotations

import math
import operator
from typing import Any, Sequence

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cache, spectral
from .._errors import InvalidArgument
from .._given import along_axes
from .._plan.plan import Plan
from .._threads import in_child, threads_of
from .arguments import numbers
from .callers import in_callers_library
from .execute import Array
from .lengths import next_fast_len
from .numpy_fft import fftfreq, fftn, rfftfreq, rfftn

__all__ = ["convolve", "correlate", "power_spectrum"]

_MODES = ("full", "same", "valid", "circular")


def axes_of(dims: int, axes: Any) -> tuple[int, ...]:
    chosen = range(dims) if axes is None else axes if hasattr(axes, "__iter__") else (axes,)
    found = tuple(normalize_axis_index(operator.index(axis), dims) for axis in chosen)
    if not found or len(set(found)) < len(found):
        raise ValueError(f"axes are different ones, at least one; got {found}")
    return found


def _pair(a: Any, b: Any) -> tuple[Array, Array]:
    """Both of one type: complex if one of them is, single if both are."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != b.ndim or a.ndim == 0:
        raise ValueError(f"both arrays have as many axes, one or more; got {a.ndim} and {b.ndim}")
    a, b = (numbers(x, real="c" not in (a.dtype.kind, b.dtype.kind)) for x in (a, b))
    common = np.result_type(a, b)
    return a.astype(common, copy=False), b.astype(common, copy=False)


def _make(key: tuple[Any, ...]) -> Plan:
    _, shape, support, axes, dtype, threads, _ = key
    return Plan(shape, kind="c2c" if np.dtype(dtype).kind == "c" else "r2c", dtype=dtype, axes=axes, support=support,
                apply="to_outputs", threads=threads)


def _padded(x: Array, shape: Sequence[int], axes: tuple[int, ...]) -> Array:
    """In the corner of zeros; along other axes repeated."""
    inside = np.zeros(shape, x.dtype)
    inside[tuple(slice(0, x.shape[axis]) if axis in axes else slice(None) for axis in range(x.ndim))] = x
    return inside


def _filtered(a: Array, b: Array, shape: list[int], long: list[int], axes: tuple[int, ...], make: Any,
              workers: int | None) -> Array:
    """`a` between transforms of the lengths `long`, with make(plan, spectrum of b) as operator; this shape of it."""
    key = ("filter", tuple(long), tuple(shape), axes, a.dtype.char, threads_of(workers, int(np.prod(long))), in_child())
    plans = _cache.plans(key, _make)
    plan: Plan = plans.take()
    try:
        spectrum = plan.forward(_padded(b, shape, axes)).redistribute(plan.middle)
        result: Array = plan.apply(_padded(a, shape, axes), make(plan, spectrum), np.empty(shape, a.dtype))
        return result
    finally:
        plans.give_back(plan)


def extents_of(a: Array, b: Array, axes: tuple[int, ...], circular: bool) -> list[int]:
    """Of all of the result."""
    shape = list(np.broadcast_shapes(*([1 if axis in axes else n for axis, n in enumerate(x.shape)] for x in (a, b))))
    for axis in axes:
        if min(a.shape[axis], b.shape[axis]) < 1:
            raise ValueError(f"arrays have elements along axes that are transformed; got none along axis {axis}")
        if circular and b.shape[axis] > a.shape[axis]:
            raise ValueError(f"mode='circular' takes a second array that is no longer than the first; got "
                             f"{b.shape[axis]} and {a.shape[axis]} elements along axis {axis}")
        shape[axis] = a.shape[axis] + (0 if circular else b.shape[axis] - 1)
    return shape


def part_of(a: Array, b: Array, axes: tuple[int, ...], mode: str) -> tuple[slice, ...]:
    """Of the whole result, what the mode asks for."""
    slices = [slice(None)] * a.ndim
    for axis in axes if mode in ("same", "valid") else ():
        n, m = a.shape[axis], b.shape[axis]
        begin, count = ((m - 1) // 2, n) if mode == "same" else (min(n, m) - 1, max(n, m) - min(n, m) + 1)
        slices[axis] = slice(begin, begin + count)
    return tuple(slices)


def check_mode(a: Array, b: Array, axes: tuple[int, ...], mode: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"mode is one of {', '.join(_MODES)}; got {mode!r}")
    pairs = [(a.shape[axis], b.shape[axis]) for axis in axes]
    longer = {n > m for n, m in pairs if n != m and 1 not in (n, m)}  # one element overlaps wholly with anything
    if mode == "valid" and len(longer) > 1:
        raise ValueError(f"mode='valid' takes arrays of which one is no shorter along any axis; got {a.shape} and "
                         f"{b.shape}")


def _through(a: Any, b: Any, mode: str, axes: Any, workers: int | None, mirrored: bool) -> Array:
    a, b = _pair(a, b)
    along = axes_of(a.ndim, axes)
    check_mode(a, b, along, mode)
    if not mirrored and any(min(a.shape[axis], b.shape[axis]) == 0 for axis in along):
        return np.array([])  # as scipy.signal.fftconvolve
    circular = mode == "circular"
    shape = extents_of(a, b, along, circular)
    if 0 in shape:
        return np.zeros(shape, a.dtype)
    if mirrored and not circular:
        b = np.conjugate(np.flip(b, along))
    long = [next_fast_len(n) if axis in along and not circular else n for axis, n in enumerate(shape)]
    make = spectral.correlate if mirrored and circular else spectral.convolve
    return np.ascontiguousarray(_filtered(a, b, shape, long, along, make, workers)[part_of(a, b, along, mode)])


@in_callers_library
def convolve(a: Any, b: Any, mode: str = "full", axes: int | Sequence[int] | None = None, *,
             workers: int | None = None) -> Array:
    """Convolution over some axes, as scipy.signal.fftconvolve.

    mode  "full"; "same": the middle of it, as long as `a`; "valid": where both arrays overlap wholly; "circular": `a`
          is periodic, and the result as long
    axes  None: all. Others are broadcast"""
    return _through(a, b, mode, axes, workers, False)


@in_callers_library
def correlate(a: Any, b: Any, mode: str = "full", axes: int | Sequence[int] | None = None, *,
              workers: int | None = None) -> Array:
    """Correlation, convolution with the mirrored conjugate of `b`, as scipy.signal.correlate. "circular": element k is
    the sum over l of a[l + k] conj(b[l])."""
    return _through(a, b, mode, axes, workers, True)


@in_callers_library
def power_spectrum(x: Any, shells: bool = True, axes: int | Sequence[int] | None = None, *,
                   spacing: float | Sequence[float] | None = None, workers: int | None = None) -> Array:
    """Squares of the moduli of Fourier coefficients; together they are the mean of |x|^2.

    shells   True: summed over shells of the frequency: axes that are transformed become one, the last. False: of each
             mode; of reals the half spectrum, where a mode counts for its mirror image, too
    spacing  of the points along each axis of `x`, or one number for all: shell s has the frequencies around s / L, in
             cycles per unit of it, where L is the longest side of the box. None: all sides are 1 long, and shell s has
             the frequencies that are s periods in them, rounded"""
    x = np.asarray(x)
    along, reals = axes_of(x.ndim, axes), x.dtype.kind != "c"
    steps = steps_of(x.shape, along, spacing)
    if x.size == 0:
        return no_power(x.shape, along, reals, shells, steps, numbers(x, real=reals).real.dtype)
    spectrum = (rfftn if reals else fftn)(x, axes=along, norm="forward", workers=workers)
    power: Array = np.square(np.abs(spectrum))
    frequencies = [step * fftfreq(x.shape[axis], 1 / x.shape[axis]) for axis, step in zip(along, steps)]
    if reals:
        n, place = x.shape[along[-1]], [slice(None)] * x.ndim
        place[along[-1]] = slice(1, (n + 1) // 2)
        power[tuple(place)] *= 2
        frequencies[-1] = steps[-1] * rfftfreq(n, 1 / n)
    if not shells:
        return power
    rest = [axis for axis in range(x.ndim) if axis not in along]
    moved = power.transpose(rest + list(along))
    count = count_shells([x.shape[axis] for axis in along], steps)
    sums = in_shells(moved.reshape(-1, *moved.shape[len(rest):]), frequencies, count)
    return sums.reshape([x.shape[axis] for axis in rest] + [-1])


def steps_of(shape: Sequence[int], along: Sequence[int], spacing: Any) -> list[float]:
    """The step from one frequency to the next along each transformed axis, in units of the shortest of these steps."""
    if spacing is None:
        return [1.0] * len(along)
    distances = along_axes("spacing", spacing, len(shape))
    if len(distances) != len(shape):
        raise InvalidArgument(f"spacing is one number, or one for each of {len(shape)} axes of the array; got "
                              f"{len(distances)}; give any number for axes that are not transformed")
    for axis in along:
        if not 0 < distances[axis] < math.inf:
            raise InvalidArgument(f"the spacing of points is positive and finite; got {distances[axis]} along axis "
                                  f"{axis}")
    sides = [max(shape[axis], 1) * distances[axis] for axis in along]
    longest = max((side for side, axis in zip(sides, along) if shape[axis] > 1), default=1.0)
    return [longest / side if shape[axis] > 1 else 1.0 for side, axis in zip(sides, along)]


def count_shells(extents: Sequence[int], steps: Sequence[float]) -> int:
    """How many reach the farthest mode of so many along each axis; squares are added as in_shells() does."""
    first, *others = ((n // 2 * step) * (n // 2 * step) for n, step in zip(extents, steps))
    farthest, limit = math.sqrt(first + sum(others)), max(math.prod(extents), 2**20)
    if not farthest < limit:
        raise InvalidArgument(f"a power spectrum of {math.prod(extents)} modes has at most {limit} shells, as wide as "
                              f"the lowest frequency; got spacings that make {farthest:.3g}; transform fewer axes")
    return round(farthest) + 1


def no_power(shape: tuple[int, ...], along: tuple[int, ...], reals: bool, shells: bool, steps: Sequence[float],
              dtype: Any) -> Array:
    """The power spectrum of an array without elements: of no mode and in no shell, or of no array."""
    if not shells:
        modes = list(shape)
        if reals:
            modes[along[-1]] = modes[along[-1]] // 2 + 1 if modes[along[-1]] > 0 else 0
        return np.zeros(modes, dtype)
    rest = [n for axis, n in enumerate(shape) if axis not in along]
    extents = [shape[axis] for axis in along]
    return np.zeros([*rest, 0 if 0 in extents else count_shells(extents, steps)])


def in_shells(power: Array, frequencies: list[Array], count: int) -> Array:
    """Plane by plane, so that little memory is taken: batch, then one axis for each list of frequencies."""
    squares = [np.square(k) for k in frequencies]
    others = sum(np.ix_(*squares[1:])) if len(squares) > 1 else np.zeros(())
    sums = np.zeros((len(power), count))
    for i, square in enumerate(squares[0]):
        shell = np.rint(np.sqrt(square + others)).astype(np.intp).ravel()
        for of_batch, plane in zip(sums, power[:, i]):
            of_batch += np.bincount(shell, plane.ravel(), count)
    return sums
