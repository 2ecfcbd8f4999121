"""What a plan does beside forward and backward: operators between them, and adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._arrays import DistArray
from .._comm import Run, Same, collective
from .._core import Layout
from .._errors import InvalidArgument
from .._given import real_number
from .._layouts import global_indices
from .memory import APPLIED, MIDDLE, PlanMemory
from .operators import called, is_function, ready


def is_forward(direction: str) -> bool:
    if not isinstance(direction, str) or direction not in ("forward", "backward"):
        raise InvalidArgument(f"direction is 'forward' or 'backward'; got {direction!r}")
    return direction == "forward"


class Applies(PlanMemory):
    """Plans that were told apply="to_outputs" or "to_inputs"."""

    _applies: str

    @property
    def middle(self) -> Layout:
        """Layout in which operators see elements, and arrays of factors lie."""
        return _core.middle(self._plan)

    @property
    def applied(self) -> Layout:
        """Layout of what apply() returns: that of its input, with components_out elements along axis 0."""
        return _core.applied(self._plan)

    def make_middle(self, dtype: Any = None) -> DistArray:
        """An array in the middle layout, zero; of the type that operators see, or of real factors."""
        made = self._made(MIDDLE)
        return made if dtype is None else made.empty_like(dtype)

    def make_applied(self) -> DistArray:
        """An array for apply()'s output, zero."""
        return self._made(APPLIED)

    def frequencies(self) -> Any:
        """Of each element of the middle layout along each axis, as an open mesh: ... -2, -1, 0, 1, 2 ... of modes, of
        points their place, from 0 to 1. A list of meshes where this rank owns several boxes."""
        waves: list[Any] = [_core.wave(self._plan, axis) for axis in range(len(self.shape))]
        meshes = [np.ix_(*(wave[at] for wave, at in zip(waves, indices)))
                  for indices in global_indices(self.middle, self.comm.rank)]
        if not meshes:
            return np.ix_(*(np.empty(0) for _ in self.shape))
        return meshes[0] if len(meshes) == 1 else meshes

    @collective
    def apply(self, input: Any, operator: Any, output: Any = None) -> Run[Any]:
        """Collective. backward(operator(forward(input))) in fewer passes and exchanges; of plans with
        apply="to_outputs".

        output    None: a new array, or with in_place=True one in the memory of `input`, if that has room for it
        operator  one of shardfft.spectral; an array of factors in the middle layout, real or complex; a function of
                  Modes, called under Python's lock, that changes modes.values or returns new ones; or a C function
                  (ctypes, numba's cfunc, an address), see c_operator
        """
        return self._apply("to_outputs", input, operator, output)

    @collective
    def apply_physical(self, input: Any, operator: Any, output: Any = None) -> Run[Any]:
        """Collective. The same from the other side: forward(operator(backward(input))), where the operator sees points;
        of plans with apply="to_inputs"."""
        return self._apply("to_inputs", input, operator, output)

    def _apply(self, side: str, source: Any, operator: Any, target: Any) -> Run[Any]:
        if self._applies != side:
            raise InvalidArgument(
                f"this call is of plans with apply={side!r}; got a plan with {self._applies!r}; say it where it is made"
            )
        if target is None:
            target = self._applied_in_place(source)
            target = self._made(APPLIED) if target is None else target
        arrays = self._memory(source, 0 if side == "to_outputs" else 1), self._written(target, APPLIED)
        run: Any
        run, words, function = ((_core.apply_function, "a function of Python", called(operator))
                                if is_function(operator) else (_core.apply, "an operator", ready(self, operator)))

        def apply() -> Any:
            run(self._plan, side == "to_inputs", *arrays, function)
            return target

        return Same(words, apply)

    def _applied_in_place(self, source: Any) -> DistArray | None:
        """The result of a plan in place, in the memory of `source` if that has room for it."""
        room = self.applied.count(self.comm.rank) * self._dtype(APPLIED).itemsize
        if not self._in_place or not isinstance(source, DistArray) or source.memory.nbytes < room:
            return None
        return DistArray(self.comm, self.applied, self._dtype(APPLIED), source.memory)

    @collective
    def adjoint(self, input: Any, output: Any = None, *, of: str = "forward", factor: float = 1.0) -> Run[Any]:
        """Collective. The adjoint of a run in direction `of` with this factor: <forward(x), y> = <x, adjoint(y)>, where
        the product is the real part of the sum of conj(a) b over stored elements."""
        source, target, result = self._ends(not is_forward(of), input, output)
        by = real_number("factor", factor)

        def run() -> Any:
            _core.adjoint(self._plan, is_forward(of), source, target, by)
            return result

        return Same((of, by), run)

    def _layout(self, side: int) -> Layout:
        if side < MIDDLE:
            return super()._layout(side)
        return self.middle if side == MIDDLE else self.applied

    def _dtype(self, side: int) -> np.dtype[Any]:
        if side == MIDDLE:
            return (self._complex if _core.middle_is_complex(self._plan) else self._real)
        return self._dtypes[self._end(side)]

    def _buffer(self, side: int) -> Any:
        if side < MIDDLE:
            return super()._buffer(side)
        return _core.make_middle(self._plan) if side == MIDDLE else _core.make_applied(self._plan)

    def _is_placed(self, side: int) -> bool:
        return side != MIDDLE and self._placed[self._end(side)]

    def _is_padded(self, side: int) -> bool:
        return side != MIDDLE and self._padded[self._end(side)]

    def _end(self, side: int) -> int:
        """Where arrays of apply() lie: at forward's input, or at its output."""
        if side != APPLIED:
            return side
        return 1 if self._applies == "to_inputs" else 0
