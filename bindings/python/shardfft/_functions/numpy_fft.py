"""The functions of numpy.fft, and those that scipy.fft has beside them. `workers`: threads; None: all cores of this
process."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import numpy as np
from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

from .arguments import numbers, one_length, swapped
from .callers import in_callers_library
from .execute import Array
from .forms import family
from .fourier import transform
from .lengths import next_fast_len

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len",
]

Transform = Callable[..., Array]  # of array, lengths, axes, norm, out, workers, overwrite


def _one(what: Transform, a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    return what(a, one_length(n), (axis,), norm, out, workers, overwrite_x)


def _two(what: Transform, a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1),
         norm: str | None = None, out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    return what(a, s, axes, norm, out, workers, overwrite_x)


def _all(what: Transform, a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None,
         norm: str | None = None, out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    return what(a, s, axes, norm, out, workers, overwrite_x)


_to_half = functools.partial(transform, "r2c", True)
_to_reals = functools.partial(transform, "c2r", False)


def _from_hermitian(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
                    overwrite: bool) -> Array:
    return _to_reals(np.conjugate(numbers(a, real=False)), s, axes, swapped(norm), out, workers, overwrite)


def _to_hermitian(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
                  overwrite: bool) -> Array:
    result = _to_half(a, s, axes, swapped(norm), out, workers, overwrite)
    return np.conjugate(result, out=result)


_KINDS: dict[str, Transform] = {
    "fft": functools.partial(transform, "c2c", True), "ifft": functools.partial(transform, "c2c", False),
    "rfft": _to_half, "irfft": _to_reals, "hfft": _from_hermitian, "ihfft": _to_hermitian,
}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "numpy.fft", in_callers_library)
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = family("2", _two, _KINDS, "scipy.fft", in_callers_library)
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = family("n", _all, _KINDS, "scipy.fft", in_callers_library)
