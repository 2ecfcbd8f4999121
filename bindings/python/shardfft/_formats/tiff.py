"""TIFF, ImageJ's and OME's stacks, by tifffile."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import tifffile

from .stored import Array, Grid, Stored, flush, require_type, short_unit

_TYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64")
_IMAGEJ = ("uint8", "uint16", "float32")
_LONG = {"um": "\u00b5m", "angstrom": "\u00c5"}


class Pages:
    """A series of compressed pages, decoded when they are asked for."""

    def __init__(self, series: Any) -> None:
        self.shape, self.dtype, self._series = series.shape, series.dtype, series
        self._pages = len(series.pages)

    def __getitem__(self, where: Any) -> Array:
        where = where if isinstance(where, tuple) else (where,)
        ranges = [range(n)[w] for n, w in zip(self.shape, (*where, *[slice(None)] * (len(self.shape) - len(where))))]
        leading = 0
        while int(np.prod(self.shape[:leading])) < self._pages:
            leading += 1
        result = np.empty([len(r) for r in ranges], self.dtype)
        inner = tuple(slice(r.start, r.stop, r.step) for r in ranges[leading:])
        for place in itertools.product(*(range(len(r)) for r in ranges[:leading])):
            index = np.ravel_multi_index([r[i] for r, i in zip(ranges, place)], self.shape[:leading]) if leading else 0
            page = self._series.pages[int(index)].asarray().reshape(self.shape[leading:])
            result[place] = page[inner]
        return result


def _grid(file: Any, series: Any) -> Grid:
    steps: dict[str, float] = {}
    unit = ""
    if file.is_ome and file.ome_metadata:
        found = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]
        pixels = (found[0] if isinstance(found, list) else found)["Pixels"]
        steps = {axis: float(pixels[key]) for axis in "XYZ" if (key := f"PhysicalSize{axis}") in pixels}
        unit = pixels.get("PhysicalSizeXUnit", "um")
    elif file.is_imagej:
        tags, about = series.keyframe.tags, file.imagej_metadata or {}
        for axis, name in (("X", "XResolution"), ("Y", "YResolution")):
            if name in tags and tags[name].value[0]:
                steps[axis] = tags[name].value[1] / tags[name].value[0]
        steps["Z"] = float(about.get("spacing", 1.0))
        unit = str(about.get("unit", ""))
    along = [axis if axis in "XYZ" else "Z" if axis in "QI" else "" for axis in series.axes]
    if not steps or not all(axis in steps or axis == "" for axis in along):
        return Grid(unit=short_unit(unit))
    return Grid(tuple(steps.get(axis, 1.0) for axis in along), short_unit(unit))


def open_array(path: Path, dataset: str) -> Stored:
    """The first series, at its finest level."""
    file = tifffile.TiffFile(path)
    series = file.series[0]
    grid = _grid(file, series)
    if series.dataoffset is not None and series.keyframe.is_memmappable:
        array: Any = np.memmap(path, np.dtype(series.dtype).newbyteorder(file.byteorder), "r", series.dataoffset,
                               series.shape)
    else:
        array = Pages(series)
    rows = len(series.shape) - len(series.keyframe.shape)
    return Stored(array, grid, file.close, (1,) * rows + tuple(series.shape[rows:]))


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    """Uncompressed, page after page; of a name that ends in .ome.tif with OME's metadata, else ImageJ's where its types
    and sizes allow that."""
    found = require_type("TIFF", dtype, _TYPES)
    axes, steps = "TCZYX"[-len(shape):], dict(zip("TCZYX"[-len(shape):], grid.spacing))
    unit, size = _LONG.get(grid.unit, grid.unit), found.itemsize * int(np.prod(shape, dtype=object))
    options: dict[str, Any] = {"metadata": {"axes": axes}, "bigtiff": size > 2**31, "photometric": "minisblack"}
    if place.path.name.lower().endswith((".ome.tif", ".ome.tiff")):
        options["ome"] = True
        for axis in set("XYZ") & set(steps):
            options["metadata"] |= {f"PhysicalSize{axis}": steps[axis], f"PhysicalSize{axis}Unit": unit or "pixel"}
    elif found.name in _IMAGEJ and size < 2**31:
        options["imagej"] = True
        if steps:
            options["metadata"] |= {"spacing": steps.get("Z", 1.0), "unit": grid.unit or "pixel"}
            options["resolution"] = tuple(1 / steps.get(axis, 1.0) for axis in "XY")
    array = tifffile.memmap(path, shape=shape, dtype=found, **options)
    return Stored(array, grid, flush(array))
