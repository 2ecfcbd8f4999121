"""Layouts as users name them, and where a rank's arrays lie in the whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from ._core import Layout, LayoutSpec
from ._errors import InvalidLayout
from ._sharded.layouts import is_distributed, layout_of

Array = np.ndarray[Any, Any]


def spec_of(layout: Any, dims: int) -> LayoutSpec | None:
    """A layout as users name it: a word of the command line, slabs(0), or the layout of another array, or that array,
    also one of another library."""
    if layout is None or isinstance(layout, LayoutSpec):
        return layout
    if isinstance(layout, Layout):
        return layout.spec
    if isinstance(layout, str):
        return _core.parse_layout(layout, dims)
    if is_distributed(layout):
        return layout_of(layout).spec
    raise InvalidLayout(f"a layout is a word, such as 'slabs:0', or slabs(0); got {type(layout).__name__}")


def _extent(box: Any) -> tuple[int, ...]:
    return tuple(hi - lo for lo, hi in zip(*box))


def local_shapes(layout: Layout, rank: int) -> list[tuple[int, ...]]:
    """Shapes of the arrays that a rank holds: one for each box; of a cyclic layout one for all of them."""
    shapes = [_extent(box) for box in layout.boxes(rank)]
    axis = layout.cyclic_axis
    if axis < 0 or not shapes:
        return shapes
    shape = list(shapes[0])
    shape[axis] = sum(s[axis] for s in shapes)
    return [tuple(shape)]


def global_indices(layout: Layout, rank: int) -> list[list[Array]]:
    """For each local array and each axis the indices in the whole array."""
    boxes = layout.boxes(rank)
    axes = range(len(layout.shape))
    all_of_boxes = [[np.arange(lo[a], hi[a]) for a in axes] for lo, hi in boxes]
    axis = layout.cyclic_axis
    if axis < 0 or not boxes:
        return all_of_boxes
    together = list(all_of_boxes[0])
    together[axis] = np.concatenate([indices[axis] for indices in all_of_boxes])
    return [together]


def views(buffer: Array, layout: Layout, rank: int, dtype: np.dtype[Any]) -> list[Array]:
    """The local arrays in memory where they lie one after the other, in the layout's order."""
    flat, arrays, at = buffer.view(dtype), [], 0
    order = layout.order
    back = [order.index(axis) for axis in range(len(order))]
    for shape in local_shapes(layout, rank):
        count = math.prod(shape)
        arrays.append(flat[at:at + count].reshape([shape[axis] for axis in order]).transpose(back))
        at += count
    return arrays


def have_equal_places(a: Layout, b: Layout) -> bool:
    """Whether arrays of both layouts have each element at the same place of the same rank."""
    return a is b or a.shape == b.shape and a.same_owners(b) and tuple(a.order) == tuple(b.order)
