"""Arguments as the library takes them."""

from __future__ import annotations

import operator
from typing import Any

from ._errors import InvalidArgument, InvalidProblem


def whole_numbers(what: str, numbers: Any) -> list[int]:
    """Whole numbers of any type; one stands for a list of one. Nothing is rounded."""
    try:
        return [operator.index(n) for n in (numbers if hasattr(numbers, "__iter__") else [numbers])]
    except TypeError:
        raise InvalidProblem(f"{what} are whole numbers; got {numbers!r}") from None


def real_number(what: str, number: Any) -> float:
    """A real number of any type; texts are none."""
    try:
        if not isinstance(number, (str, bytes, bytearray)):
            return float(number)
    except (TypeError, ValueError):
        pass
    raise InvalidArgument(f"{what} is a real number; got {number!r}; give a float")


def real_numbers(what: str, numbers: Any) -> list[float]:
    """Real numbers of any type; one stands for a list of one."""
    is_many = hasattr(numbers, "__iter__") and not isinstance(numbers, (str, bytes, bytearray))
    return [real_number(what, n) for n in (numbers if is_many and getattr(numbers, "ndim", 1) != 0 else [numbers])]


def along_axes(what: str, given: Any, dims: int) -> list[float]:
    """Real numbers along each axis; one stands for all of them."""
    is_one = not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0
    return real_numbers(what, given) * (dims if is_one else 1)


def axis_of(axis: Any, dims: int) -> int:
    """An axis of an array, from 0; negative ones count from the end."""
    number = operator.index(axis)
    if not -dims <= number < dims:
        raise InvalidArgument(f"an axis of {dims} is a number from {-dims} to {dims - 1}; got {number}")
    return number % dims


def option_texts(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and texts of options that were given, from whatever type NumPy or Python has for their values."""
    return [(name, _text(name, value)) for name, value in options.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()  # a number of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return ("x" if name == "ranks_grid" else ",").join(str(n) for n in value)
    return repr(value) if isinstance(value, float) else str(value)
