"""Arrays of other libraries."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable, Concatenate, TypeVar

import numpy as np

from .._arrays import DistArray
from .._errors import OutOfMemory
from .forms import P, T, W, function

F = TypeVar("F", bound=Callable[..., Any])


def array_function(name: str, form: Callable[Concatenate[W, P], T], what: W, about: str) -> Callable[P, T]:
    """function() in the caller's library."""
    return function(name, form, what, about, in_callers_library)


def in_callers_library(function: F) -> F:
    """Arrays of other libraries (PyTorch, JAX, array API) come in by DLPack, and results go back to their library."""

    first = next(iter(inspect.signature(function).parameters))  # as a keyword

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        a: Any = args[0] if args else kwargs.get(first)
        try:
            if isinstance(a, np.ndarray) or not hasattr(a, "__dlpack__"):
                return function(*args, **kwargs)
            args = args[1:]
            kwargs.pop(first, None)
            if isinstance(a, DistArray) and a.comm.size > 1:
                raise TypeError("functions transform in this process; an array on several ranks goes through a Plan")
            return _from_dlpack_of(a)(function(_from_dlpack(a), *args, **kwargs))
        except MemoryError as error:
            raise OutOfMemory(f"{error}; the program `shardfft transform IN OUT` works in passes over files that are "
                              "larger than memory") from error

    return call  # type: ignore[return-value]


def _from_dlpack(a: Any) -> Any:
    try:
        return np.from_dlpack(a)
    except RuntimeError as error:  # numbers that NumPy does not know, as bfloat16
        raise TypeError(f"arrays are of numbers that NumPy knows; got dtype {getattr(a, 'dtype', None)}; convert it to "
                        f"float32 or float64 ({error})") from error


def _from_dlpack_of(a: Any) -> Callable[[Any], Any]:
    if isinstance(a, DistArray):
        return np.asarray
    if hasattr(a, "__array_namespace__"):
        library = a.__array_namespace__()
    else:
        library = sys.modules[type(a).__module__.split(".")[0]]
    from_dlpack: Callable[[Any], Any] = library.from_dlpack
    return from_dlpack
