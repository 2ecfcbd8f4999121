"""MRC and CCP4 maps, by mrcfile."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mrcfile

from .stored import Grid, Stored, require_type

_MODES = {"int8": 0, "int16": 1, "float32": 2, "complex64": 4, "uint16": 6, "float16": 12}


def open_array(path: Path, dataset: str) -> Stored:
    """Axes are put into the order z, y, x, whatever the header's mapc, mapr and maps are."""
    file = mrcfile.mmap(path, "r")
    header, array = file.header, file.data
    size = file.voxel_size
    spacing = (float(size.z), float(size.y), float(size.x))
    along = [int(header.maps), int(header.mapr), int(header.mapc)]
    if array.ndim == 3 and sorted(along) == [1, 2, 3]:
        array = array.transpose([along.index(axis) for axis in (3, 2, 1)])
    known = all(step > 0 for step in spacing)
    grid = Grid((1.0,) * (array.ndim - 3) + spacing[-array.ndim:] if known else (), "angstrom" if known else "")
    return Stored(array, grid, file.close)


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    found = require_type("MRC", dtype, tuple(_MODES))
    if not 2 <= len(shape) <= 4:
        raise ValueError(f"an MRC file has 2 to 4 axes; got {len(shape)}")
    file = mrcfile.new_mmap(path, shape, _MODES[found.name])
    if len(grid.spacing) >= 2:
        file.voxel_size = tuple(reversed(grid.spacing[-3:])) + (1.0,) * max(0, 3 - len(grid.spacing))

    def close() -> None:
        file.reset_header_stats()  # says that least, largest and mean are not known
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file.close()

    return Stored(file.data, grid, close)
