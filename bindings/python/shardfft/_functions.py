"""The functions of numpy.fft, and those that scipy.fft has beside them, on all cores of this process."""

from __future__ import annotations

import functools
import math
import operator
import sys
import warnings
from typing import Any, Callable, Sequence, TypeVar

import numpy as np
from numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq
from numpy.lib.array_utils import normalize_axis_index

from ._arrays import DistArray
from ._execute import Array, execute, execute_packed, lies_well
from ._lengths import next_fast_len

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "next_fast_len",
]

_SINGLE = {"e": np.float32, "f": np.float32, "F": np.complex64}
_REMEDY = "convert it to float64 or complex128, or use scipy.fft"


def _numbers(a: Any, real: bool) -> Array:
    """`a` as an array of one of the four types, as it is where it can be."""
    array = np.asarray(a)
    char = array.dtype.char
    if array.dtype.kind not in "biufc":
        raise TypeError(f"arrays are of numbers; got dtype {array.dtype}; {_REMEDY}")
    if char in "gG":
        raise TypeError(f"numbers have 4 or 8 bytes; got dtype {array.dtype}; {_REMEDY}")
    if real and array.dtype.kind == "c":
        raise TypeError(f"a transform of reals takes no complex numbers; got dtype {array.dtype}; use fft")
    if array.dtype.kind == "c":
        wanted: Any = np.complex64 if char == "F" else np.complex128
    elif real:
        wanted = _SINGLE.get(char, np.float64)
    else:
        wanted = np.complex64 if char in "ef" else np.complex128
    return array if array.dtype == wanted and array.dtype.isnative else array.astype(wanted)


def _factor(norm: str | None, forward: bool, lengths: Sequence[int]) -> float:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'norm is None, "backward", "ortho" or "forward"; got {norm!r}')
    if norm == "ortho":
        return 1 / math.sqrt(math.prod(lengths))
    return 1 / math.prod(lengths) if forward == (norm == "forward") else 1.0


def _swapped(norm: str | None) -> str | None:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'norm is None, "backward", "ortho" or "forward"; got {norm!r}')
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def _checked_length(n: Any) -> int:
    length: int = operator.index(n)
    if length < 1:
        raise ValueError(f"Invalid number of FFT data points ({length}) specified.")
    return length


def _cook(shape: tuple[int, ...], s: Any, axes: Any, half: bool,
          default_axes: Any) -> tuple[list[int], tuple[int, ...]]:
    """Lengths and axes as numpy.fft takes them. `half`: the last length is that of reals from a half spectrum."""
    ndim = len(shape)
    if axes is None:
        if s is None:
            axes = default_axes if default_axes is not None else tuple(range(ndim))
        elif default_axes is not None:
            axes = default_axes
        else:
            warnings.warn("`axes` should not be None when `s` is given; name the axes", DeprecationWarning,
                          stacklevel=4)
            axes = tuple(range(-len(s), 0))
    axes = tuple(axes) if hasattr(axes, "__iter__") else (axes,)
    axes = tuple(normalize_axis_index(operator.index(axis), ndim) for axis in axes)
    if s is None:
        lengths = [shape[axis] for axis in axes]
        if half and axes:
            lengths[-1] = 2 * (shape[axes[-1]] - 1)
    else:
        lengths = list(s) if isinstance(s, (tuple, list)) or hasattr(s, "__len__") else [s]
        if len(lengths) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        if None in lengths:
            warnings.warn("an entry None of `s` is deprecated; use -1 for the whole axis", DeprecationWarning,
                          stacklevel=4)
        for i, (n, axis) in enumerate(zip(lengths, axes)):
            if n is None or n == -1:
                last = half and i == len(axes) - 1
                lengths[i] = 2 * (shape[axis] - 1) if last else shape[axis]
    return [_checked_length(n) for n in lengths], axes


def _fitted(a: Array, axes: Sequence[int], lengths: Sequence[int]) -> Array:
    """`a` cut to these lengths, or with zeros behind."""
    if all(a.shape[axis] == n for axis, n in zip(axes, lengths)):
        return a
    cut = a[tuple(slice(0, lengths[axes.index(axis)]) if axis in axes else slice(None) for axis in range(a.ndim))]
    shape = list(a.shape)
    for axis, n in zip(axes, lengths):
        shape[axis] = n
    if cut.shape == tuple(shape):
        return cut
    padded = np.zeros(shape, a.dtype, order="F" if a.flags.fnc else "C")
    padded[tuple(map(slice, cut.shape))] = cut
    return padded


def _result(out: Any, shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    if out is None:
        return np.empty(shape, dtype, order="F" if like.flags.fnc else "C")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is an array; got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has the shape of the result, {shape}; got {out.shape}")
    if out.dtype != dtype:
        raise TypeError(f"out has the dtype of the result, {np.dtype(dtype)}; got {out.dtype}")
    if not out.flags.writeable:
        raise ValueError("out can be written to; got an array that is read-only")
    return out


def _same_memory(a: Array, b: Array) -> bool:
    return (a.ctypes.data, a.shape, a.strides, a.dtype) == (b.ctypes.data, b.shape, b.strides, b.dtype)


def _run(kind: str, forward: bool, a: Array, out: Array, axes: tuple[int, ...], factor: float,
         workers: int | None) -> None:
    """execute() for any memory: what does not lie well, or overlaps, goes through a copy."""
    if not lies_well(a) or (np.may_share_memory(a, out) and not _same_memory(a, out)):
        a = a.copy(order="K")
    target = out if lies_well(out) else np.empty(out.shape, out.dtype)
    if target.size > 0:
        execute(kind, forward, a, target, axes, factor, workers)
    if target is not out:
        out[...] = target


def _parts(axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Four axes at a time, the last ones first."""
    return [axes[max(0, end - 4):end] for end in range(len(axes), 0, -4)]


# What calls on arrays in C order came to, by shape, axes and norm: transformed axes, factor, shape of the result.
_plain: dict[Any, tuple[tuple[int, ...], float, tuple[int, ...]]] = {}
_MOST_PLAIN = 1024


def _as_tuple(axes: Any) -> Any:
    """Axes as they are told apart: one axis is a number, all are None."""
    return tuple(axes) if hasattr(axes, "__iter__") else axes


def _is_plain(a: Any) -> bool:
    return type(a) is np.ndarray and a.flags.carray and a.dtype.isnative and 0 < a.ndim <= 8


def _remember_plain(key: Any, axes: tuple[int, ...], factor: float, shape: tuple[int, ...]) -> None:
    if len(axes) <= 4 and 0 not in shape:
        if len(_plain) >= _MOST_PLAIN:
            _plain.clear()
        _plain[key] = axes, factor, shape


def _quickly(key: Any, kind: str, forward: bool, a: Array, dtype: Any, workers: int | None) -> Array | None:
    """The result of a call that came before, with other numbers; None where there was none."""
    known = _plain.get(key)
    if known is None:
        return None
    axes, factor, shape = known
    out = np.empty(shape, dtype)
    execute_packed(kind, forward, a, out, axes, factor, workers)
    return out


def _complex(forward: bool, a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
             overwrite: bool, default_axes: Any = None) -> Array:
    key = None
    if s is None and out is None and not overwrite and _is_plain(a) and a.dtype.char in "FD":
        key = forward, a.shape, _as_tuple(axes), norm
        if (quick := _quickly(key, "c2c", forward, a, a.dtype, workers)) is not None:
            return quick
    given = np.asarray(a)
    lengths, axes = _cook(given.shape, s, axes, False, default_axes)
    if not axes:
        _factor(norm, forward, [])
        return _unchanged(given, out)
    if len(set(axes)) < len(axes):  # one after the other, the last one first
        result = given
        for n, axis in zip(reversed(lengths), reversed(axes)):
            result = _complex(forward, result, (n,), (axis,), norm, None, workers, False)
        return _into(out, result)
    factor = _factor(norm, forward, lengths)
    x = _fitted(_numbers(given, real=False), axes, lengths)
    own = x.base is not given and not np.may_share_memory(x, given)  # made here: may be overwritten
    if key is not None:
        _remember_plain(key, axes, factor, x.shape)
    result = _result(out, x.shape, x.dtype, x)
    if out is None and (own or overwrite) and x.flags.writeable and lies_well(x):
        result = x
    for i, part in enumerate(_parts(axes)):
        _run("c2c", forward, x if i == 0 else result, result, part, factor if i == 0 else 1.0, workers)
    return result


def _unchanged(given: Array, out: Any) -> Array:
    return _into(out, given if given.dtype.kind in "fc" else given.astype(np.float64))


def _into(out: Any, result: Array) -> Array:
    if out is None:
        return result
    target = _result(out, result.shape, result.dtype, result)
    target[...] = result
    return target


def _complex_of(x: Array) -> Any:
    return np.complex64 if x.dtype.char == "f" else np.complex128


def _to_half(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None,
             default_axes: Any = None) -> Array:
    key = None
    if s is None and out is None and _is_plain(a) and a.dtype.char in "fd":
        key = "r2c", a.shape, _as_tuple(axes), norm
        if (quick := _quickly(key, "r2c", True, a, _complex_of(a), workers)) is not None:
            return quick
    x = _numbers(a, real=True)
    lengths, axes = _cook(x.shape, s, axes, False, default_axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if len(set(axes)) < len(axes):
        result = _to_half(x, (lengths[-1],), (axes[-1],), norm, None, workers)
        return _into(out, _complex(True, result, lengths[:-1], axes[:-1], norm, None, workers, True))
    x = _fitted(x, axes, lengths)
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1] // 2 + 1
    result = _result(out, tuple(shape), _complex_of(x), x)
    factor = _factor(norm, True, lengths)
    if key is not None:
        _remember_plain(key, axes, factor, tuple(shape))
    for i, part in enumerate(_parts(axes)):
        if i == 0:
            _run("r2c", True, x, result, part, factor, workers)
        else:
            _run("c2c", True, result, result, part, 1.0, workers)
    return result


def _to_reals(a: Any, s: Any, axes: Any, norm: str | None, out: Any, workers: int | None, overwrite: bool,
              default_axes: Any = None) -> Array:
    given = np.asarray(a)
    lengths, axes = _cook(given.shape, s, axes, True, default_axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    if len(set(axes)) < len(axes):
        result = _complex(False, given, lengths[:-1], axes[:-1], norm, None, workers, False)
        return _to_reals(result, (lengths[-1],), (axes[-1],), norm, out, workers, True)
    half = [*lengths[:-1], lengths[-1] // 2 + 1]
    x = _fitted(_numbers(given, real=False), axes, half)
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1]
    result = _result(out, tuple(shape), np.float32 if x.dtype == np.complex64 else np.float64, x)
    factor = _factor(norm, False, lengths)
    parts = _parts(axes)
    if len(parts) > 1 and not overwrite:
        x = x.copy(order="K")
    for part in reversed(parts[1:]):
        _run("c2c", False, x, x, part, 1.0, workers)
    _run("c2r", False, x, result, parts[0], factor, workers)
    return result


F = TypeVar("F", bound=Callable[..., Any])


def _in_callers_library(function: F) -> F:
    """Arrays of other libraries (PyTorch, JAX, array API) come in by DLPack, and results go back to their library."""

    @functools.wraps(function)
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(a, np.ndarray) or not hasattr(a, "__dlpack__"):
            return function(a, *args, **kwargs)
        if isinstance(a, DistArray) and a.comm.size > 1:
            raise TypeError("functions transform in this process; an array on several ranks goes through a Plan")
        return _from_dlpack_of(a)(function(np.from_dlpack(a), *args, **kwargs))

    return call  # type: ignore[return-value]


def _from_dlpack_of(a: Any) -> Callable[[Any], Any]:
    if isinstance(a, DistArray):
        return np.asarray
    if hasattr(a, "__array_namespace__"):
        library = a.__array_namespace__()
    else:
        library = sys.modules[type(a).__module__.split(".")[0]]
    from_dlpack: Callable[[Any], Any] = library.from_dlpack
    return from_dlpack


def _one(n: Any) -> Any:
    return None if n is None else (n,)


@_in_callers_library
def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
        workers: int | None = None, overwrite_x: bool = False) -> Array:
    """1-D transform with the exponent -1, as numpy.fft.fft. `workers` threads; None: all cores of this process."""
    return _complex(True, a, _one(n), (axis,), norm, out, workers, overwrite_x)


@_in_callers_library
def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """1-D transform with the exponent +1, as numpy.fft.ifft."""
    return _complex(False, a, _one(n), (axis,), norm, out, workers, overwrite_x)


@_in_callers_library
def fftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
         out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """N-D transform with the exponent -1, as numpy.fft.fftn."""
    return _complex(True, a, s, axes, norm, out, workers, overwrite_x)


@_in_callers_library
def ifftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """N-D transform with the exponent +1, as numpy.fft.ifftn."""
    return _complex(False, a, s, axes, norm, out, workers, overwrite_x)


@_in_callers_library
def fft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
         out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """fftn() of the last two axes, as numpy.fft.fft2."""
    return _complex(True, a, s, axes, norm, out, workers, overwrite_x)


@_in_callers_library
def ifft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ifftn() of the last two axes, as numpy.fft.ifft2."""
    return _complex(False, a, s, axes, norm, out, workers, overwrite_x)


@_in_callers_library
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Half spectrum of reals, n/2 + 1 elements, as numpy.fft.rfft."""
    return _to_half(a, _one(n), (axis,), norm, out, workers)


@_in_callers_library
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Reals of a half spectrum, as numpy.fft.irfft; n is 2 (elements - 1) where it is not given."""
    return _to_reals(a, _one(n), (axis,), norm, out, workers, overwrite_x)


@_in_callers_library
def rfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Half spectrum of reals over several axes, as numpy.fft.rfftn."""
    return _to_half(a, s, axes, norm, out, workers)


@_in_callers_library
def irfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Reals of a half spectrum over several axes, as numpy.fft.irfftn."""
    return _to_reals(a, s, axes, norm, out, workers, overwrite_x)


@_in_callers_library
def rfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """rfftn() of the last two axes, as numpy.fft.rfft2."""
    return _to_half(a, s, axes, norm, out, workers)


@_in_callers_library
def irfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """irfftn() of the last two axes, as numpy.fft.irfft2."""
    return _to_reals(a, s, axes, norm, out, workers, overwrite_x)


def _conjugate(a: Any) -> Array:
    return np.conjugate(_numbers(a, real=False))


@_in_callers_library
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
         workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Spectrum, of reals, of a signal with Hermitian symmetry, as numpy.fft.hfft."""
    return _to_reals(_conjugate(a), _one(n), (axis,), _swapped(norm), out, workers, True)


@_in_callers_library
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None, *,
          workers: int | None = None, overwrite_x: bool = False) -> Array:
    """Inverse of hfft(), as numpy.fft.ihfft."""
    result = _to_half(a, _one(n), (axis,), _swapped(norm), out, workers)
    return np.conjugate(result, out=result)


@_in_callers_library
def hfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """hfft() over several axes, as scipy.fft.hfftn."""
    return _to_reals(_conjugate(a), s, axes, _swapped(norm), out, workers, True)


@_in_callers_library
def ihfftn(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ihfft() over several axes, as scipy.fft.ihfftn."""
    result = _to_half(a, s, axes, _swapped(norm), out, workers)
    return np.conjugate(result, out=result)


@_in_callers_library
def hfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
          out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """hfftn() of the last two axes, as scipy.fft.hfft2."""
    return _to_reals(_conjugate(a), s, axes, _swapped(norm), out, workers, True)


@_in_callers_library
def ihfft2(a: Any, s: Sequence[int] | None = None, axes: Sequence[int] | None = (-2, -1), norm: str | None = None,
           out: Any = None, *, workers: int | None = None, overwrite_x: bool = False) -> Array:
    """ihfftn() of the last two axes, as scipy.fft.ihfft2."""
    result = _to_half(a, s, axes, _swapped(norm), out, workers)
    return np.conjugate(result, out=result)
