"""Arrays in files of other programs, each read and written by that format's own library. Axes are always (..., z, y,
x), the fastest one last. Files are read and written in parts, so they may be larger than memory."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence

from .._errors import InvalidArgument, IoFailed
from .stored import Grid, Stored

__all__ = ["Format", "Grid", "Place", "Stored", "create", "format_of", "of_python", "open_array", "place_of"]


class Format(NamedTuple):
    """How files of some names are read and written: by a module of this package, with a package from PyPI."""

    name: str
    endings: tuple[str, ...]
    module: str
    package: str


FORMATS = (
    Format("NumPy", (".npy",), "flat", "numpy"),
    Format("raw", (".raw", ".bin", ".dat"), "flat", "numpy"),
    Format("HDF5", (".h5", ".hdf5", ".nc", ".nc4", ".nxs"), "hdf5", "h5py"),
    Format("Zarr", (".zarr",), "zarr", "zarr"),
    Format("TIFF", (".tif", ".tiff"), "tiff", "tifffile"),
    Format("MRC", (".mrc", ".mrcs", ".map", ".ccp4", ".rec"), "mrc", "mrcfile"),
    Format("NIfTI", (".nii", ".nii.gz"), "nifti", "nibabel"),
)


class Place(NamedTuple):
    """A file, and the array in it: "f.h5:/group/data", "f.zarr:/0"."""

    path: Path
    dataset: str
    format: Format


def format_of(name: str) -> Format | None:
    """The format that a file name's ending says, in letters of either case."""
    return next((f for f in FORMATS if name.lower().rstrip("/").endswith(f.endings)), None)


def place_of(words: str | os.PathLike[str]) -> Place:
    """Raises InvalidArgument for names of no known format."""
    name = os.fspath(words)
    file, colon, dataset = name.rpartition(":")
    if colon and (found := format_of(file)) is not None and found.module in ("hdf5", "zarr"):
        return Place(Path(file), dataset.strip("/"), found)
    if (found := format_of(name)) is None:
        endings = " ".join(ending for f in FORMATS for ending in f.endings)
        raise InvalidArgument(f"a file's ending says its format, one of {endings}; got {name!r}; rename it")
    return Place(Path(name), "", found)


def of_python(words: str | os.PathLike[str], dataset: str) -> Place | None:
    """A place that a package of Python reads and writes; None: the library does, if anything. `dataset`: where the name
    has none; "data" stands for the usual one."""
    try:
        found = place_of(words)
    except InvalidArgument:
        return None
    if found.format.name in ("NumPy", "raw"):
        return None
    return found if found.dataset or dataset == "data" else found._replace(dataset=dataset)


def _module(found: Format) -> Any:
    try:
        importlib.import_module(found.package)
    except ImportError as error:
        raise IoFailed(f"{found.name} files need the package {found.package}; pip install {found.package}") from error
    return importlib.import_module("." + found.module, __name__)


def _attempt(path: Path, work: Callable[[], Stored]) -> Stored:
    try:
        return work()
    except (InvalidArgument, IoFailed):
        raise
    except Exception as error:  # of whatever package reads and writes
        raise IoFailed(f"{path} must be a file that its package understands; got {type(error).__name__}: {error}; "
                       "check the file") from error


def open_array(place: Place, *, dtype: Any = None, shape: Sequence[int] | None = None, order: str = "C",
               offset: int = 0) -> Stored:
    """The array of a file, of which nothing is read yet. `dtype`, `shape`, `order` and `offset` (bytes) describe a raw
    file, and nothing else. Raises IoFailed for files that cannot be read, or without their package."""
    described = dtype is not None or shape is not None or order != "C" or offset != 0
    if place.format.name == "raw":
        if dtype is None or shape is None:
            raise InvalidArgument(f"a raw file is described by its type and shape; got not both for {place.path}; give "
                                  "--dtype float32 --shape 100x200x300")
        from . import flat
        return _attempt(place.path, lambda: flat.open_raw(place.path, dtype, tuple(shape), order, offset))
    if described:
        raise InvalidArgument(f"type, shape, order and offset describe raw files; {place.path} says its own; leave "
                              "them out")
    module = _module(place.format)
    opened = _attempt(place.path, lambda: module.open_array(place.path, place.dataset))
    if len(opened.shape) == 0:
        raise IoFailed(f"an array has at least one axis; got a single number in {place.path}")
    return opened


def create(place: Place, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    """A new file at `path`, in the format and with the names of `place`; it is whole after close(). Raises
    InvalidArgument for types that the format lacks."""
    module = _module(place.format)
    return _attempt(place.path, lambda: module.create(place, path, shape, dtype, grid))
