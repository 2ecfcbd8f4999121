"""Plans: transforms of arrays that lie on the ranks of a group."""

from __future__ import annotations

import html
import json
import statistics
import time
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from . import _core
from ._arrays import DistArray, have_equal_places, local_shapes, spec_of
from ._comm import as_comm, dry_run
from ._core import Comm, Layout
from ._errors import InvalidArgument, InvalidProblem

Array = np.ndarray[Any, Any]

_SCALINGS = {"backward": ("none", "by_n"), "ortho": ("by_sqrt_n", "by_sqrt_n"), "forward": ("by_n", "none")}
_TYPES = {"f": "f32", "F": "f32", "d": "f64", "D": "f64"}


class Verdict(NamedTuple):
    """What verify() found: the relative L2 error, estimated by random probes, and what it must not exceed."""

    error: float
    bound: float

    @property
    def ok(self) -> bool:
        return self.error <= self.bound


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ("x" if name == "ranks_grid" else ",").join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def _request(shape: Sequence[int], kind: str, dtype: Any, axes: Sequence[int] | None, norm: str | None, input: Any,
             output: Any, input_memory: Any, output_memory: Any, options: dict[str, Any]) -> Any:
    request = _core.Request()
    request.shape, request.kind = [int(n) for n in shape], kind
    dtype = np.dtype(dtype)
    if kind == "move":
        request.element_bytes = dtype.itemsize
    elif dtype.char not in _TYPES:
        raise InvalidProblem(f"plans are of float32, float64, complex64 or complex128; got dtype {dtype}")
    else:
        request.precision = _TYPES[dtype.char]
    request.axes = [int(axis) for axis in axes] if axes is not None else []
    if (norm or "backward") not in _SCALINGS:
        raise InvalidProblem(f"norm is 'backward', 'ortho' or 'forward'; got {norm!r}; leave it out for 'backward'")
    request.forward_scaling, request.backward_scaling = _SCALINGS[norm or "backward"]
    request.input, request.output = spec_of(input, len(request.shape)), spec_of(output, len(request.shape))
    request.input_memory, request.output_memory = list(input_memory or ()), list(output_memory or ())
    request.options = [(name, _text(name, value)) for name, value in options.items() if value is not None]
    return request


class Plan:
    """A transform that is ready to run, on one process or many.

    shape    extents of the whole array, of reals for r2c and c2r
    kind     "c2c", "r2c" (numpy.fft.rfftn), "c2r" or "move" (from one layout to another)
    dtype    float32 or complex64 for single precision; of "move" that of the elements
    axes     transformed ones, four at most; None: all
    norm     as in numpy.fft
    comm     None: this process; a communicator of mpi4py; or what local(), mpi() and on_ranks() give
    input, output  layouts: a word, such as "slabs:0" or "pencils:2", slabs(0) ..., or "any"
    input_memory, output_memory  for each box of this rank (offset, strides) in elements
    **options  any option of docs/guide/options.md: tolerance=1e-6, threads=4, in_place=True ...

    Making a plan and all calls that run or look at arrays are collective: every rank makes them, in the same order.
    Errors are raised on all ranks."""

    def __init__(self, shape: Sequence[int], *, kind: str = "c2c", dtype: Any = np.float64,
                 axes: Sequence[int] | None = None, norm: str | None = "backward", comm: Any = None, input: Any = None,
                 output: Any = None, input_memory: Any = None, output_memory: Any = None, **options: Any) -> None:
        self.comm: Comm = as_comm(comm)
        request = _request(shape, kind, dtype, axes, norm, input, output, input_memory, output_memory, options)
        self._plan = _core.Plan(self.comm, request)
        self.shape, self.kind = tuple(request.shape), kind
        self._running: Any = None
        self._placed = bool(input_memory), bool(output_memory)
        if kind == "move":
            self._dtypes = np.dtype(dtype), np.dtype(dtype)
        else:
            real = np.dtype(np.float32 if request.precision == "f32" else np.float64)
            complex_ = np.dtype(np.complex64 if request.precision == "f32" else np.complex128)
            self._dtypes = (real if kind == "r2c" else complex_, real if kind == "c2r" else complex_)

    @property
    def input(self) -> Layout:
        """Layout of forward's input."""
        return self._plan.input

    @property
    def output(self) -> Layout:
        """Layout of forward's output."""
        return self._plan.output

    @property
    def workspace_bytes(self) -> int:
        """Private memory of this rank."""
        return self._plan.workspace_bytes

    def make_input(self) -> DistArray:
        """An array for forward's input, zero. Exchanges reach such arrays of the ranks of a node directly."""
        return self._made(0)

    def make_output(self) -> DistArray:
        """An array for forward's output, zero."""
        return self._made(1)

    def _made(self, side: int) -> DistArray:
        if self._placed[side]:
            raise InvalidArgument("this plan's memory was given by strides; make the array as these say")
        buffer: Any = self._plan.make_output() if side else self._plan.make_input()
        return DistArray(self.comm, self.output if side else self.input, self._dtypes[side], buffer)

    def _memory(self, array: Any, side: int) -> Any:
        if isinstance(array, DistArray):
            layout = self.output if side else self.input
            if not have_equal_places(array.layout, layout):
                raise InvalidArgument(
                    f"an array has the layout that the plan has there, {layout.describe()}; got "
                    f"{array.layout.describe()}; call redistribute() on it"
                )
            return _typed(array.buffer, array.dtype)
        if isinstance(array, np.ndarray) and not self._placed[side]:
            self._check_part(array, self.output if side else self.input, "output" if side else "input")
        return array

    def _check_part(self, array: Array, layout: Layout, side: str) -> None:
        shapes = local_shapes(layout, self.comm.rank)
        natural = tuple(layout.order) == tuple(range(len(self.shape)))
        alone = shapes[0] if len(shapes) == 1 else None
        if array.flags.c_contiguous and (array.ndim == 1 or array.size == 0 or (natural and array.shape == alone)):
            return
        raise InvalidArgument(
            f"this rank's part is a C-contiguous array of shape {alone or shapes}, or a flat one; got shape "
            f"{array.shape}; use make_{side}() or {side}_memory"
        )

    def _ends(self, forward: bool, source: Any, target: Any) -> tuple[Any, Any, Any]:
        if target is None:
            target = self._made(1 if forward else 0)
        first, last = (0, 1) if forward else (1, 0)
        return self._memory(source, first), self._memory(target, last), target

    def forward(self, input: Any, output: Any = None, factor: float = 1.0) -> Any:
        """Collective. Transforms `input` into `output` (None: a new array), times `factor`, and returns that. Arrays
        are DistArrays, or this rank's part as a NumPy array or any other that knows DLPack."""
        source, target, result = self._ends(True, input, output)
        self._plan.run(True, source, target, factor)
        return result

    def backward(self, input: Any, output: Any = None, factor: float = 1.0) -> Any:
        """Collective. The inverse: `input` has the output layout, `output` the input layout."""
        source, target, result = self._ends(False, input, output)
        self._plan.run(False, source, target, factor)
        return result

    def start(self, input: Any, output: Any, *, direction: str = "forward", factor: float = 1.0) -> None:
        """Collective. Begins a run and returns soon; test() helps it along, wait() ends it."""
        source, target, _ = self._ends(_is_forward(direction), input, output)
        self._plan.start(_is_forward(direction), source, target, factor)
        self._running = source, target  # they live until the run has ended

    def test(self) -> bool:
        """Helps the run along; whether it has ended."""
        return self._plan.test()

    def wait(self) -> None:
        """Ends the run."""
        self._plan.wait()
        self._running = None

    def verify(self, input: Any, output: Any, *, direction: str = "forward", factor: float = 1.0) -> Verdict:
        """Collective. Compares `output` with the exact transform of `input`, by random probes, in time O(N)."""
        source, target, _ = self._ends(_is_forward(direction), input, output)
        return Verdict(*self._plan.verify(source, target, _is_forward(direction), factor))

    def exact_samples(self, input: Any, positions: Iterable[Sequence[int]], *, direction: str = "forward") -> Array:
        """Collective. Exact elements of the result at some positions, in complex128, each in time O(N)."""
        forward = _is_forward(direction)
        numbers = self._plan.exact_samples(self._memory(input, 0 if forward else 1), [list(p) for p in positions],
                                           forward)
        return np.array(numbers, np.float64).view(np.complex128)

    def error_bound(self) -> float:
        """Collective. What the last run lost at most, relative to the norm of its result."""
        return self._plan.error_bound()

    def loss(self) -> dict[str, float]:
        """Collective. The same with what was sent: bound, floor, encoded, bits, bytes_before, bytes_after."""
        return self._plan.loss()

    def hash_input(self, array: Any) -> int:
        """Collective. One number for an array in the input layout, equal on any ranks and in any layout."""
        return self._plan.hash_input(self._memory(array, 0))

    def hash_output(self, array: Any) -> int:
        """Collective. Likewise in the output layout."""
        return self._plan.hash_output(self._memory(array, 1))

    def last_run(self) -> list[dict[str, Any]]:
        """Time and bytes of each step of the last run on this rank."""
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


def _typed(buffer: Array, dtype: np.dtype[Any]) -> Array:
    # Complex and real numbers are told apart by the plan; other elements only move.
    return buffer.view(dtype) if dtype.kind in "fc" and dtype.char not in "eg" else buffer


def _is_forward(direction: str) -> bool:
    if direction not in ("forward", "backward"):
        raise InvalidArgument(f"direction is 'forward' or 'backward'; got {direction!r}")
    return direction == "forward"


def explain(shape: Sequence[int], *, ranks: int = 1, ranks_per_node: int = 1, **arguments: Any) -> str:
    """What a plan would do on so many ranks, in words: nothing is transformed, and no rank is needed. Arguments as for
    Plan."""
    return Plan(shape, comm=dry_run(ranks, 0, ranks_per_node), **arguments).describe()


def tune(shape: Sequence[int], *, comm: Any = None, kind: str = "c2c", dtype: Any = np.float64,
         axes: Sequence[int] | None = None, norm: str | None = "backward", input: Any = None, output: Any = None,
         **options: Any) -> list[dict[str, Any]]:
    """Collective. Measures candidates, keeps the fastest where later plans find it, and returns all, the best first.
    `tune_seconds` says how long that may take."""
    request = _request(shape, kind, dtype, axes, norm, input, output, None, None, options)
    return _core.tune(as_comm(comm), request)


def bench(shape: Sequence[int], *, seconds: float = 1.0, **arguments: Any) -> dict[str, float]:
    """Collective. Best and median time of forward and of backward on random numbers. Arguments as for Plan."""
    plan = Plan(shape, **arguments)
    u, u_hat = plan.make_input(), plan.make_output()
    rng = np.random.default_rng(plan.comm.rank)
    for part in u.parts:
        part[...] = rng.standard_normal(part.shape)
    times: dict[str, list[float]] = {"forward": [], "backward": []}
    begin = time.perf_counter()
    while True:
        for name, of in times.items():
            plan.comm.barrier()
            start = time.perf_counter()
            if name == "forward":
                plan.forward(u, u_hat)
            else:
                plan.backward(u_hat, u)
            of.append(plan.comm.max(time.perf_counter() - start))
        if plan.comm.max(time.perf_counter() - begin) > seconds:
            break
    return {f"{name}_{what}": value for name, of in times.items()
            for what, value in (("best", min(of)), ("median", statistics.median(of)))}
