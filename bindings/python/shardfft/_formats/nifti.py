"""NIfTI images, by nibabel, whose arrays are (x, y, z, ...): here their axes are reversed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nibabel
import numpy as np

from .._errors import InvalidArgument
from .stored import Array, Grid, Stored, flush, require_type

_TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64", "complex64",
          "complex128")
_UNITS = {"m": "meter", "mm": "mm", "um": "micron"}


class Scaled:
    """Values as the header scales them, in single precision unless the file has doubles."""

    def __init__(self, proxy: Any) -> None:
        self._proxy = proxy
        scaled = (proxy.slope, proxy.inter) != (1, 0)
        kind = np.dtype(proxy.dtype)
        self.shape = tuple(reversed(proxy.shape))
        self.dtype = np.dtype(np.float64 if kind == np.float64 else np.float32) if scaled else kind.newbyteorder("=")

    def __getitem__(self, where: Any) -> Array:
        where = where if isinstance(where, tuple) else (where,)
        where = (*where, *[slice(None)] * (len(self.shape) - len(where)))
        return np.asarray(self._proxy[tuple(reversed(where))]).transpose().astype(self.dtype, copy=False)


def open_array(path: Path, dataset: str) -> Stored:
    image: Any = nibabel.load(path)
    header, dims = image.header, len(image.shape)
    spacing = tuple(float(step) for step in reversed(header.get_zooms()[:dims]))
    unit = next((short for short, long in _UNITS.items() if long == header.get_xyzt_units()[0]), "mm")  # as is usual
    attributes = {"affine": image.affine}
    known = all(step > 0 for step in spacing)
    return Stored(Scaled(image.dataobj), Grid(spacing if known else (), unit, attributes))


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    if place.path.name.lower().endswith(".gz"):
        raise InvalidArgument(f"NIfTI is written uncompressed, as .nii; got {place.path.name}; compress it afterwards")
    found = require_type("NIfTI", dtype, _TYPES)
    large = max(shape) > 32767
    header: Any = (nibabel.Nifti2Header if large else nibabel.Nifti1Header)()
    header.set_data_dtype(found)
    header.set_data_shape(tuple(reversed(shape)))
    if grid.spacing:
        header.set_zooms(tuple(reversed(grid.spacing)))
    if grid.unit in _UNITS:
        header.set_xyzt_units(_UNITS[grid.unit])
    if "affine" in grid.attributes:
        header.set_sform(grid.attributes["affine"], code="scanner")
    header.set_slope_inter(1, 0)
    header["magic"] = b"n+2" if large else b"n+1"
    start = int(header.single_vox_offset)
    header.set_data_offset(start)
    with open(path, "xb") as file:
        file.write(header.binaryblock + bytes(start - len(header.binaryblock)))
        os.posix_fallocate(file.fileno(), 0, start + found.itemsize * int(np.prod(shape, dtype=object)))
    array = np.memmap(path, found, "r+", start, shape)  # x is fastest in the file, as here
    return Stored(array, grid, flush(array))
