"""Plans: transforms of arrays that lie on the ranks of a group."""

from __future__ import annotations

import html
import json
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from .. import _core
from .._comm import AgreesItself, Run, Same, as_comm, collective, next_number
from .._given import real_number, whole_numbers
from .apply import Applies, is_forward
from .request import request_of

Array = np.ndarray[Any, Any]


class Verdict(NamedTuple):
    """What verify() found: the relative L2 error, estimated by random probes, and what it must not exceed."""

    error: float
    bound: float

    @property
    def ok(self) -> bool:
        return self.error <= self.bound


class Plan(Applies):
    """A transform that is ready to run, on one process or many.

    shape    extents of the whole array, of reals for r2c and c2r
    kind     "c2c", "r2c" (numpy.fft.rfftn), "c2r", "r2r", or "move" (from one layout to another)
    dtype    float32 or complex64 for single precision; of "move" that of the elements
    axes     transformed ones; None: all
    kinds    of each transformed axis "fourier", "cosine1" to "cosine4", "sine1" to "sine4" or "hartley"; one for all
    modes    of each axis of the array, how many frequencies the spectrum keeps; 0: all; one number: of all axes
    support  likewise, how many points from the start may be nonzero
    norm     as in numpy.fft
    orthonormal  True: both directions have orthogonal matrices, as scipy.fft.dct with norm="ortho"
    comm     None: this process; a communicator of mpi4py; or what local(), mpi() and on_ranks() give
    input, output  layouts: a word, such as "slabs:0" or "pencils:2", slabs(0) ..., "any", or an array, see layout_of()
    input_memory, output_memory  for each box of this rank (offset, strides) in elements
    **options  any option of docs/guide/options.md: tolerance=1e-6, threads=4, in_place=True ...

    Making a plan and all calls that run or read arrays are collective: every rank makes them, in the same order.
    Errors are raised on all ranks."""

    @collective
    def __init__(self, shape: Sequence[int], *, kind: str = "c2c", dtype: Any = np.float64,  # type: ignore[misc]
                 axes: Sequence[int] | None = None, kinds: str | Sequence[str] | None = None,
                 modes: int | Sequence[int] | None = None, support: int | Sequence[int] | None = None,
                 norm: str | None = "backward", orthonormal: bool = False, comm: Any = None, input: Any = None,
                 output: Any = None, input_memory: Any = None, output_memory: Any = None, **options: Any) -> Run[None]:
        self.comm = as_comm(comm)
        request = request_of(
            shape, kind=kind, dtype=dtype, axes=axes, kinds=kinds, modes=modes, support=support, norm=norm,
            orthonormal=orthonormal, input=input, output=output, input_memory=input_memory,
            output_memory=output_memory, **options)
        self.shape, self.kind = tuple(request.shape), kind
        self._running: Any = None
        asked = dict(request.options)
        self._in_place = asked.get("in_place") == "true"
        padded = asked.get("padded_reals") == "true"
        self._placed = bool(input_memory), bool(output_memory)
        self._padded = padded and kind == "r2c", padded and kind == "c2r"
        self._applies = options.get("apply") or "none"
        single = request.precision == "f32"
        self._real, self._complex = np.dtype("f4" if single else "f8"), np.dtype("c8" if single else "c16")
        ends = {"c2c": (self._complex, self._complex), "r2c": (self._real, self._complex),
                "c2r": (self._complex, self._real), "r2r": (self._real, self._real)}
        self._dtypes = ends.get(kind, (np.dtype(dtype), np.dtype(dtype)))

        def make() -> None:
            self._plan = _core.Plan(self.comm, request)
            self._number = next_number(self.comm)

        return make

    @collective
    def forward(self, input: Any, output: Any = None, factor: float = 1.0) -> Run[Any]:
        """Collective. Transforms `input` into `output`, times `factor`, and returns that. None: a new array, or with
        in_place=True one in the memory of `input`. Arrays are DistArrays, or this rank's part as a NumPy array or any
        other that knows DLPack."""
        return self._transform(True, input, output, factor)

    @collective
    def backward(self, input: Any, output: Any = None, factor: float = 1.0) -> Run[Any]:
        """Collective. The inverse: `input` has the output layout, `output` the input layout."""
        return self._transform(False, input, output, factor)

    def _transform(self, forward: bool, input: Any, output: Any, factor: Any) -> Run[Any]:
        source, target, result = self._ends(forward, input, output)
        by = real_number("factor", factor)

        def run(call: str) -> Any:
            self._plan.run(forward, source, target, by, call)
            return result

        return AgreesItself(by, run)

    @collective
    def start(self, input: Any, output: Any, *, direction: str = "forward", factor: float = 1.0) -> Run[None]:
        """Collective. Starts a run without blocking; test() makes progress, wait() completes it."""
        first, last = (0, 1) if is_forward(direction) else (1, 0)
        source, target = self._memory(input, first), self._written(output, last)
        by = real_number("factor", factor)

        def run(call: str) -> None:
            self._plan.start(is_forward(direction), source, target, by, call)
            self._running = source, target  # they live until the run has ended

        return AgreesItself((direction, by), run)

    def test(self) -> bool:
        """Makes progress; returns whether the run is done."""
        return self._plan.test()

    def wait(self) -> None:
        """Ends the run."""
        self._plan.wait()
        self._running = None

    @collective
    def verify(self, input: Any, output: Any, *, direction: str = "forward", factor: float = 1.0) -> Run[Verdict]:
        """Collective. Compares `output` with the exact transform of `input`, by random probes, in time O(N)."""
        first, last = (0, 1) if is_forward(direction) else (1, 0)
        source, target = self._memory(input, first), self._memory(output, last)
        by = real_number("factor", factor)
        return Same((direction, by),
                    lambda: Verdict(*self._plan.verify(source, target, is_forward(direction), by)))

    @collective
    def exact_samples(self, input: Any, positions: Iterable[Sequence[int]], *,
                      direction: str = "forward") -> Run[Array]:
        """Collective. Exact elements of the result at some positions, in complex128, each in time O(N)."""
        forward = is_forward(direction)
        source = self._memory(input, 0 if forward else 1)
        places = [whole_numbers("positions", p) for p in positions]
        return lambda: np.array(self._plan.exact_samples(source, places, forward), np.float64).view(np.complex128)

    @collective
    def error_bound(self) -> Run[float]:
        """Collective. Bound of the last run's error, relative to the norm of its result."""
        return self._plan.error_bound

    @collective
    def loss(self) -> Run[dict[str, float]]:
        """Collective. The same, with bits and bytes: bound, floor, encoded, bits, bytes_before, bytes_after."""
        return self._plan.loss

    @collective
    def hash_input(self, array: Any) -> Run[int]:
        """Collective. Hash of an array in the input layout, the same on any number of ranks in any layout."""
        memory = self._memory(array, 0)
        return lambda: self._plan.hash_input(memory)

    @collective
    def hash_output(self, array: Any) -> Run[int]:
        """Collective. Likewise in the output layout."""
        memory = self._memory(array, 1)
        return lambda: self._plan.hash_output(memory)

    def last_run(self) -> list[dict[str, Any]]:
        """Time and bytes of each step of the last run on this rank. One in 16 runs of less than 20 us is timed: times
        are then those of the last one of these."""
        return self._plan.last_run()

    def describe(self) -> str:
        """Sweeps, exchanges, bytes, memory, and where each choice came from."""
        return self._plan.describe()

    def describe_json(self) -> Any:
        """The same as plain data."""
        return json.loads(self._plan.describe_json())

    def destroy(self) -> None:
        """Gives back the plan's memory now; otherwise the garbage collector does."""
        self._plan.destroy()

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_: Any) -> None:
        self.destroy()

    def __reduce__(self) -> Any:
        raise TypeError("a plan belongs to its process and cannot be pickled; make it again from its arguments")

    def __repr__(self) -> str:
        return f"<shardfft.Plan: {' x '.join(map(str, self.shape))} {self.kind} on {self.comm.size} rank(s)>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.describe())}</pre>"
