"""HDF5 files, and what is built on them, by h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .._errors import IoFailed
from .stored import Grid, Stored, short_unit


def _datasets(file: Any) -> list[str]:
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) and item.ndim > 0 else None)
    return found


def _grid(dataset: Any) -> Grid:
    attributes = dict(dataset.attrs)
    size = attributes.get("element_size_um")
    if size is not None and np.shape(size) == (dataset.ndim,):
        return Grid(tuple(map(float, size)), "um", attributes)
    spacing = attributes.get("spacing")
    if spacing is not None and np.shape(spacing) == (dataset.ndim,):
        return Grid(tuple(map(float, spacing)), short_unit(str(attributes.get("units", ""))), attributes)
    return Grid(attributes=attributes)


def open_array(path: Path, dataset: str) -> Stored:
    """Without a name: "data", or the only one."""
    file = h5py.File(path, "r")
    if not dataset:
        names = _datasets(file)
        if "data" not in names and len(names) != 1:
            raise IoFailed(f"one dataset of {path} must be named, as {path}:/{names[0] if names else 'data'}; it has "
                           f"{', '.join('/' + name for name in names[:9]) or 'none'}")
        dataset = "data" if "data" in names else names[0]
    found = file[dataset]
    return Stored(found, _grid(found), file.close, found.chunks or ())


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    file = h5py.File(path, "x")
    dataset = file.create_dataset(place.dataset or "data", shape, dtype)
    for name, value in grid.attributes.items():
        dataset.attrs[name] = value
    if grid.spacing and "element_size_um" not in grid.attributes:
        dataset.attrs["spacing"] = grid.spacing
        dataset.attrs["units"] = grid.unit
    return Stored(dataset, grid, file.close)
