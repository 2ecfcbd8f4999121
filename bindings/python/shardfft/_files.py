"""Distributed arrays in files: .npy, HDF5 (h5py) and Zarr (zarr). A file appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Callable

import numpy as np

from . import _core
from ._arrays import Array, DistArray, global_indices, spec_of
from ._comm import Run, as_comm, collective, collectively
from ._core import Comm, Layout, LayoutSpec
from ._errors import InvalidArgument, IoFailed
from ._given import whole_numbers

_HDF5, _ZARR = (".h5", ".hdf5"), (".zarr",)


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def save(array: DistArray, path: str | os.PathLike[str], dataset: str, chunks: Any) -> Run[None]:
    """DistArray.save(), what is left to do when all ranks have agreed."""
    target = Path(os.path.realpath(path))  # what a link names is replaced, not the link
    temporary = target.with_name(f".{target.name}.part")
    if _suffix(target) in _ZARR:
        chunks, spec = _whole_chunks(array, chunks)
        return lambda: _write(array if spec is None else array.redistribute(spec), target, temporary, dataset, chunks)
    if chunks is not None and _suffix(target) not in _HDF5:
        raise InvalidArgument(f"chunks are of HDF5 and Zarr files; got a file {target.name}; leave them out")
    return lambda: _write(array, target, temporary, dataset, chunks)


def _write(array: DistArray, target: Path, temporary: Path, dataset: str, chunks: Any) -> None:
    create, write = _writers(target, array, dataset, chunks)
    comm = array.comm
    try:
        _together(comm, lambda: create(temporary) if comm.rank == 0 else None)
        if _suffix(target) in _HDF5:  # one process at a time has it open
            for rank in range(comm.size):
                _together(comm, lambda rank=rank: write(temporary) if comm.rank == rank else None)  # type: ignore[misc]
        else:
            _together(comm, lambda: write(temporary) if array.parts else None)
        _together(comm, lambda: _replace(temporary, target) if comm.rank == 0 else None)
    except IoFailed:
        if comm.rank == 0:
            _remove(temporary)
        raise


@collective
def load(path: str | os.PathLike[str], comm: Any = None, layout: Any = "natural", *,
         dataset: str = "data") -> Run[DistArray]:
    """Collective. Reads what DistArray.save() or another program wrote, each rank the boxes that the layout gives it:
    .npy; .h5 and .hdf5, whose `dataset` is read; .zarr."""
    group, source = as_comm(comm), Path(path)
    if not isinstance(dataset, str):
        raise InvalidArgument(f"the name of a dataset is a text; got {type(dataset).__name__}")
    return lambda: _read(source, group, layout, dataset)


def _read(source: Path, group: Comm, layout: Any, dataset: str) -> DistArray:
    found: list[Any] = []
    _together(group, lambda: found.append(_open(source, dataset)))
    whole = found[0]

    def made() -> DistArray:
        spec = spec_of(layout, len(whole.shape)) or _core.slabs(0)
        return DistArray(group, Layout(spec, whole.shape, group.size), np.dtype(whole.dtype).newbyteorder("="))

    array = collectively(group, "load", made)

    def read() -> None:
        for part, indices in zip(array.parts, global_indices(array.layout, group.rank)):
            part[...] = whole[region(indices)]

    _together(group, read)
    return array


def region(indices: list[Array]) -> tuple[slice, ...]:
    """The slices of these indices, which are equally far apart along each axis."""
    return tuple(
        slice(int(along[0]), int(along[-1]) + 1, int(along[1] - along[0]) if len(along) > 1 else 1)
        for along in indices
    )


def _memory_map(path: Path, mode: str, dtype: Any = None, shape: Any = None) -> Any:
    return np.lib.format.open_memmap(path, mode, dtype, shape)  # type: ignore[no-untyped-call]


def _open(path: Path, dataset: str) -> Any:
    if _suffix(path) in _HDF5:
        whole = _package("h5py").File(path, "r")[dataset]
    elif _suffix(path) in _ZARR:
        whole = _package("zarr").open_array(path, mode="r")
    else:
        whole = _memory_map(path, "r")
    if len(whole.shape) == 0:
        raise ValueError("an array has at least one axis; got a single number")
    return whole


def _writers(target: Path, array: DistArray, dataset: str, chunks: Any) -> tuple[Callable[[Path], None],
                                                                               Callable[[Path], None]]:
    """What makes the file, on one rank, and what writes this rank's part."""
    regions = [region(indices) for indices in global_indices(array.layout, array.comm.rank)]

    def fill(whole: Any) -> None:
        for part, where in zip(array.parts, regions):
            whole[where] = part

    if _suffix(target) in _HDF5:
        h5py = _package("h5py")

        def create(path: Path) -> None:
            with h5py.File(path, "w") as file:
                file.create_dataset(dataset, array.shape, array.dtype, chunks=chunks)

        def write(path: Path) -> None:
            with h5py.File(path, "r+") as file:
                fill(file[dataset])
    elif _suffix(target) in _ZARR:
        zarr = _package("zarr")

        def create(path: Path) -> None:
            _remove(path)
            zarr.create_array(path, shape=array.shape, chunks=chunks, dtype=array.dtype)

        def write(path: Path) -> None:
            fill(zarr.open_array(path, mode="r+"))
    else:

        def create(path: Path) -> None:
            _memory_map(path, "w+", array.dtype, array.shape)
            with open(path, "r+b") as file:  # where there is no room, writing to mapped memory ends the process
                os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)

        def write(path: Path) -> None:
            fill(_memory_map(path, "r+"))

    return create, write


def _whole_chunks(array: DistArray, chunks: Any) -> tuple[tuple[int, ...], LayoutSpec | None]:
    """Chunks, and slabs of whole ones, so that no two ranks write one; None: the array lies so."""
    shape = array.shape
    if chunks is None:
        chunks = (max(1, min(64, -(-shape[0] // array.comm.size))), *(min(64, n) for n in shape[1:]))
    chunks = tuple(whole_numbers("chunks", chunks))
    if len(chunks) != len(shape) or min(chunks) < 1:
        raise InvalidArgument(f"chunks are an extent for each of the {len(shape)} axes; got {chunks}")
    rows = -(-shape[0] // chunks[0])
    spec = _core.slabs(0, -(-rows // array.comm.size) * chunks[0])
    if array.layout.same_owners(Layout(spec, shape, array.comm.size)):
        return chunks, None
    return chunks, spec


def _package(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise IoFailed(f"this kind of file needs the package {name}; pip install {name}") from error


def _replace(temporary: Path, target: Path) -> None:
    if temporary.is_dir() and target.exists():  # a folder takes the place of nothing but an empty one
        old = target.with_name(f".{target.name}.old")
        _remove(old)
        os.replace(target, old)
        os.replace(temporary, target)
        _remove(old)
    else:
        os.replace(temporary, target)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _together(comm: Comm, work: Callable[[], Any]) -> None:
    """Collective. Runs `work`; what fails on one rank is raised on all."""

    def attempt() -> None:
        try:
            work()
        except Exception as error:  # of whatever package reads and writes
            raise IoFailed(f"{type(error).__name__}: {error}") from error

    collectively(comm, "a step of a file", attempt)
