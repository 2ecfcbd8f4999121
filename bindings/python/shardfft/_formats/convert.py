"""Arrays from one format into another, part by part; and the command `python -m shardfft convert`."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from .. import _files
from .._errors import InvalidArgument, IoFailed
from . import FORMATS, Grid, Place, Stored, create, open_array, place_of
from .stored import Array, short_unit

_MOST_BYTES = 64 << 20  # of a part


def parts(shape: Sequence[int], chunks: Sequence[int], itemsize: int, most: int = _MOST_BYTES) -> Iterator[Any]:
    """Slices that cover an array: whole chunks along each axis, as many as `most` bytes hold, the last axes first."""
    extents = [min(c, n) for c, n in zip(chunks, shape)]
    for axis in reversed(range(len(shape))):
        others = itemsize * int(np.prod(extents[:axis] + extents[axis + 1:], dtype=object))
        fit = max(most // max(others, 1) // extents[axis], 1) * extents[axis] if extents[axis] else 0
        extents[axis] = min(shape[axis], fit)
        if extents[axis] < shape[axis]:
            break
    if 0 in shape:
        return
    starts = (range(0, n, extent) for n, extent in zip(shape, extents))
    for place in itertools.product(*starts):
        yield tuple(slice(begin, min(begin + e, n)) for begin, e, n in zip(place, extents, shape))


def as_type(values: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers of another type; whole numbers are the nearest ones, at most the largest of their type."""
    if values.dtype == dtype:
        return values
    if values.dtype.kind == "c" and dtype.kind != "c":
        raise InvalidArgument(f"complex numbers stay complex; got {dtype.name} to convert to; use complex64")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = np.clip(np.rint(values) if values.dtype.kind == "f" else values, info.min, info.max)
    return values.astype(dtype)


def _stamp(path: Path) -> tuple[int, ...]:
    found = os.stat(path)
    return () if path.is_dir() else (found.st_ino, found.st_size, found.st_mtime_ns)


def copy(source: Stored, target: Stored) -> None:
    """All elements. One part is read while the one before is written."""
    chunks = tuple(max(a, b) for a, b in zip(source.chunks, target.chunks))
    with ThreadPoolExecutor(1) as reader:
        ahead: list[Any] = []
        for where in parts(source.shape, chunks, max(source.dtype.itemsize, target.dtype.itemsize)):
            ahead.append((where, reader.submit(source.__getitem__, where)))
            if len(ahead) == 2:
                _write(target, *ahead.pop(0))
        for left in ahead:
            _write(target, *left)


def _write(target: Stored, where: Any, values: Any) -> None:
    target[where] = as_type(values.result(), target.dtype)


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str], *, to: Any = None,
            spacing: Sequence[float] | None = None, unit: str = "", **raw: Any) -> None:
    """Writes the array of one file into another of any format; the new file appears whole or not at all.

    to       type of its elements; None: those of the source
    spacing  of its points along each axis, in `unit`; None: what the source says
    raw      dtype, shape, order and offset of a raw source

    Raises InvalidArgument for types that the target's format lacks, IoFailed for files."""
    origin, goal = place_of(source), place_of(target)
    if origin.path.resolve() == goal.path.resolve():
        raise InvalidArgument(f"a file is converted into another one; got {origin.path} for both; name another target")
    before = _trouble(origin.path, lambda: _stamp(origin.path))
    opened = open_array(origin, **raw)
    try:
        if spacing is not None and len(spacing) != len(opened.shape):
            raise InvalidArgument(f"spacing is a number for each of {len(opened.shape)} axes; got {len(spacing)}")
        grid = opened.grid if spacing is None else Grid(tuple(map(float, spacing)), unit)
        if goal.format != origin.format and goal.format.name != "HDF5":
            grid = grid._replace(attributes={})
        dtype = np.dtype(to if to is not None else opened.dtype).newbyteorder("=")

        def check() -> None:
            if _stamp(origin.path) != before:
                raise IoFailed(f"{origin.path} must stay as it is while it is read; it has changed; run it again")

        with replacing(goal, opened.shape, dtype, grid) as (made, keep):
            _trouble(goal.path, lambda: copy(opened, made))
            check()
            keep()
    finally:
        opened.close()


@contextlib.contextmanager
def replacing(goal: Place, shape: tuple[int, ...], dtype: np.dtype[Any], grid: Grid = Grid()
              ) -> Iterator[tuple[Stored, Callable[[], None]]]:
    """This rank alone: an array for slices, under a name that nobody has; it becomes `goal` if keep() was called."""
    target = Path(os.path.realpath(goal.path))
    temporary = target.with_name(_files._name_beside(target, "partial"))
    kept: list[bool] = []
    try:
        _files._tell_begun(target)
        made = create(goal, temporary, shape, dtype, grid)
        yield made, lambda: kept.append(True)
        _trouble(goal.path, made.close)
        if kept:
            _trouble(goal.path, lambda: _files._to_disk(temporary))
            _files._replace(temporary, target)
    finally:
        _files._remove(temporary)


def _trouble(path: Path, work: Any) -> Any:
    try:
        return work()
    except (InvalidArgument, IoFailed):
        raise
    except Exception as error:  # of whatever package reads and writes
        raise IoFailed(f"{path} cannot be read or written: {type(error).__name__}: {error}") from error


def _extents(words: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]+(x[0-9]+)*", words):
        raise InvalidArgument(f"a shape is extents such as 100x200x300; got {words!r}")
    return tuple(map(int, words.split("x")))


def spacing_of(words: str) -> tuple[tuple[float, ...], str]:
    """"2,0.5,0.5um": steps along each axis, with a unit or none."""
    found = re.fullmatch(r"([0-9.eE,+-]+?)\s*([a-zA-Z\u00b5\u00c5]*)", words)
    try:
        steps = tuple(map(float, found[1].split(","))) if found else ()
    except ValueError:
        steps = ()
    if found is None or not steps or min(steps) <= 0:
        raise InvalidArgument(f"spacing is positive numbers and a unit, such as 2,0.5,0.5um; got {words!r}")
    return steps, short_unit(found[2])


class _Parser(argparse.ArgumentParser):

    def error(self, message: str) -> Any:
        raise InvalidArgument(f"{message}; see python -m shardfft convert --help")


def main(words: Sequence[str]) -> None:
    endings = " ".join(ending for f in FORMATS for ending in f.endings)
    parser = _Parser("python -m shardfft convert", description="Writes the array of one file into another.",
                     epilog=f"Endings: {endings}. A dataset: file.h5:/group/data, file.zarr:/0.")
    parser.add_argument("IN")
    parser.add_argument("OUT", help="appears whole or not at all; replaced if it exists")
    parser.add_argument("--to", metavar="TYPE", help="type of OUT's elements (default: as in IN)")
    parser.add_argument("--spacing", help="of the points, such as 2,0.5,0.5um (default: what IN says)")
    parser.add_argument("--dtype", help="of a raw IN, such as float32 or >f4")
    parser.add_argument("--shape", help="of a raw IN, such as 100x200x300, the fastest axis last")
    parser.add_argument("--order", default="C", help="of a raw IN: C or F")
    parser.add_argument("--offset", type=int, default=0, help="of a raw IN: bytes before the first element")
    given = parser.parse_args(words)
    steps, unit = spacing_of(given.spacing) if given.spacing else (None, "")
    convert(given.IN, given.OUT, to=_type(given.to), spacing=steps, unit=unit, dtype=_type(given.dtype),
            shape=_extents(given.shape) if given.shape else None, order=given.order, offset=given.offset)


def _type(words: str | None) -> Any:
    try:
        found = None if words is None else np.dtype(words)
    except TypeError:
        found = np.dtype(object)
    if found is not None and found.kind not in "iufc":
        raise InvalidArgument(f"a type is one of NumPy's for numbers, such as float32 or >i2; got {words!r}")
    return found


def run(words: Sequence[str]) -> int:
    """main() with the program's exit status: 2, and one line, for what cannot be done."""
    try:
        main(words)
    except (InvalidArgument, IoFailed) as error:
        print(f"shardfft: {error}", file=sys.stderr)
        return 2
    return 0
