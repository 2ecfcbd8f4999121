"""Kinds of axes, and how many modes and points they keep."""

from __future__ import annotations

from typing import Any, Sequence

from .. import _core
from .._errors import InvalidProblem
from .._given import whole_numbers


def kind_of(low: str, high: str, points: str = "cells") -> str:
    """The kind of an axis whose functions have these ends.

    low, high  "even" (no slope), "odd" (zero), or both "periodic"
    points     "cells": samples lie in the middle of cells; "nodes": on nodes, an odd end is not stored"""
    return _core.kind_of(low, high, points)


def dealiased(n: int) -> int:
    """Most modes of which products of two fields on n points are exact (the 2/3 rule)."""
    return _core.dealiased(n)


def kinds_of_axes(kinds: Any, axes: Sequence[int], dims: int) -> list[str]:
    """One word for each transformed axis; a single one stands for all."""
    count = len(axes) or dims
    return [kinds] * count if isinstance(kinds, str) else [str(kind) for kind in kinds or ()]


def lengths_of_axes(name: str, lengths: Any, axes: Sequence[int], dims: int) -> list[int]:
    """One number for each axis of the array, 0 keeps all; a single one stands for every transformed axis."""
    if lengths is None:
        return []
    numbers = whole_numbers(name, lengths)
    if hasattr(lengths, "__iter__"):
        return numbers
    chosen = {axis % dims for axis in axes} if axes else set(range(dims))
    return [numbers[0] if axis in chosen else 0 for axis in range(dims)]


def scalings_of(norm: str | None, orthonormal: bool) -> tuple[str, str]:
    """Of forward and backward."""
    known = {"backward": ("none", "by_n"), "ortho": ("by_sqrt_n", "by_sqrt_n"), "forward": ("by_n", "none")}
    if (norm or "backward") not in known:
        raise InvalidProblem(f"norm is 'backward', 'ortho' or 'forward'; got {norm!r}; leave it out for 'backward'")
    if not orthonormal:
        return known[norm or "backward"]
    if norm == "forward":
        raise InvalidProblem("orthonormal transforms are scaled alike in both directions; got norm='forward'; leave "
                             "norm out")
    return "orthonormal", "orthonormal"
