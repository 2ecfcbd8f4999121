"""Distributed arrays in files: .npy, HDF5 (h5py) and Zarr (zarr). A file appears whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import warnings
from pathlib import Path
from typing import Any, Callable, Protocol

import numpy as np

from . import _core
from ._comm import Run, collectively
from ._core import Comm, Layout, LayoutSpec
from ._errors import InvalidArgument, IoFailed
from ._given import whole_numbers
from ._layouts import Array, global_indices

_HDF5, _ZARR = (".h5", ".hdf5"), (".zarr",)
_OTHERS = (".npz .n5 .nc .nc4 .cdf .mat .hdf .he5 .h5m .nxs .csv .tsv .txt .json .yaml .tif .tiff .png .jpg .jpeg .raw "
           ".bin .mrc .nii .nrrd .fits .fit .vtk .vti .vtr .xmf .xdmf .bp .grib .pkl .pickle .pt .safetensors .parquet "
           ".gz .zip").split()


class Distributed(Protocol):
    """What files need of a DistArray."""

    comm: Comm
    layout: Layout
    dtype: np.dtype[Any]
    parts: list[Array]

    @property
    def shape(self) -> tuple[int, ...]: ...
    def redistribute(self, layout: Any) -> Distributed: ...


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def save(array: Distributed, path: str | os.PathLike[str], dataset: str, chunks: Any) -> Run[None]:
    """DistArray.save(), what is left to do when all ranks have agreed."""
    target = Path(os.path.realpath(path))  # what a link names is replaced, not the link
    if _suffix(target) in _OTHERS:
        raise InvalidArgument(f"an array is written as .npy, .h5, .hdf5 or .zarr; got a file {target.name}; name it "
                              "so, and convert it afterwards")
    if _suffix(target) in _ZARR:
        chunks, spec = _whole_chunks(array, chunks)
        return lambda: _write(array if spec is None else array.redistribute(spec), target, dataset, chunks)
    if chunks is not None and _suffix(target) not in _HDF5:
        raise InvalidArgument(f"chunks are of HDF5 and Zarr files; got a file {target.name}; leave them out")
    return lambda: _write(array, target, dataset, chunks)


def _write(array: Distributed, target: Path, dataset: str, chunks: Any) -> None:
    create, write = _writers(target, array, dataset, chunks)
    comm = array.comm
    temporary = target.with_name(os.fsdecode(comm.broadcast(os.fsencode(_name_beside(target, "partial")))))
    try:
        _together(comm, lambda: _tell_begun(target) if comm.rank == 0 else None)
        _together(comm, lambda: create(temporary) if comm.rank == 0 else None)
        if _suffix(target) in _HDF5:  # one process at a time has it open
            for rank in range(comm.size):
                _together(comm, lambda rank=rank: write(temporary) if comm.rank == rank else None)  # type: ignore[misc]
        else:
            _together(comm, lambda: write(temporary) if array.parts else None)
        # Ranks of other nodes have pages of a file of their own; a folder holds one file for each chunk.
        _together(comm, lambda: _to_disk(temporary) if comm.rank == 0 or temporary.is_file() else None)
        _together(comm, lambda: _replace(temporary, target) if comm.rank == 0 else None)
    except BaseException:  # also Ctrl-C
        if comm.rank == 0:
            _remove(temporary)
        raise


def opened(comm: Comm, path: Path, dataset: str) -> Any:
    """Collective. The whole array, of which nothing is read yet."""
    found: list[Any] = []
    _together(comm, lambda: found.append(_open(path, dataset)))
    return found[0]


def read(whole: Any, array: Distributed) -> None:
    """Collective. Reads each rank's part."""

    def of_this_rank() -> None:
        for part, indices in zip(array.parts, global_indices(array.layout, array.comm.rank)):
            part[...] = whole[region(indices)]

    _together(array.comm, of_this_rank)


def region(indices: list[Array]) -> tuple[slice, ...]:
    """The slices of these indices, which are equally far apart along each axis."""
    return tuple(
        slice(int(along[0]), int(along[-1]) + 1, int(along[1] - along[0]) if len(along) > 1 else 1)
        for along in indices
    )


def _name_beside(target: Path, word: str) -> str:
    """A name that nobody has or can know, no longer than names may be; the program calls its files so, too."""
    ending = f".{word}-{secrets.token_hex(8)}"
    return os.fsdecode(os.fsencode(target.name)[:255 - len(ending)]) + ending


def _tell_begun(target: Path) -> None:
    """Warns of what killed runs have left beside a file."""
    stem = _name_beside(target, "partial")[:-16]
    begun = [p.name for p in target.parent.iterdir() if re.fullmatch(re.escape(stem) + "[0-9a-f]{16}", p.name)]
    if begun:
        more = f" (and {len(begun) - 1} more)" if len(begun) > 1 else ""
        warnings.warn(f"{target.parent / min(begun)}{more} is left of a run that was killed, unless another run is "
                      f"writing {target.name} now; remove it", stacklevel=2)


def _is_hdf5(path: Path) -> bool:
    """Of any name, as netCDF-4 and MATLAB 7.3, which has a block of its own before."""
    with open(path, "rb") as file:
        first = file.read(520)
    return b"\x89HDF\r\n\x1a\n" in (first[:8], first[512:])


def _memory_map(path: Path, mode: str, dtype: Any = None, shape: Any = None) -> Any:
    return np.lib.format.open_memmap(path, mode, dtype, shape)  # type: ignore[no-untyped-call]


def _open(path: Path, dataset: str) -> Any:
    if _suffix(path) in _ZARR:
        whole = _package("zarr").open_array(path, mode="r")
    elif _suffix(path) in _HDF5 or _is_hdf5(path):
        whole = _package("h5py").File(path, "r")[dataset]
    else:
        whole = _memory_map(path, "r")
    if len(whole.shape) == 0:
        raise ValueError("an array has at least one axis; got a single number")
    return whole


def _writers(target: Path, array: Distributed, dataset: str, chunks: Any) -> tuple[Callable[[Path], None],
                                                                               Callable[[Path], None]]:
    """What makes the file, on one rank, and what writes this rank's part."""
    regions = [region(indices) for indices in global_indices(array.layout, array.comm.rank)]

    def fill(whole: Any) -> None:
        for part, where in zip(array.parts, regions):
            whole[where] = part

    if _suffix(target) in _HDF5:
        h5py = _package("h5py")

        def create(path: Path) -> None:
            with h5py.File(path, "x") as file:
                file.create_dataset(dataset, array.shape, array.dtype, chunks=chunks)

        def write(path: Path) -> None:
            with h5py.File(path, "r+") as file:
                fill(file[dataset])
    elif _suffix(target) in _ZARR:
        zarr = _package("zarr")

        def create(path: Path) -> None:
            path.mkdir()
            zarr.create_array(path, shape=array.shape, chunks=chunks, dtype=array.dtype)

        def write(path: Path) -> None:
            fill(zarr.open_array(path, mode="r+"))
    else:

        def create(path: Path) -> None:
            open(path, "xb").close()
            _memory_map(path, "w+", array.dtype, array.shape)
            with open(path, "r+b") as file:  # where there is no room, writing to mapped memory ends the process
                os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)

        def write(path: Path) -> None:
            fill(_memory_map(path, "r+"))

    return create, write


def _whole_chunks(array: Distributed, chunks: Any) -> tuple[tuple[int, ...], LayoutSpec | None]:
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


def _to_disk(path: Path) -> None:
    """Waits until a file, or a folder with all that is in it, is on the disk."""
    if path.is_dir():
        for inside in path.iterdir():
            _to_disk(inside)
    _sync(path)


def _sync(path: Path) -> None:
    opened_path = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened_path)
    except OSError as error:  # file systems without such a step for folders
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(opened_path)


def _replace(temporary: Path, target: Path) -> None:
    if temporary.is_dir() and target.exists():  # a folder takes the place of nothing but an empty one
        old = target.with_name(_name_beside(target, "partial"))
        os.replace(target, old)
        os.replace(temporary, target)
        _sync(target.parent)
        _remove(old)
    else:
        os.replace(temporary, target)
        _sync(target.parent)


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
