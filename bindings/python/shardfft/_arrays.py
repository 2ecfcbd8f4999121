"""Distributed arrays: this rank's part, and where it lies in the whole."""

from __future__ import annotations

import math
import operator
import os
from pathlib import Path
from typing import Any, Iterable

import numpy as np

from . import _core, _files, _reduce
from ._comm import Run, Same, as_comm, collective, collectively
from ._core import Comm, Layout, LayoutSpec
from ._errors import InvalidArgument, InvalidLayout
from ._given import whole_numbers
from ._layouts import global_indices, have_equal_places, spec_of, views

Array = np.ndarray[Any, Any]


class DistArray:
    """This rank's part of an array that a layout spreads over the ranks of a group.

    `local` is a NumPy array, or a tuple of them where this rank owns several boxes. Calls that say "collective" are
    made by all ranks. So is arithmetic: elements stay where they are, and ranks only tell each other that nothing is
    wrong."""

    __slots__ = ("comm", "layout", "dtype", "memory", "buffer", "parts")

    def __init__(self, comm: Comm, layout: Layout, dtype: Any, buffer: Array | None = None) -> None:
        """`buffer`: bytes that hold this rank's elements, box after box; None: new ones, zero."""
        self.comm, self.layout, self.dtype = comm, layout, np.dtype(dtype)
        bytes_of_rank = layout.count(comm.rank) * self.dtype.itemsize
        if buffer is None:
            buffer = np.zeros(bytes_of_rank, np.uint8)
        if buffer.nbytes < bytes_of_rank:
            raise InvalidArgument(f"this rank's part has {bytes_of_rank} bytes; got {buffer.nbytes}")
        self.memory = buffer  # that of a plan in place has room for both of its ends
        self.buffer = buffer[:bytes_of_rank]
        self.parts = views(self.buffer, layout, comm.rank, self.dtype)

    @property
    def local(self) -> Any:
        """This rank's elements; an empty array where it owns none."""
        if not self.parts:
            return np.empty((0,) * len(self.layout.shape), self.dtype)
        return self.parts[0] if len(self.parts) == 1 else tuple(self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole array."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.layout.shape)

    @property
    def size(self) -> int:
        """Elements of the whole array."""
        return math.prod(self.layout.shape)

    @property
    def box(self) -> tuple[slice, ...]:
        """Where `local` lies in the whole array, of ranks that own one box: whole[a.box] is a.local."""
        boxes = self.layout.boxes(self.comm.rank)
        if not boxes:
            return (slice(0, 0),) * len(self.shape)
        if len(boxes) > 1:
            raise InvalidLayout(f"this rank owns {len(boxes)} boxes; use grid() or layout.boxes(rank)")
        return tuple(map(slice, *boxes[0]))

    def grid(self) -> Any:
        """Global indices of `local` along each axis, as an open mesh: x, y = a.grid(); a.local[...] = x + y. A list of
        meshes where this rank owns several boxes."""
        meshes = [np.ix_(*indices) for indices in global_indices(self.layout, self.comm.rank)]
        if not meshes:
            return np.ix_(*(np.arange(0) for _ in self.shape))
        return meshes[0] if len(meshes) == 1 else meshes

    def index(self, position: Iterable[int]) -> tuple[int, ...]:
        """Global position of an element of `local`."""
        indices = global_indices(self.layout, self.comm.rank)
        if len(indices) != 1:
            raise InvalidLayout(f"this rank owns {len(indices)} boxes; use layout.boxes(rank)")
        at = whole_numbers("a position", position)
        if len(at) != len(indices[0]):
            raise InvalidArgument(f"a position has {len(indices[0])} numbers; got {len(at)}")
        return tuple(int(along[i]) for along, i in zip(indices[0], at))

    def empty_like(self, dtype: Any = None) -> DistArray:
        """Another array of the same layout, zero."""
        return DistArray(self.comm, self.layout, self.dtype if dtype is None else dtype)

    def copy(self) -> DistArray:
        """The same elements in memory of its own."""
        return DistArray(self.comm, self.layout, self.dtype, self.buffer.copy())

    @collective
    def redistribute(self, layout: Any) -> Run[DistArray]:
        """Collective. The same array in another layout."""
        if self.comm.kind == "dry_run":
            raise InvalidArgument("ranks of dry_run() hold no array; use local(), on_ranks() or mpi()")
        request = self._moved_to(spec_of(layout, len(self.shape)))

        def run() -> DistArray:
            plan = _core.Plan(self.comm, request)
            moved = DistArray(self.comm, plan.output, self.dtype)
            plan.run(True, self.buffer, moved.buffer)
            return moved

        return run

    def _moved_to(self, spec: LayoutSpec | None) -> Any:
        request = _core.Request()
        request.shape, request.kind, request.element_bytes = list(self.shape), "move", self.dtype.itemsize
        request.input, request.output = self.layout.spec, spec
        return request

    @collective
    def gather(self, root: int = 0) -> Run[Array | None]:
        """Collective. The whole array on one rank; None on the others."""
        number = operator.index(root)
        if not 0 <= number < self.comm.size:
            raise InvalidArgument(f"root is a rank, from 0 to {self.comm.size - 1}; got {number}")
        boxes: list[Any] = [[] for _ in range(self.comm.size)]
        boxes[number] = [((0,) * len(self.shape), self.shape)]
        spec = _core.custom(boxes)

        def run() -> Array | None:
            all_there = self.redistribute(spec)
            return all_there.local if self.comm.rank == number else None

        return Same(f"root {number}", run)

    @collective
    def hash(self) -> Run[int]:
        """Collective. One number for the whole array: equal for equal elements, in any layout on any ranks."""
        request = self._moved_to(self.layout.spec)
        return lambda: int(_core.Plan(self.comm, request).hash_input(self.buffer))

    @collective
    def sum(self) -> Run[Any]:
        """Collective. The same bits on any number of ranks: exact before it is rounded to double precision; whole
        numbers as NumPy adds them."""
        return _reduce.total(self.comm, self.dtype, self.parts)

    @collective
    def norm(self) -> Run[float]:
        """Collective. Root of the sum of the squares of all elements, the same bits on any number of ranks."""
        return _reduce.norm(self.comm, self.dtype, self.parts)

    @collective
    def max(self) -> Run[Any]:
        """Collective. Largest element, of reals; NaN if there is one. Errors: InvalidArgument for complex numbers, and
        where there is no element."""
        return _reduce.largest(self.comm, self.dtype, self.parts)

    @collective
    def save(self, path: str | os.PathLike[str], *, dataset: str = "data", chunks: Any = None) -> Run[None]:
        """Collective. Writes a file, each rank its part: .npy; .h5 or .hdf5, as `dataset`; .zarr. `chunks`: of the
        last two. It appears whole or not at all. Errors: IoFailed, on all ranks."""
        return _files.save(self, path, dataset, chunks)

    @collective
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Run[Any]:
        results = self._elementwise(ufunc, method, *inputs, **kwargs)
        return Same(ufunc.__name__, lambda: results)

    @staticmethod
    def _elementwise(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if ufunc.signature is not None or method != "__call__" or kwargs.get("where", True) is not True:
            raise InvalidArgument(f"work on distributed arrays is elementwise, without where=; got {ufunc.__name__}."
                                  f"{method}; use sum(), norm(), max() or a.local")
        arrays = [x for x in (*inputs, *(out or ())) if isinstance(x, DistArray)]
        for x in inputs:
            if not isinstance(x, DistArray) and np.ndim(x) > 0:
                raise InvalidArgument(
                    "elementwise work is between distributed arrays and numbers; got an array of shape "
                    f"{np.shape(x)}; use a.local"
                )
        first = arrays[0]
        for other in arrays[1:]:
            if not have_equal_places(other.layout, first.layout):
                raise InvalidArgument("elementwise work needs equal layouts; call redistribute() on one of them")

        def part(x: Any, i: int) -> Any:
            return x.parts[i] if isinstance(x, DistArray) else x

        if out is not None:
            for i in range(len(first.parts)):
                ufunc(*(part(x, i) for x in inputs), out=tuple(part(x, i) for x in out), **kwargs)
            return out[0] if len(out) == 1 else out
        samples = [np.empty(0, x.dtype) if isinstance(x, DistArray) else x for x in inputs]
        made = ufunc(*samples, **kwargs)
        results = tuple(
            DistArray(first.comm, first.layout, r.dtype) for r in (made if isinstance(made, tuple) else (made,))
        )
        for i in range(len(first.parts)):
            ufunc(*(part(x, i) for x in inputs), out=tuple(r.parts[i] for r in results), **kwargs)
        return results[0] if len(results) == 1 else results

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if self.comm.size > 1:
            raise TypeError("this array lies on several ranks; gather() brings it to one, .local is this rank's part")
        return np.array(self.local, dtype=dtype, copy=copy)

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._one_part().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._one_part().__dlpack_device__()

    def _one_part(self) -> Array:
        if len(self.parts) != 1:
            raise InvalidLayout(f"this rank owns {len(self.parts)} boxes; lend them one by one: a.local[i]")
        return self.parts[0]

    __hash__ = None  # type: ignore[assignment]  # == compares elements

    def __bool__(self) -> bool:
        raise ValueError("an array is neither true nor false; reduce it to a number, as (a == b).local.all() on each "
                         "rank, or compare hash()")

    def __reduce__(self) -> Any:
        if self.comm.size > 1:
            raise TypeError("an array on several ranks cannot be pickled; save() writes it to a file")
        return _unpickled, (self.shape, tuple(self.layout.order), self.dtype, self.buffer)

    def __repr__(self) -> str:
        return (f"<shardfft.DistArray: {' x '.join(map(str, self.shape))} {self.dtype}, {self.layout.describe()}; "
                f"rank {self.comm.rank} of {self.comm.size}>")


def _operators() -> None:
    # All operators of arrays go through ufuncs.
    for name in ("add", "sub", "mul", "truediv", "pow", "neg", "pos", "abs", "radd", "rsub", "rmul", "rtruediv",
                 "iadd", "isub", "imul", "itruediv", "lt", "le", "gt", "ge", "eq", "ne"):
        setattr(DistArray, f"__{name}__", getattr(np.lib.mixins.NDArrayOperatorsMixin, f"__{name}__"))


_operators()


def _unpickled(shape: tuple[int, ...], order: tuple[int, ...], dtype: Any, buffer: Array) -> DistArray:
    # On one rank every layout is the whole array in some order.
    return DistArray(_core.local(), Layout(_core.slabs(0).ordered(order), shape, 1), dtype, buffer)


def empty(shape: Iterable[int], dtype: Any = np.complex128, comm: Any = None, layout: Any = "natural") -> DistArray:
    """This rank's part of a new array, zero."""
    group, extents = as_comm(comm), whole_numbers("extents", shape)  # making a group of MPI is collective
    spec = spec_of(layout, len(extents)) or _core.slabs(0)
    return DistArray(group, Layout(spec, extents, group.size), dtype)


@collective
def load(path: str | os.PathLike[str], comm: Any = None, layout: Any = "natural", *,
         dataset: str = "data") -> Run[DistArray]:
    """Collective. Reads what DistArray.save() or another program wrote, each rank the boxes that the layout gives it:
    .npy; HDF5 of any name, of which `dataset` is read; .zarr."""
    group, source = as_comm(comm), Path(path)
    if not isinstance(dataset, str):
        raise InvalidArgument(f"the name of a dataset is a text; got {type(dataset).__name__}")

    def run() -> DistArray:
        whole = _files.opened(group, source, dataset)

        def made() -> DistArray:
            spec = spec_of(layout, len(whole.shape)) or _core.slabs(0)
            return DistArray(group, Layout(spec, whole.shape, group.size), np.dtype(whole.dtype).newbyteorder("="))

        array = collectively(group, "load", made)
        _files.read(whole, array)
        return array

    return run
