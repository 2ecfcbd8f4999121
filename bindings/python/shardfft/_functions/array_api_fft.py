"""The fft extension of the array API standard."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import numpy_fft as f
from .forms import KINDS, family

Array = Any


def _one(what: Callable[..., Array], x: Array, /, *, n: int | None = None, axis: int = -1,
         norm: str = "backward") -> Array:
    return what(x, n, axis, norm)


def _all(what: Callable[..., Array], x: Array, /, *, s: Sequence[int] | None = None,
         axes: Sequence[int] | None = None, norm: str = "backward") -> Array:
    return what(x, s, axes, norm)


fft, ifft, rfft, irfft, hfft, ihfft = family(
    "", _one, {kind: getattr(f, kind) for kind in KINDS}, "numpy.fft")
fftn, ifftn, rfftn, irfftn = family(
    "n", _all, {kind: getattr(f, kind + "n") for kind in KINDS[:4]}, "numpy.fft")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """Frequencies of the elements of fft()."""
    del device
    return np.fft.fftfreq(n, d).astype(dtype or np.float64, copy=False)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """Frequencies of the elements of rfft()."""
    del device
    return np.fft.rfftfreq(n, d).astype(dtype or np.float64, copy=False)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Moves frequency zero to the middle."""
    return np.fft.fftshift(x, axes)


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Inverse of fftshift()."""
    return np.fft.ifftshift(x, axes)
