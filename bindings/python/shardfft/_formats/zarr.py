"""Zarr of versions 2 and 3, and OME-Zarr, by zarr-python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import zarr

from .stored import Grid, Stored, short_unit

_LONG = {"um": "micrometer", "nm": "nanometer", "mm": "millimeter", "angstrom": "angstrom", "m": "meter"}


def _images(group: Any) -> Any:
    """What OME says of a group: of version 0.5 or 0.4."""
    attributes = dict(group.attrs)
    return (attributes.get("ome", attributes)).get("multiscales")


def open_array(path: Path, dataset: str) -> Stored:
    """An array, or the finest one of an OME image."""
    found = zarr.open(path, mode="r", path=dataset or None)
    if isinstance(found, zarr.Array):
        attributes = dict(found.attrs)
        spacing = attributes.get("spacing", ())
        known = isinstance(spacing, (list, tuple)) and len(spacing) == found.ndim
        unit = short_unit(str(attributes.get("units", "")))
        grid = Grid(tuple(map(float, spacing)) if known else (), unit, attributes)
        return Stored(found, grid, chunks=found.chunks)
    if not (images := _images(found)):
        names = ", ".join(sorted(found.array_keys())) or "none"
        raise ValueError(f"an array must be named, as {path}:/0; it has {names}")
    finest = images[0]["datasets"][0]
    array = found[finest["path"]]
    scale = next((t["scale"] for t in finest.get("coordinateTransformations", ()) if t["type"] == "scale"), ())
    units = [axis.get("unit", "") for axis in images[0].get("axes", ()) if axis.get("type") == "space"]
    return Stored(array, Grid(tuple(map(float, scale)), short_unit(units[0] if units else "")), chunks=array.chunks)


def _chunks(shape: tuple[int, ...], itemsize: int, most: int = 32 << 20) -> tuple[int, ...]:
    """Even halves of the longest extents, until a chunk has 32 MiB."""
    chunk = list(shape)
    while itemsize * _product(chunk) > most:
        longest = chunk.index(max(chunk))
        chunk[longest] = -(-chunk[longest] // 2)
    return tuple(chunk)


def _product(extents: list[int]) -> int:
    result = 1
    for n in extents:
        result *= n
    return result


def create(place: Any, path: Path, shape: tuple[int, ...], dtype: Any, grid: Grid) -> Stored:
    """A plain array; of a name that ends in .ome.zarr an image of OME-Zarr 0.5 with one scale."""
    chunks = _chunks(shape, dtype.itemsize)
    if not place.path.name.lower().endswith(".ome.zarr"):
        attributes: dict[str, Any] = {"spacing": list(grid.spacing), "units": grid.unit} if grid.spacing else {}
        array = zarr.create_array(path, name=place.dataset or None, shape=shape, chunks=chunks, dtype=dtype,
                                  compressors=None, attributes=attributes)
        return Stored(array, grid, chunks=chunks)
    names = "tczyx"[-len(shape):]
    kinds = {"t": "time", "c": "channel"}
    axes = [{"name": n, "type": kinds.get(n, "space"),
             **({"unit": _LONG.get(grid.unit, grid.unit)} if grid.unit and n not in kinds else {})} for n in names]
    scale = {"type": "scale", "scale": list(grid.spacing or (1.0,) * len(shape))}
    group = zarr.create_group(path, attributes={"ome": {"version": "0.5", "multiscales": [
        {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [scale]}]}]}})
    array = group.create_array("0", shape=shape, chunks=chunks, dtype=dtype, compressors=None,
                               dimension_names=list(names))
    return Stored(array, grid, chunks=chunks)
