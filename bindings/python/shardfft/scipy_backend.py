"""shardfft behind scipy.fft: with scipy.fft.set_backend(shardfft.scipy_backend): ...

Transforms of Fourier's kind, of cosines and of sines go to shardfft; SciPy computes all others itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._functions import numpy_fft, real

__ua_domain__ = "numpy.scipy.fft"

_NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_OURS = {name + suffix: getattr(numpy_fft, name + suffix) for name in _NAMES for suffix in ("", "2", "n")}

_REAL = {name: getattr(real, name) for name in real.__all__}  # with SciPy's signatures


def _is_for_scipy(x: Any) -> bool:
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return False
    return not isinstance(dtype, np.dtype) or dtype.char in "gG" or dtype.kind not in "biufc"


def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    fourier, of_reals = _OURS.get(method.__name__), _REAL.get(method.__name__)
    if (fourier is None and of_reals is None) or _is_for_scipy(args[0] if args else kwargs.get("x")):
        return NotImplemented
    return _call(fourier, *args, **kwargs) if fourier else _call_real(of_reals, *args, **kwargs)


def _call_real(ours: Any, *args: Any, **kwargs: Any) -> Any:
    return ours(*args, **kwargs)


def _call(ours: Any, x: Any, n: Any = None, axis: Any = None, norm: Any = None, overwrite_x: bool = False,
          workers: Any = None, *, plan: Any = None, s: Any = None, axes: Any = None) -> Any:
    if plan is not None:
        raise NotImplementedError("Passing a precomputed plan is not yet supported by scipy.fft functions")
    keywords: dict[str, Any] = {"norm": norm, "overwrite_x": overwrite_x, "workers": workers}
    one = ours.__name__[-1] not in "2n"
    lengths, along = (n if s is None else s), (axis if axes is None else axes)
    if one:
        return ours(x, lengths, -1 if along is None else along, **keywords)
    if along is None:
        if ours.__name__.endswith("2"):
            along = (-2, -1)
        elif lengths is not None:
            along = tuple(range(-np.size(lengths), 0))  # SciPy does not warn
    if lengths is not None:
        lengths = [-1 if length is None else length for length in np.atleast_1d(np.asarray(lengths, object))]
    return ours(x, lengths, along, **keywords)


class _WithScipy:
    """As a global backend, which nothing stands behind: SciPy's own functions do what is not ours."""

    __ua_domain__ = __ua_domain__

    @staticmethod
    def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from scipy.fft._backend import _ScipyBackend

        result = __ua_function__(method, args, kwargs)
        return _ScipyBackend.__ua_function__(method, args, kwargs) if result is NotImplemented else result


def install() -> None:
    """Puts shardfft behind scipy.fft for all threads of the process, and SciPy behind it."""
    import scipy.fft

    scipy.fft.set_global_backend(_WithScipy)


def uninstall() -> None:
    """Takes it back."""
    import scipy.fft

    scipy.fft.set_global_backend("scipy")
