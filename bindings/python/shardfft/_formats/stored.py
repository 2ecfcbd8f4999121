"""What formats have in common: an array that is read and written by slices, with the grid of its points."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from .._errors import InvalidArgument

Array = np.ndarray[Any, Any]


class Grid(NamedTuple):
    """The places of an array's points."""

    spacing: tuple[float, ...] = ()  #: along each axis of the array; empty: not known
    unit: str = ""  #: "um", "mm", "angstrom"; empty: not known
    attributes: dict[str, Any] = {}  #: what else the file said, for files of the same format


class Stored:
    """An array in a file. `array` is what a library gives: it has shape, dtype and slices."""

    def __init__(self, array: Any, grid: Grid = Grid(), close: Callable[[], None] = lambda: None,
                 chunks: Sequence[int] = ()) -> None:
        self._array, self._close = array, close
        self.grid = grid
        self.shape: tuple[int, ...] = tuple(map(int, array.shape))
        self.dtype: np.dtype[Any] = np.dtype(array.dtype)
        self.chunks = tuple(chunks) or (1,) * len(self.shape)  #: parts that are read and written whole

    def __getitem__(self, where: Any) -> Array:
        return np.asarray(self._array[where])

    def __setitem__(self, where: Any, values: Any) -> None:
        self._array[where] = values

    def close(self) -> None:
        self._close()


def require_type(name: str, dtype: Any, known: Sequence[str]) -> np.dtype[Any]:
    """Raises InvalidArgument for a type that is none of the known ones."""
    found = np.dtype(dtype)
    if found.newbyteorder("=").name not in known:
        raise InvalidArgument(f"{name} files hold {', '.join(known)}; got {found.name}; convert it, as with --to "
                              f"{'complex64' if found.kind == 'c' and 'complex64' in known else 'float32'}")
    return found


def flush(mapped: Any) -> Callable[[], None]:
    """What closes an array in mapped memory."""
    return lambda: mapped.flush() if hasattr(mapped, "flush") else None


def short_unit(unit: str) -> str:
    """"um" for "micrometer", "micron" and so on."""
    names = {"um": "micrometer micrometre micron microns \u00b5m \u03bcm \\u00b5m", "nm": "nanometer nanometre",
             "mm": "millimeter millimetre", "m": "meter metre", "angstrom": "\u00e5 a", "": "pixel px pixels unknown"}
    small = unit.strip().lower()
    return next((short for short, long in names.items() if small in long.split()), small)
