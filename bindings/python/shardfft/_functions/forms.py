"""Functions that differ in name and in what they compute, not in their arguments."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Concatenate, Mapping, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
W = TypeVar("W")

_ABOUT = {
    "fft": "Transform with the exponent -1",
    "ifft": "Transform with the exponent +1",
    "rfft": "Half spectrum of reals, n/2 + 1 elements,",
    "irfft": "Reals of a half spectrum, 2 (elements - 1) unless there is a length,",
    "hfft": "Spectrum, of reals, of a signal with Hermitian symmetry",
    "ihfft": "Inverse of hfft()",
}
KINDS = tuple(_ABOUT)
_ALONG = {"": "along one axis", "2": "along the last two axes", "n": "along several axes"}


def _plainly(function: Callable[P, T]) -> Callable[P, T]:
    return lambda *args, **kwargs: function(*args, **kwargs)


def function(name: str, form: Callable[Concatenate[W, P], T], what: W, about: str,
             wrapped: Callable[[Callable[P, T]], Callable[P, T]] = _plainly) -> Callable[P, T]:
    """form(what, ...) as a function of the other arguments."""
    bound: Any = functools.partial(form, what)
    call = wrapped(bound)
    setattr(call, "__signature__", inspect.signature(bound))
    call.__name__ = call.__qualname__ = name
    call.__module__, call.__doc__ = form.__module__, about
    return call


def family(suffix: str, form: Callable[Concatenate[W, P], T], whats: Mapping[str, W],
           library: str, wrapped: Callable[[Callable[P, T]], Callable[P, T]] = _plainly) -> list[Callable[P, T]]:
    """function() for each kind of transform. `library`: whose functions they are like."""
    return [function(kind + suffix, form, what, f"{_ABOUT[kind]} {_ALONG[suffix]}, as {library}.{kind}{suffix}.",
                     wrapped) for kind, what in whats.items()]
