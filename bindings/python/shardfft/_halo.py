"""Cells of neighbours around each rank's box."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core
from ._comm import Run, as_comm, collective, next_number
from ._core import Comm, Layout
from ._errors import InvalidArgument
from ._given import option_texts, whole_numbers
from ._layouts import spec_of

Array = np.ndarray[Any, Any]


def _widths(cells: int | Sequence[int], dims: int) -> list[int]:
    return whole_numbers("widths", cells) * (1 if hasattr(cells, "__iter__") else dims)


class Halo:
    """A halo that is ready to be filled. Each rank owns one box or none.

    shape    extents of the whole array
    low, high  cells before and after the box along each axis; one number: for all axes
    dtype    of the elements
    comm, layout  as those of a Plan; layouts where each rank owns one box
    periodic  the periodic axes
    corners  False: only faces, cells that lie outside of the box along a single axis
    memory   (offset, strides) in elements of this rank's box in an array of yours; None: in one of make_array()
    **options  threads and transport

    Making it and all calls that send are collective."""

    @collective
    def __init__(self, shape: Sequence[int], low: int | Sequence[int],  # type: ignore[misc]
                 high: int | Sequence[int], *, dtype: Any = np.float64, comm: Any = None,
                 layout: Any = "natural", periodic: Sequence[int] = (), corners: bool = True,
                 memory: tuple[int, Sequence[int]] | None = None, **options: Any) -> Run[None]:
        self.comm: Comm = as_comm(comm)
        extents = whole_numbers("extents", shape)
        dims, request = len(extents), _core.Request()
        request.input_memory = [(memory[0], list(memory[1]))] if memory is not None else []
        request.options = option_texts(options)
        self.dtype = np.dtype(dtype)
        self.layout = Layout(spec_of(layout, dims) or _core.slabs(0), extents, self.comm.size)
        before, behind, around = _widths(low, dims), _widths(high, dims), whole_numbers("periodic axes", periodic)
        with_corners, item = bool(corners), self.dtype.itemsize
        self._is_placed = memory is not None
        self._running: Any = None

        def make() -> None:
            self._halo = _core.Halo(self.comm, self.layout, before, behind, around, with_corners, item, request)
            self._number = next_number(self.comm)

        return make

    @property
    def box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """This rank's box, (lo, hi)."""
        return self._halo.box

    @property
    def grown_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The box with its halo; it may begin below 0 and end beyond the array."""
        return self._halo.grown_box

    @property
    def memory(self) -> list[tuple[int, tuple[int, ...]]]:
        """Offset and strides of the box, for a Plan's input_memory; empty on a rank without a box."""
        return self._halo.memory

    def make_array(self) -> Array:
        """This rank's box and its halo, zero: an array of the extents of grown_box."""
        buffer: Any = self._halo.make_array()
        shape, order = self._extents(), self.layout.order
        elements: Array = buffer[:self._halo.bytes].view(self.dtype)
        return elements.reshape([shape[axis] for axis in order]).transpose(np.argsort(order))

    def inside(self, array: Array) -> Array:
        """A view of the box in an array of make_array()."""
        (lo, hi), start = self.box, self.grown_box[0]
        return array[tuple(slice(a - s, b - s) for a, b, s in zip(lo, hi, start))]

    @collective
    def exchange(self, array: Array) -> Run[Array]:
        """Collective. Every cell of the halo gets its owner's value."""
        return self._ran(self._halo.exchange, self._checked(array))

    @collective
    def accumulate(self, array: Array) -> Run[Array]:
        """Collective. The transposed operation: what the halos of all ranks hold is added to the owners' elements, in
        the order of ranks. The halo is left as it is."""
        return self._ran(self._accumulate, self._added(array))

    @collective
    def start_exchange(self, array: Array) -> Run[None]:
        """Collective. exchange() without blocking: test() makes progress, wait() completes it."""
        return self._started(self._halo.exchange, self._checked(array))

    @collective
    def start_accumulate(self, array: Array) -> Run[None]:
        """Collective. accumulate() without blocking."""
        return self._started(self._accumulate, self._added(array))

    # An empty array does not tell its type; the halo does.
    def _accumulate(self, array: Array, split: bool) -> None:
        self._halo.accumulate(array, self.dtype.char in "fF", split)

    def _ran(self, call: Any, array: Array) -> Run[Array]:
        def run() -> Array:
            call(array, False)
            return array

        return run

    def _started(self, call: Any, array: Array) -> Run[None]:
        def run() -> None:
            call(array, True)
            self._running = array

        return run

    def test(self) -> bool:
        """Makes progress; returns whether the run is done."""
        return self._halo.test()

    def wait(self) -> None:
        """Ends the run."""
        self._halo.wait()
        self._running = None

    def describe(self) -> str:
        """Widths, messages and bytes of this rank, transport."""
        return self._halo.describe()

    def _checked(self, array: Array) -> Array:
        if not isinstance(array, np.ndarray) or array.dtype != self.dtype:
            got = getattr(array, "dtype", type(array).__name__)
            raise InvalidArgument(f"a halo of {self.dtype} takes such arrays; got {got}; use make_array()")
        if self._is_placed or self._lies_as_made(array):
            return array
        raise InvalidArgument(f"an array lies as those of make_array(): shape {self._extents()}, memory order "
                              f"{list(self.layout.order)}, no gaps; got shape {array.shape}, strides {array.strides}; "
                              "use make_array(), or say where the box is with memory=")

    def _extents(self) -> tuple[int, ...]:
        return tuple(hi - lo for lo, hi in zip(*self.grown_box))

    def _lies_as_made(self, array: Array) -> bool:
        if array.ndim == 1:
            return array.flags.c_contiguous
        return array.shape == self._extents() and array.transpose(self.layout.order).flags.c_contiguous

    def _added(self, array: Array) -> Array:
        if self.dtype.char not in "fdFD":
            raise InvalidArgument(f"float32, float64, complex64 and complex128 are added; got {self.dtype}")
        return self._checked(array)

    def __reduce__(self) -> Any:
        raise TypeError("a halo belongs to its process and cannot be pickled; make it again from its arguments")

    def __repr__(self) -> str:
        return f"<shardfft.Halo: {self.dtype}, {self.layout.describe()}; rank {self.comm.rank} of {self.comm.size}>"
