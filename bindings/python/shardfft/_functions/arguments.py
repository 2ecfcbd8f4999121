"""Arguments of the functions, as NumPy takes them: numbers, lengths and axes, norms, memory."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any, Sequence

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .execute import MOST_AXES, Array, execute, lies_well

_SINGLE = {"e": np.float32, "f": np.float32, "F": np.complex64}
_REMEDY = "convert it to float64 or complex128, or use scipy.fft"


def numbers(a: Any, real: bool) -> Array:
    """`a` as an array of one of the four types, as it is where it can be."""
    array = np.asarray(a)
    char = array.dtype.char
    if char in ("fd" if real else "FD") and array.dtype.isnative:
        return array
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


def check_norm(norm: Any) -> None:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'norm is None, "backward", "ortho" or "forward"; got {norm!r}')


def factor_of(norm: str | None, forward: bool, lengths: Sequence[int]) -> float:
    """Of the result, of transforms over axes of these lengths."""
    check_norm(norm)
    if norm == "ortho":
        return 1 / math.sqrt(math.prod(lengths))
    return 1 / math.prod(lengths) if forward == (norm == "forward") else 1.0


def swapped(norm: str | None) -> str | None:
    """The norm that a transform has as its inverse."""
    check_norm(norm)
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def _checked_length(n: Any) -> int:
    length: int = operator.index(n)
    if length < 1:
        raise ValueError(f"Invalid number of FFT data points ({length}) specified.")
    return length


def one_length(n: Any) -> Any:
    """`n` as lengths_and_axes() takes it. Refuses -1, which would mean the whole axis there."""
    return None if n is None else (_checked_length(n),)


def asked_axes(axes: Any) -> tuple[int, ...] | None:
    """Axes as a caller named them."""
    if axes is None:
        return None
    return tuple(map(operator.index, axes)) if hasattr(axes, "__iter__") else (operator.index(axes),)


def asked_lengths(s: Any, axes: Any) -> tuple[int | None, ...] | None:
    """Lengths as a caller named them, with NumPy's warnings."""
    if s is None:
        return None
    lengths = tuple(s) if hasattr(s, "__iter__") else (s,)
    if axes is None:
        warnings.warn("`axes` should not be None when `s` is given; name the axes", DeprecationWarning, stacklevel=6)
    if None in lengths:
        warnings.warn("an entry None of `s` is deprecated; use -1 for the whole axis", DeprecationWarning,
                      stacklevel=6)
    return tuple(n if n is None else operator.index(n) for n in lengths)


def lengths_and_axes(shape: tuple[int, ...], s: Sequence[int | None] | None, axes: Sequence[int] | None,
                     half: bool) -> tuple[list[int], tuple[int, ...]]:
    """Lengths and axes as numpy.fft takes them. `half`: the last length is that of reals from a half spectrum."""
    ndim = len(shape)
    if axes is None:
        axes = range(ndim) if s is None else range(-len(s), 0)
    axes = tuple(normalize_axis_index(axis, ndim) for axis in axes)
    whole = [shape[axis] for axis in axes]
    reals = 2 * (whole[-1] - 1) if half and axes else 0
    if s is None:
        lengths = [*whole[:-1], reals] if half and axes else whole
    elif len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    else:
        lengths = [n if n is not None and n != -1 else all_of_it for n, all_of_it in zip(s, whole)]
        if half and axes and s[-1] is None:  # as NumPy: -1 is what the half spectrum has
            lengths[-1] = reals
    return [_checked_length(n) for n in lengths], axes


def fitted(a: Array, shape: tuple[int, ...]) -> Array:
    """`a` cut to this shape, or with zeros behind."""
    if a.shape == shape:
        return a
    cut = a[tuple(map(slice, shape))]
    if cut.shape == shape:
        return cut
    padded = np.zeros(shape, a.dtype, order="F" if a.flags.fnc else "C")
    padded[tuple(map(slice, cut.shape))] = cut
    return padded


def result_array(out: Any, shape: tuple[int, ...], dtype: Any, like: Array) -> Array:
    """Where the result is computed: `out`, unless it has another precision or byte order; into() casts it then."""
    if out is None:
        return np.empty(shape, dtype, order="F" if like.flags.fnc else "C")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is an array; got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"out has the shape of the result, {shape}; got {out.shape}")
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise TypeError(f"out takes results of dtype {np.dtype(dtype)}; got {out.dtype}")
    if not out.flags.writeable:
        raise ValueError("out can be written to; got an array that is read-only")
    return out if out.dtype == dtype else np.empty(shape, dtype)


def into(out: Any, result: Array) -> Array:
    """What a call returns: its result, in `out` where one was given."""
    if out is None or result is out:
        return result
    result_array(out, result.shape, result.dtype, result)  # refuses what cannot take it
    out[...] = result
    return out  # type: ignore[no-any-return]


def _same_memory(a: Array, b: Array) -> bool:
    return (a.ctypes.data, a.shape, a.strides, a.dtype) == (b.ctypes.data, b.shape, b.strides, b.dtype)


def run(kind: str, forward: bool, a: Array, out: Array, axes: tuple[int, ...], factor: float, workers: int | None,
        kinds: tuple[str, ...] = (), scaling: str = "none", whole: bool = False) -> None:
    """execute() for any memory: what does not lie well, or overlaps, goes through a copy."""
    in_place = a is out
    if not in_place and not (a.flags.owndata and out.flags.owndata) and np.may_share_memory(a, out):
        in_place = _same_memory(a, out)
        if not in_place:
            a = a.copy(order="K")
    if not lies_well(a):
        a, in_place = a.copy(order="K"), False
    target = out if lies_well(out) else np.empty(out.shape, out.dtype)
    if target.size > 0:
        execute(kind, forward, a, target, in_place and target is out, axes, factor, workers, kinds, scaling, whole)
    if target is not out:
        out[...] = target


def parts_of(axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """As many axes as one run has, the last ones first."""
    return [axes[max(0, end - MOST_AXES):end] for end in range(len(axes), 0, -MOST_AXES)]
