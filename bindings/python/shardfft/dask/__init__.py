"""Transforms of dask arrays along axes in chunks: import shardfft.dask as fft

The functions are those of shardfft, with the same bits. dask moves chunks until pencils are whole in blocks. Nothing is
computed before compute(). Beside the arguments of shardfft's functions there are

    order  chunks of the result. "natural": as those of the input, along an axis with another extent as many.
           "transposed": those of the last transform, which saves a move
    block  bytes of a block, at most, as a number or in dask's words ("64 MiB"). None: no larger than those of the
           input; joined if there are more than 64, or more than 8 of less than 4 MiB, up to dask's array.chunk-size

Errors: those of shardfft; ValueError for chunks of unknown size; InvalidArgument for pencils longer than a block."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

try:
    from dask import array as da
except ImportError as error:
    raise ImportError("shardfft.dask needs dask: pip install 'dask[array]'") from error
from dask.array.fft import fftfreq, fftshift, ifftshift, rfftfreq

from .._functions import real
from .._functions.arguments import asked_axes, asked_lengths, numbers, one_length, swapped
from .._functions.forms import KINDS, family, function
from .arrays import Array, array_of, fourier, goal_of, through
from .filters import Modes, apply, convolve, power_spectrum
from .._sharded.pencils import parts_of_call

__all__ = [
    "Modes", "apply", "convolve", "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft",
    "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "ihfft2",
    "ihfftn", "irfft", "irfft2", "irfftn", "power_spectrum", "rfft", "rfft2", "rfftfreq", "rfftn",
]

Sizes = Sequence[int]
Bytes = int | str | None

_FOURIER = {"fft": ("c2c", True), "ifft": ("c2c", False), "rfft": ("r2c", True), "irfft": ("c2r", False),
            "hfft": ("c2r", False), "ihfft": ("r2c", True)}


def _call(kind: str, a: Any, s: Any, axes: Any, norm: str | None, order: str, block: Bytes) -> Array:
    x, hermitian = array_of(a), kind in ("hfft", "ihfft")
    if kind == "hfft":  # irfft() of the conjugate
        x = da.conj(x.astype(numbers(np.empty(0, x.dtype), real=False).dtype))
    result = fourier(*_FOURIER[kind], x, asked_lengths(s, axes), asked_axes(axes), swapped(norm) if hermitian else norm,
                     order, block)
    return da.conj(result) if kind == "ihfft" else result


def _one(kind: str, a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, *, order: str = "natural",
         block: Bytes = None) -> Array:
    return _call(kind, a, one_length(n), (axis,), norm, order, block)


def _two(kind: str, a: Any, s: Sizes | None = None, axes: Sizes | None = (-2, -1), norm: str | None = None, *,
         order: str = "natural", block: Bytes = None) -> Array:
    return _call(kind, a, s, axes, norm, order, block)


def _all(kind: str, a: Any, s: Sizes | None = None, axes: Sizes | None = None, norm: str | None = None, *,
         order: str = "natural", block: Bytes = None) -> Array:
    return _call(kind, a, s, axes, norm, order, block)


_KINDS = {kind: kind for kind in KINDS}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "shardfft")
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = family("2", _two, _KINDS, "shardfft")
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = family("n", _all, _KINDS, "shardfft")


def _real(what: tuple[str, bool], x: Any, type: int, s: Any, axes: Any, norm: str | None, orthogonalize: bool | None,
          order: str, block: Bytes) -> Array:
    x = array_of(x)
    call, axis_kind, scaling = real.meaning(*what, x.shape, type, s, axes, norm, orthogonalize)
    if not call.axes:
        return fourier("c2c", True, x, None, (), norm, order)
    parts = parts_of_call("r2r", True, call, axis_kind, scaling)
    return through(x, call, parts, goal_of(order, x.chunks, call.written), block)


def _one_real(what: tuple[str, bool], x: Any, type: int = 2, n: int | None = None, axis: int = -1,
              norm: str | None = None, *, orthogonalize: bool | None = None, order: str = "natural",
              block: Bytes = None) -> Array:
    return _real(what, x, type, one_length(n), (axis,), norm, orthogonalize, order, block)


def _all_real(what: tuple[str, bool], x: Any, type: int = 2, s: int | Sizes | None = None,
              axes: int | Sizes | None = None, norm: str | None = None, *, orthogonalize: bool | None = None,
              order: str = "natural", block: Bytes = None) -> Array:
    return _real(what, x, type, s, axes, norm, orthogonalize, order, block)


_ONE = {"dct": ("cosine", True), "idct": ("cosine", False), "dst": ("sine", True), "idst": ("sine", False)}
dct, idct, dst, idst = (function(name, _one_real, what, f"As shardfft.{name}.") for name, what in _ONE.items())
dctn, idctn, dstn, idstn = (function(name + "n", _all_real, what, f"As shardfft.{name}n.")
                            for name, what in _ONE.items())
