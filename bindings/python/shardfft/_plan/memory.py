"""The memory that a plan reads and writes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import _core
from .._arrays import DistArray
from .._core import Comm, Layout
from .._errors import InvalidArgument
from .._layouts import have_equal_places, local_shapes
from .._sharded.layouts import joined, parts_of
from .padded import PaddedArray

Array = np.ndarray[Any, Any]

SIDES = "input", "output", "middle", "applied"  # places where an array may lie; the last two of apply()
MIDDLE, APPLIED = 2, 3


class PlanMemory:
    """Arrays on the sides of a plan."""

    comm: Comm
    shape: tuple[int, ...]
    kind: str
    _plan: _core.Plan
    _dtypes: tuple[np.dtype[Any], np.dtype[Any]]
    _placed: tuple[bool, bool]
    _padded: tuple[bool, bool]
    _in_place: bool
    _real: np.dtype[Any]  # of this precision, as _complex
    _complex: np.dtype[Any]

    @functools.cached_property
    def input(self) -> Layout:
        """Layout of forward's input."""
        return self._plan.input

    @functools.cached_property
    def output(self) -> Layout:
        """Layout of forward's output."""
        return self._plan.output

    @property
    def workspace_bytes(self) -> int:
        """Private memory of this rank."""
        return self._plan.workspace_bytes

    def make_input(self) -> DistArray:
        """An array for forward's input, zero. Exchanges reach such arrays of the ranks of a node directly. With
        padded_reals rows of reals have room for their half spectra, which `local` does not show."""
        return self._made(0)

    def make_output(self) -> DistArray:
        """An array for forward's output, zero."""
        return self._made(1)

    def _layout(self, side: int) -> Layout:
        return self.output if side else self.input

    def _dtype(self, side: int) -> np.dtype[Any]:
        return self._dtypes[side]

    def _buffer(self, side: int) -> Any:
        if self._in_place or side == 0:
            return self._plan.make_input()  # in place it has room for both ends
        return self._plan.make_output()

    def _is_placed(self, side: int) -> bool:
        return self._placed[side]

    def _is_padded(self, side: int) -> bool:
        return self._padded[side]

    def _made(self, side: int) -> DistArray:
        if self._is_placed(side):
            raise InvalidArgument("this plan's memory was given by strides: make arrays as these say")
        return self._array(side, self._buffer(side))

    def _array(self, side: int, memory: Array) -> DistArray:
        """The array of this side in memory that has room for it."""
        kind = PaddedArray if self._is_padded(side) else DistArray
        return kind(self.comm, self._layout(side), self._dtype(side), memory)

    def _memory(self, array: Any, side: int) -> Any:
        """What the library takes."""
        layout = self._layout(side)
        if isinstance(array, DistArray):
            if not have_equal_places(array.layout, layout):
                same_shape = array.shape == tuple(layout.shape)
                raise InvalidArgument(
                    f"an array has the layout that the plan has there, {_words(layout)}; got {_words(array.layout)}; "
                    + ("call redistribute() on it" if same_shape else f"see make_{SIDES[side]}()")
                )
            if isinstance(array, PaddedArray) and self._is_padded(side):
                return array.memory
            return array.buffer if self.kind == "move" else array.buffer.view(array.dtype)
        parts = parts_of(array)
        if parts is not None:
            array = joined(parts, layout, self.comm.rank)
        if isinstance(array, np.ndarray) and not (self._is_placed(side) or self._is_padded(side)):
            self._check_part(array, layout, SIDES[side])
        return array

    def _check_part(self, array: Array, layout: Layout, side: str) -> None:
        shapes = local_shapes(layout, self.comm.rank)
        natural = tuple(layout.order) == tuple(range(len(self.shape)))
        alone = shapes[0] if len(shapes) == 1 else None
        if array.flags.c_contiguous and (array.ndim == 1 or array.size == 0 or (natural and array.shape == alone)):
            return
        raise InvalidArgument(
            f"this rank's part is a C-contiguous array of shape {alone or shapes}, or a flat one; got shape "
            f"{array.shape}; use make_{side}(){f' or {side}_memory' if side.endswith('put') else ''}"
        )

    def _ends(self, forward: bool, source: Any, target: Any) -> tuple[Any, Any, Any]:
        first, last = (0, 1) if forward else (1, 0)
        if target is None and self._in_place and isinstance(source, DistArray):
            try:
                target = self._array(last, source.memory)
            except InvalidArgument as error:
                raise InvalidArgument(
                    f"an array in place has room for both ends: {error}; use make_input() or make_output()") from None
        if target is None:
            target = self._made(last)
        return self._memory(source, first), self._written(target, last), target

    def _written(self, array: Any, side: int) -> Any:
        """_memory() of what a run writes. JAX lends its memory without a word that nobody may write to it."""
        if type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
            raise InvalidArgument("arrays of JAX do not change; leave the output out, or use make_output()")
        return self._memory(array, side)


def _words(layout: Layout) -> str:
    return f"{' x '.join(map(str, layout.shape))} in {layout.describe()}, memory order {list(layout.order)}"
