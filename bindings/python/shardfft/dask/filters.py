"""Filters between two transforms, and sums over spectra, of arrays in chunks."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from dask import array as da

from .._errors import InvalidArgument
from .._functions import signals
from .._functions.arguments import numbers
from .._functions.lengths import next_fast_len
from .arrays import Array, array_of, fourier, natural
from .layouts import as_many

Location = dict[Any, Any] | None  # of a block, as dask tells it


class Modes:
    """A block of a spectrum, for functions that apply() takes."""

    def __init__(self, values: Any, first: tuple[int, ...], waves: tuple[Any, ...]) -> None:
        self.values = values  #: may be written in place
        self.first = first  #: global index of the first element
        self._waves = waves

    def frequency(self, axis: int) -> Any:
        """Of each element along an axis: ... -2, -1, 0, 1, 2 ..., of a half spectrum 0 and more; along axes that are
        not transformed 0."""
        begin = self.first[axis]
        return self._waves[axis][begin:begin + self.values.shape[axis]]

    def frequencies(self) -> tuple[Any, ...]:
        """The same along every axis, as an open mesh."""
        return np.ix_(*map(self.frequency, range(self.values.ndim)))


def _waves(shape: Sequence[int], along: Sequence[int], reals: bool) -> tuple[Any, ...]:
    """Frequencies along each axis of the spectrum of an array of this shape."""
    result = []
    for axis, n in enumerate(shape):
        if reals and axis == along[-1]:
            result.append(np.arange(n // 2 + 1.0))
        else:
            k = np.arange(float(n))
            result.append(k - n * (k >= (n + 1) // 2) if axis in along else 0 * k)
    return tuple(result)


def _first(block_info: Location) -> tuple[int, ...]:
    assert block_info is not None
    return tuple(begin for begin, _ in block_info[0]["array-location"])


def _changed(block: Any, function: Callable[[Modes], Any], waves: tuple[Any, ...], block_info: Location = None) -> Any:
    modes = Modes(block.copy(), _first(block_info), waves)
    new = function(modes)
    if new is None:
        return modes.values
    if np.shape(new) != block.shape:
        raise InvalidArgument(f"a function of apply() returns as many values as it gets, or None; got shape "
                              f"{np.shape(new)} for {block.shape}")
    return np.asarray(new).astype(block.dtype, copy=False)


def apply(x: Any, operator: Any, axes: int | Sequence[int] | None = None, *, block: int | str | None = None) -> Array:
    """`x` between two transforms, of reals or of complex numbers, with an operator on the spectrum; in the chunks of
    `x`. Takes half the moves of two calls.

    operator  a function of Modes that changes modes.values or returns new ones, called for each block; or factors, an
              array that is broadcast to the spectrum (of reals the half spectrum)
    axes      None: all"""
    x = array_of(x)
    reals, along = x.dtype.kind != "c", signals.axes_of(x.ndim, axes)
    spectrum = fourier("r2c" if reals else "c2c", True, x, None, along, None, "transposed", block)
    if callable(operator):
        spectrum = spectrum.map_blocks(_changed, operator, _waves(x.shape, along, reals), dtype=spectrum.dtype,
                                       meta=spectrum._meta, token="shardfft-apply")
    else:
        spectrum = (spectrum * operator).astype(spectrum.dtype)
    lengths = tuple(x.shape[axis] for axis in along)
    return fourier("c2r" if reals else "c2c", False, spectrum, lengths, along, None, natural(x.chunks, x.shape), block)


def _padded_spectrum(x: Array, dtype: Any, long: Sequence[int], along: tuple[int, ...], goal: Any, block: Any) -> Array:
    kind = "c2c" if np.dtype(dtype).kind == "c" else "r2c"
    return fourier(kind, True, x.astype(dtype), tuple(long[axis] for axis in along), along, None, goal, block)


def convolve(a: Any, b: Any, mode: str = "full", axes: int | Sequence[int] | None = None, *,
             block: int | str | None = None) -> Array:
    """Convolution over some axes, as shardfft.convolve; in as many chunks as `a` has."""
    a, b = array_of(a), array_of(b)
    if a.ndim != b.ndim or a.ndim == 0:
        raise ValueError(f"both arrays have as many axes, one or more; got {a.ndim} and {b.ndim}")
    along = signals.axes_of(a.ndim, axes)
    signals.check_mode(a, b, along, mode)
    reals = "c" not in (a.dtype.kind, b.dtype.kind)
    dtype = np.result_type(*(numbers(np.empty(0, x.dtype), reals) for x in (a, b)))
    if any(min(a.shape[axis], b.shape[axis]) == 0 for axis in along):
        return da.zeros(0)  # as shardfft.convolve
    shape = signals.extents_of(a, b, along, mode == "circular")
    long = [next_fast_len(n) if axis in along and mode != "circular" else n for axis, n in enumerate(shape)]
    of_a = _padded_spectrum(a, dtype, long, along, "transposed", block)
    same = tuple(ours if axis in along or sum(ours) == sum(theirs) else theirs
                 for axis, (ours, theirs) in enumerate(zip(of_a.chunks, b.chunks)))
    product = of_a * _padded_spectrum(b, dtype, long, along, same, block)
    goal = tuple(as_many(a.chunks[axis], long[axis]) if axis in along else c for axis, c in enumerate(product.chunks))
    whole = fourier("c2r" if reals else "c2c", False, product, tuple(long[axis] for axis in along), along, None, goal,
                    block)
    return whole[tuple(map(slice, shape))][signals.part_of(a, b, along, mode)]


def _power(block: Any, half: tuple[int, int] | None, block_info: Location = None) -> Any:
    """Squares of moduli. `half`: an axis, and the points along it, where modes count for their mirror images, too."""
    power = np.square(np.abs(block))
    if half is not None:
        axis, n = half
        begin = _first(block_info)[axis]
        place = [slice(None)] * block.ndim
        place[axis] = slice(max(1 - begin, 0), max((n + 1) // 2 - begin, 0))
        power[tuple(place)] *= 2
    return power


def _shell_sums(block: Any, along: tuple[int, ...], frequencies: list[Any], count: int,
                block_info: Location = None) -> Any:
    first = _first(block_info)
    rest = [axis for axis in range(block.ndim) if axis not in along]
    moved = block.transpose(rest + list(along)).reshape(-1, *(block.shape[axis] for axis in along))
    here = [k[first[axis]:first[axis] + block.shape[axis]] for k, axis in zip(frequencies, along)]
    sums = signals.in_shells(moved, here, count)
    return sums.reshape([1 if axis in along else n for axis, n in enumerate(block.shape)] + [count])


def power_spectrum(x: Any, shells: bool = True, axes: int | Sequence[int] | None = None, *,
                   spacing: float | Sequence[float] | None = None, block: int | str | None = None) -> Array:
    """Squares of the moduli of Fourier coefficients, as shardfft.power_spectrum. Sums over shells differ from its sums
    in rounding, since blocks are summed by themselves."""
    x = array_of(x)
    along, reals = signals.axes_of(x.ndim, axes), x.dtype.kind != "c"
    steps = signals.steps_of(x.shape, along, spacing)
    if x.size == 0:
        dtype = numbers(np.empty(0, x.dtype), reals).real.dtype
        return da.from_array(signals.no_power(x.shape, along, reals, shells, steps, dtype))
    spectrum = fourier("r2c" if reals else "c2c", True, x, None, along, "forward",
                       "transposed" if shells else "natural", block)
    power = spectrum.map_blocks(_power, (along[-1], x.shape[along[-1]]) if reals else None,
                                dtype=spectrum.real.dtype, token="shardfft-power")
    if not shells:
        return power
    waves = _waves(x.shape, along, reals)
    count = signals.count_shells([x.shape[axis] for axis in along], steps)
    chunks = tuple((1,) * len(c) if axis in along else c for axis, c in enumerate(power.chunks))
    sums = power.map_blocks(_shell_sums, along, [step * waves[axis] for step, axis in zip(steps, along)], count,
                            chunks=(*chunks, (count,)), new_axis=x.ndim, dtype=float, token="shardfft-shells")
    return sums.sum(axis=along)
