"""The functions of numpy.fft, and those that scipy.fft has beside them, on all cores of this process."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

from .arguments import numbers, one_length, swapped
from .callers import in_callers_library
from .execute import Array
from .fourier import to_half, to_reals, transform
from .lengths import next_fast_len

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len",
]


@in_callers_library
def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
        workers: int | None = None, overwrite_x: bool = False) -> Array:
    """1-D transform with the exponent -1, as numpy.fft.fft. `workers` threads; None: all cores of this process."""
    return transform(True, a, one_length(n), (axis,), norm, out, workers, overwrite_x)


@in_callers_library
def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """1-D transform with the exponent +1, as numpy.fft.ifft."""
    return transform(False, a, one_length(n), (axis,), norm, out, workers, overwrite_x)


@in_callers_library
def fftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
         out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """N-D transform with the exponent -1, as numpy.fft.fftn."""
    return transform(True, a, s, axes, norm, out, workers, overwrite_x)


@in_callers_library
def ifftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """N-D transform with the exponent +1, as numpy.fft.ifftn."""
    return transform(False, a, s, axes, norm, out, workers, overwrite_x)


@in_callers_library
def fft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
         out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """fftn() of the last two axes, as numpy.fft.fft2."""
    return transform(True, a, s, axes, norm, out, workers, overwrite_x)


@in_callers_library
def ifft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ifftn() of the last two axes, as numpy.fft.ifft2."""
    return transform(False, a, s, axes, norm, out, workers, overwrite_x)


@in_callers_library
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Half spectrum of reals, n/2 + 1 elements, as numpy.fft.rfft."""
    return to_half(a, one_length(n), (axis,), norm, out, workers)


@in_callers_library
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Reals of a half spectrum, as numpy.fft.irfft; n is 2 (elements - 1) where it is not given."""
    return to_reals(a, one_length(n), (axis,), norm, out, workers, overwrite_x)


@in_callers_library
def rfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Half spectrum of reals over several axes, as numpy.fft.rfftn."""
    return to_half(a, s, axes, norm, out, workers)


@in_callers_library
def irfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Reals of a half spectrum over several axes, as numpy.fft.irfftn."""
    return to_reals(a, s, axes, norm, out, workers, overwrite_x)


@in_callers_library
def rfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """rfftn() of the last two axes, as numpy.fft.rfft2."""
    return to_half(a, s, axes, norm, out, workers)


@in_callers_library
def irfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """irfftn() of the last two axes, as numpy.fft.irfft2."""
    return to_reals(a, s, axes, norm, out, workers, overwrite_x)


def _conjugate(a: Any) -> Array:
    return np.conjugate(numbers(a, real=False))


@in_callers_library
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Spectrum, of reals, of a signal with Hermitian symmetry, as numpy.fft.hfft."""
    return to_reals(_conjugate(a), one_length(n), (axis,), swapped(norm), out, workers, True)


@in_callers_library
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Inverse of hfft(), as numpy.fft.ihfft."""
    result = to_half(a, one_length(n), (axis,), swapped(norm), out, workers)
    return np.conjugate(result, out=result)


@in_callers_library
def hfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """hfft() over several axes, as scipy.fft.hfftn."""
    return to_reals(_conjugate(a), s, axes, swapped(norm), out, workers, True)


@in_callers_library
def ihfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ihfft() over several axes, as scipy.fft.ihfftn."""
    result = to_half(a, s, axes, swapped(norm), out, workers)
    return np.conjugate(result, out=result)


@in_callers_library
def hfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """hfftn() of the last two axes, as scipy.fft.hfft2."""
    return to_reals(_conjugate(a), s, axes, swapped(norm), out, workers, True)


@in_callers_library
def ihfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ihfftn() of the last two axes, as scipy.fft.ihfft2."""
    result = to_half(a, s, axes, swapped(norm), out, workers)
    return np.conjugate(result, out=result)
