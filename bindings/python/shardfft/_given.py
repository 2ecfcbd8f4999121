"""Arguments as the library takes them."""

from __future__ import annotations

import operator
from typing import Any

from ._errors import InvalidProblem


def whole_numbers(what: str, numbers: Any) -> list[int]:
    """Whole numbers of any type; one stands for a list of one. Nothing is rounded."""
    try:
        return [operator.index(n) for n in (numbers if hasattr(numbers, "__iter__") else [numbers])]
    except TypeError:
        raise InvalidProblem(f"{what} are whole numbers; got {numbers!r}") from None


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
