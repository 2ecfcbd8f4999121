"""What calls on arrays outside memory share: how passes are made, what is read and written."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Sequence, TypeVar

import numpy as np

from .. import _core, _formats
from .._comm import Same
from .._core import Comm
from .._errors import InvalidArgument
from .._formats.convert import replacing

T = TypeVar("T")

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def _bytes(memory: int | str | None) -> int:
    if memory is None:
        return 0
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmgt]?i?)b?\s*", str(memory).lower())
    number = float(found[1]) * _UNITS[found[2]] if found and found[2] in _UNITS and found[1].count(".") < 2 else 0
    if number < 1:
        raise InvalidArgument(f"memory is a number of bytes, such as 4000000000 or '4G'; got {memory!r}")
    return int(number)


def how_of(memory: int | str | None, scratch: Any, resume: bool = False, verify: bool = False) -> Any:
    how = _core.OutOfCore()
    how.memory_bytes = _bytes(memory)
    how.scratch = [os.fspath(scratch)] if isinstance(scratch, (str, os.PathLike)) else [os.fspath(s) for s in scratch]
    how.resume, how.verify = bool(resume), bool(verify)
    return how


def _is_path(end: Any) -> bool:
    return isinstance(end, (str, os.PathLike))


def _at_once(how: Any) -> int:
    """Bytes that an object reads or takes in one call: a small part of the memory."""
    return min(max(how.memory_bytes // 32, 1 << 16), 8 << 20) if how.memory_bytes else 8 << 20


def same(run: Callable[[], Any], *words: Any) -> Same[Any]:
    """`run`, of which ranks compare the words; objects may differ."""
    return Same([os.fspath(w) if _is_path(w) else w if isinstance(w, (tuple, list, dict, int, float, type(None)))
                 else "an object" for w in words], run)


def _copier(array: Any, dtype: Any, reads: bool, at_once: int) -> Callable[[Any, Any, Any], str]:
    """Copies a box from or to memory, in slabs along the first axis that has any."""

    def copy(low: Sequence[int], high: Sequence[int], memory: Any) -> str:
        try:
            block = memory.view(dtype).reshape([h - l for l, h in zip(low, high)])
            axis = next((a for a, n in enumerate(block.shape) if n > 1), 0)
            rows = max(1, at_once * block.shape[axis] // max(block.nbytes, 1))
            for first in range(0, block.shape[axis], rows):
                last = min(first + rows, block.shape[axis])
                inside: Any = (slice(None),) * axis + (slice(first, last),)
                where = tuple(slice(l, h) for l, h in zip(low, high))
                where = (*where[:axis], slice(low[axis] + first, low[axis] + last), *where[axis + 1:])
                if reads:
                    block[inside] = array[where]
                else:
                    array[where] = block[inside]
        except BaseException as error:  # of whatever package reads and writes; the transform ends with it
            return f"{type(error).__name__}: {error}"
        return ""

    return copy


class Source:
    """An array to read: its shape and dtype, and what the library takes."""

    def __init__(self, source: Any, dataset: str, how: Any) -> None:
        self.end: Any
        if _is_path(source):
            place = _formats.of_python(source, dataset)
            if place is None:
                self.shape, dtype = _core.info_of_file(_core.local(), os.fspath(source))
                self.dtype, self.end = np.dtype(dtype), os.fspath(source)
                return
            source = _formats.open_array(place)
        if not all(hasattr(source, name) for name in ("shape", "dtype", "__getitem__")):
            raise InvalidArgument(f"a source is a path, or has shape, dtype and slices; got {type(source).__name__}")
        self.shape, self.dtype = tuple(int(n) for n in source.shape), np.dtype(source.dtype)
        self.end = (f"source {type(source).__name__}", self.shape, self.dtype.str,
                    _copier(source, self.dtype, True, _at_once(how)), 2 * _at_once(how))


class Target:
    """A place for the result, which has this `dtype`."""

    def __init__(self, comm: Comm, target: Any, dataset: str, shape: tuple[int, ...], dtype: Any, how: Any) -> None:
        self._place = _formats.of_python(target, dataset) if _is_path(target) else None
        self._shape, self._dtype, self._how = shape, np.dtype(dtype), how
        if self._place and comm.size > 1:
            raise InvalidArgument(f"several ranks write a .npy file, or an array that each has opened; got {target!r} "
                                  f"on {comm.size} ranks; name it so, or give an open array")
        if not self._place:
            self._end = os.fspath(target) if _is_path(target) else _written(target, shape, dtype, how)

    def fill(self, run: Callable[[Any], T], is_right: Callable[[T], bool] = lambda found: True) -> T:
        """What `run` gives, which takes the end of the library. What is not right is not kept."""
        if self._place is None:
            return run(self._end)
        with replacing(self._place, self._shape, self._dtype) as (array, keep):
            found = run(_written(array, self._shape, self._dtype, self._how))
            if is_right(found):
                keep()
            return found


def _written(target: Any, shape: tuple[int, ...], dtype: Any, how: Any) -> Any:
    """What the library takes of an object."""
    if not hasattr(target, "__setitem__") or not hasattr(target, "shape"):
        raise InvalidArgument(f"a target is a path, or has shape and takes slices; got {type(target).__name__}")
    if tuple(target.shape) != shape:
        raise InvalidArgument(f"the result has shape {shape}; got a target of {tuple(target.shape)}")
    return (f"target {type(target).__name__}", list(shape), np.dtype(dtype).str,
            _copier(target, dtype, False, _at_once(how)), 2 * _at_once(how))


def precision_of(dtype: Any) -> Any:
    return np.dtype("f" if dtype.kind == "f" and dtype.itemsize <= 4 or dtype.char == "F" else "d")
