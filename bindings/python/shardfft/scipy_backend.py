"""shardfft behind scipy.fft: with scipy.fft.set_backend(shardfft.scipy_backend): ...

Transforms of Fourier's kind, of cosines and of sines go to shardfft; SciPy computes all others itself. Arguments mean
what they mean in scipy.fft, and what shardfft refuses SciPy computes, or refuses in its own words."""

from __future__ import annotations

import operator
from numbers import Number
from typing import Any

import numpy as np

from ._functions import numpy_fft, real
from ._threads import threads_of

__ua_domain__ = "numpy.scipy.fft"

_NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_OURS = {name + suffix: getattr(numpy_fft, name + suffix) for name in _NAMES for suffix in ("", "2", "n")}

_REAL = {name: getattr(real, name) for name in real.__all__}  # with SciPy's signatures


_LAST = object()  # stands for axes that were not given: None is said by callers, too


def _is_for_scipy(x: Any) -> bool:
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        dtype = np.asarray(x).dtype
    return not isinstance(dtype, np.dtype) or dtype.char in "gG" or dtype.kind not in "biufc"


def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    fourier, of_reals = _OURS.get(method.__name__), _REAL.get(method.__name__)
    if fourier is None and of_reals is None:
        return NotImplemented
    try:
        if _is_for_scipy(args[0] if args else kwargs.get("x")):
            return NotImplemented
        return _call(fourier, *args, **kwargs) if fourier else _call_real(of_reals, *args, **kwargs)
    except (TypeError, ValueError, IndexError):
        return _by_scipy(method, args, kwargs)


def _by_scipy(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from scipy.fft._backend import _ScipyBackend

    return _ScipyBackend.__ua_function__(method, args, kwargs)


def _workers(given: Any) -> Any:
    """`given`, or the number of scipy.fft.set_workers() in this thread; None where that was never called."""
    if given is not None:
        threads_of(given, 0)  # refuses what is no number of threads, of empty arrays, too
        return given
    from scipy.fft._pocketfft import helper

    return getattr(getattr(helper, "_config", None), "default_workers", None)


def _call_real(ours: Any, x: Any, type: Any = 2, n: Any = None, axis: Any = _LAST, norm: Any = None,
               overwrite_x: bool = False, workers: Any = None, **others: Any) -> Any:
    keywords = {"norm": norm, "overwrite_x": overwrite_x, "workers": _workers(workers),
                "orthogonalize": others.get("orthogonalize")}
    if ours.__name__.endswith("n"):
        axes = others.get("axes", None if axis is _LAST else axis)
        return ours(x, type, *_lengths_and_axes(ours, x, others.get("s", n), axes), **keywords)
    return ours(x, type, n, -1 if axis is _LAST else axis, **keywords)


def _whole(numbers: Any) -> tuple[int, ...]:
    all_of_them: Any = (numbers,) if isinstance(numbers, Number) else numbers
    return tuple(operator.index(n) for n in all_of_them)


def _lengths_and_axes(ours: Any, x: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """As scipy.fft has them: without axes the last ones, and without lengths those of `x`. A half spectrum of one
    element along the last axis is that of one real number."""
    shape = np.shape(x)
    lengths = None if s is None else _whole(s)
    if axes is None:
        along = tuple(range(len(shape) - len(shape if lengths is None else lengths), len(shape)))
    else:
        along = tuple(axis + len(shape) if axis < 0 else axis for axis in _whole(axes))
    if not along or len(set(along)) < len(along) or not all(0 <= axis < len(shape) for axis in along):
        raise ValueError(f"axes are different ones of {len(shape)}, at least one; got {axes}")
    if lengths is None:
        found = [shape[axis] for axis in along]
        if found and ours.__name__ in ("irfft2", "irfftn", "hfft2", "hfftn"):
            found[-1] = max(2 * (found[-1] - 1), min(found[-1], 1))
        return tuple(found), along
    return tuple(shape[axis] if n == -1 else n for n, axis in zip(lengths, along, strict=True)), along


def _call(ours: Any, x: Any, n: Any = None, axis: Any = _LAST, norm: Any = None, overwrite_x: bool = False,
          workers: Any = None, *, plan: Any = None, **others: Any) -> Any:
    if plan is not None:
        raise NotImplementedError("Passing a precomputed plan is not yet supported by scipy.fft functions")
    keywords: dict[str, Any] = {"norm": norm, "overwrite_x": overwrite_x, "workers": _workers(workers)}
    name = ours.__name__
    if name[-1] not in "2n":
        return ours(x, n, -1 if axis is _LAST else axis, **keywords)
    axes = others.get("axes", axis)
    if axes is _LAST:
        axes = (-2, -1) if name[-1] == "2" else None
    return ours(x, *_lengths_and_axes(ours, x, others.get("s", n), axes), **keywords)


class _WithScipy:
    """As a global backend, which nothing stands behind: SciPy's own functions do what is not ours."""

    __ua_domain__ = __ua_domain__

    @staticmethod
    def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = __ua_function__(method, args, kwargs)
        return _by_scipy(method, args, kwargs) if result is NotImplemented else result


def install() -> None:
    """Puts shardfft behind scipy.fft for all threads of the process, and SciPy behind it."""
    import scipy.fft

    scipy.fft.set_global_backend(_WithScipy)


def uninstall() -> None:
    """Takes it back."""
    import scipy.fft

    scipy.fft.set_global_backend("scipy")
