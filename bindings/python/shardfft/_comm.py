"""Groups of ranks."""

from __future__ import annotations

import ctypes
import functools
import inspect
import operator
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Generic, ParamSpec, TypeVar

from . import _core
from ._core import Comm
from ._errors import Error, InvalidArgument, TransportFailed, Unsupported
from ._given import real_number

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


def local() -> Comm:
    """This process alone."""
    return _core.local()


def mpi(comm: Any = None) -> Comm:
    """Collective: the ranks of an mpi4py communicator; None: all processes of mpirun. The communicator is duplicated.
    Errors: InvalidArgument or Unsupported where mpi4py runs with an MPI that shardfft was not built for."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise InvalidArgument("ranks of MPI need the package mpi4py; pip install mpi4py") from error
    comm = MPI.COMM_WORLD if comm is None else comm
    theirs = MPI.Get_library_version()
    if not _core.mpi_library():
        _load_plugin(MPI)
    ours = _core.mpi_library()
    if not theirs.startswith(ours):
        raise InvalidArgument(
            f"shardfft and mpi4py use one MPI; shardfft was built with {ours}, mpi4py runs with "
            f"{theirs.split(',')[0].strip()}; build both with the same mpicc"
        )
    group = _core.comm_of_mpi(MPI._addressof(comm), MPI._sizeof(comm))
    if group.size > 1:
        _end_all_ranks_by(MPI)
    return group


_hook: Any = None  # what sys.excepthook was


def _told(error: E) -> E:
    """An error that all ranks raise."""
    error.__dict__["told_to_all_ranks"] = True
    return error


def _end_all_ranks_by(MPI: Any) -> None:
    """A rank that ends by an exception of its own ends the others, too, for they would wait for it. Errors that all
    ranks raise end them one by one."""
    global _hook
    if _hook is not None:
        return
    _hook = sys.excepthook

    def end(kind: Any, error: Any, trace: Any) -> None:
        _hook(kind, error, trace)
        if not getattr(error, "told_to_all_ranks", False) and MPI.Is_initialized() and not MPI.Is_finalized():
            print(f"shardfft: rank {MPI.COMM_WORLD.rank} ends all ranks, because they would wait for it",
                  file=sys.stderr, flush=True)
            sys.stdout.flush()
            MPI.COMM_WORLD.Abort(1)

    sys.excepthook = end


def _load_plugin(MPI: Any) -> None:
    """The part of shardfft that calls MPI, for the one that mpi4py has loaded."""
    name = "openmpi" if hasattr(ctypes.CDLL(MPI.__file__), "ompi_mpi_comm_self") else "mpich"
    plugin = Path(_core.__file__).with_name(f"shardfft_mpi_{name}.so")
    if not plugin.exists():
        there = sorted(file.stem.removeprefix("shardfft_mpi_") for file in plugin.parent.glob("shardfft_mpi_*.so"))
        raise Unsupported(
            f"mpi4py runs with {MPI.Get_library_version().split(',')[0].strip()}, and this shardfft was built for "
            f"{' and '.join(there) or 'no MPI'}; install shardfft again where mpicc is that one's"
        )
    for library in _libraries_of_mpi():  # for the plug-in to see; they are there already
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
    _core.load_mpi(str(plugin))


def _libraries_of_mpi() -> list[str]:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    return sorted(file for file in files if re.match(r"libmpi(ch)?(_abi)?\.so", os.path.basename(file)))


def dry_run(ranks: int, rank: int = 0, ranks_per_node: int = 1) -> Comm:
    """Ranks of which only one exists, for plans that are described but never run."""
    return _core.dry_run(ranks, rank, ranks_per_node)


def on_ranks(ranks: int, work: Callable[[Comm], T]) -> list[T]:
    """Runs work(comm) on as many threads of this process, each a rank of one group; returns what each of them did. For
    notebooks and tests: no launcher is needed. The first exception is raised again. Ctrl-C ends all of them."""
    ranks = operator.index(ranks)
    if not callable(work):
        raise InvalidArgument(f"ranks run a function; got {type(work).__name__}; give one that takes a Comm")
    results: list[Any] = [None] * ranks

    def body(comm: Comm) -> None:
        results[comm.rank] = work(comm)

    _core.on_ranks(ranks, body)
    return results


def as_comm(comm: Any) -> Comm:
    """None: this process; a communicator of mpi4py: its ranks."""
    if comm is None:
        return _core.local()
    return comm if isinstance(comm, Comm) else mpi(comm)


def collectively(comm: Comm, call: str, work: Callable[[], T]) -> T:
    """Collective: what work() gives, which sends nothing. What it raises on any rank is raised on all, for the others
    would wait: that of the lowest rank. Ranks that are in different calls learn so."""
    if comm.size == 1:
        return work()
    try:
        result = work()
    except BaseException as error:
        is_ours = isinstance(error, Error)
        text = str(error) if is_ours else f"{type(error).__name__}: {error}"
        status = getattr(error, "status") if is_ours else InvalidArgument.status
        try:
            _core.agree(comm, call, status if isinstance(error, Exception) else TransportFailed.status, text)
        except Error as agreed:
            if str(agreed) != text and isinstance(error, Exception):
                raise _told(agreed) from error
        raise _told(error)  # all ranks failed alike
    if isinstance(result, Same):
        call = f"{call}, {result.words}"
    if isinstance(result, AgreesItself):
        result.call = call
        return result
    try:
        _core.agree(comm, call, "", "")
    except Error as agreed:
        raise _told(agreed)
    return result


class Same(Generic[T]):
    """What is left to do of a call, and what must be the same on all ranks."""

    def __init__(self, words: Any, run: Callable[..., T]) -> None:
        self.words, self._run = words, run

    def __call__(self) -> T:
        return self._run()


class AgreesItself(Same[T]):
    """A Same whose run compares the words of the call among ranks by itself: so a transform leaves Python once. `call`
    is empty on a rank that is alone."""

    call = ""

    def __call__(self) -> T:
        return self._run(self.call)


Run = Callable[[], T]  # what is left to do of a call when all ranks have agreed


def collective(prepare: Callable[P, Run[T]]) -> Callable[P, T]:
    """Makes a collective call of a function that reads, checks and converts its arguments, which sends nothing, and
    gives what is left to do. Whatever is wrong with arguments on one rank, also their number, is told to all.

    The ranks are those of the argument `comm`; without one those of the first argument."""
    signature = inspect.signature(prepare)
    names = list(signature.parameters)
    takes_comm = "comm" in names or "arguments" in names
    by_place = [p.name for p in signature.parameters.values() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    place = by_place.index("comm") if "comm" in by_place else sys.maxsize
    name = prepare.__qualname__.replace(".__init__", "")

    @functools.wraps(prepare)
    def call(*args: Any, **kwargs: Any) -> T:
        if "comm" in kwargs and takes_comm:
            comm = kwargs["comm"] = as_comm(kwargs["comm"])
        elif place < len(args):
            comm = as_comm(args[place])
            args = (*args[:place], comm, *args[place + 1:])
        else:
            comm = _of(args[0] if args else kwargs.get(names[0]))
        if comm.size == 1:
            return prepare(*args, **kwargs)()
        number = getattr(args[0], "_number", None) if args else None
        words = name if number is None else f"{name} of object {number}"
        run = collectively(comm, words, lambda: prepare(*args, **kwargs))
        try:
            return run()
        except Error as error:
            raise _told(error)

    told = str(signature.return_annotation)
    setattr(call, "__signature__", signature.replace(return_annotation=told.removeprefix("Run[").removesuffix("]")))
    return call


def made_by_each(make: Callable[P, T]) -> Callable[P, T]:
    """Turns a function that each rank runs by itself, without messages, into a collective call."""

    @functools.wraps(make)
    def prepare(*args: P.args, **kwargs: P.kwargs) -> Run[T]:
        made = make(*args, **kwargs)
        return lambda: made

    return collective(prepare)


_numbers = 0  # of objects that ranks made together


def next_number(comm: Comm) -> int:
    """Collective. A number that no other object of this group has, the same on all ranks: calls name it."""
    global _numbers
    if comm.size > 1:
        number = int(comm.max(_numbers + 1))
        _numbers = max(_numbers, number)
        return number
    return 0


def _of(first: Any) -> Comm:
    """The ranks of what a call is made on. What has none is an error of this rank, which the call raises."""
    comm = first if isinstance(first, Comm) else getattr(first, "comm", None)
    return comm if isinstance(comm, Comm) else _core.local()


def _calls_of_groups() -> None:
    """Calls of Comm read their arguments as all others do."""

    def collective_call(name: str, read: Callable[..., tuple[Any, ...]], words: Callable[..., str]) -> None:
        plain = getattr(Comm, name)

        def call(self: Comm, *args: Any, **kwargs: Any) -> Run[Any]:
            arguments = read(*args, **kwargs)
            return Same(words(self, *arguments), lambda: plain(self, *arguments))

        call.__name__, call.__qualname__, call.__doc__ = name, f"Comm.{name}", plain.__doc__
        setattr(Comm, name, collective(call))

    def root_of(data: Any, root: Any = 0) -> tuple[bytes, int]:
        return bytes(memoryview(data)), operator.index(root)

    def root_words(self: Comm, data: bytes, root: int) -> str:
        if not 0 <= root < self.size:
            raise InvalidArgument(f"root is a rank, from 0 to {self.size - 1}; got {root}")
        return f"root {root}"

    collective_call("barrier", lambda: (), lambda self: "")
    collective_call("broadcast", root_of, root_words)
    collective_call("allgather", lambda data: (bytes(memoryview(data)),), lambda self, data: f"{len(data)} bytes")
    for name in ("sum", "max"):
        collective_call(name, lambda value: (real_number("a value", value),), lambda self, value: "")


_calls_of_groups()
