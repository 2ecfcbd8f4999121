"""How many threads a call takes, and what becomes of them in a child process."""

from __future__ import annotations

import operator
import os
import threading
from typing import Any, Callable, Iterable

_SMALL = 1 << 15  # points: below, waking a thread takes longer than it saves
_LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE")

_alone = False  # in a child of fork(): its parent and siblings use the other cores


def _in_child() -> None:
    global _alone
    _alone = True


os.register_at_fork(after_in_child=_in_child)


def in_child() -> bool:
    """Whether this process is a child that fork() made after the package was imported."""
    return _alone


def _number(variable: str) -> int:
    text = os.environ.get(variable, "").split("(")[0].split(",")[0]
    return int(text) if text.isdigit() else 0


def cores() -> int:
    """Cores of this process: of its affinity mask, at most OMP_NUM_THREADS, shared with the ranks of a launcher."""
    mine = len(os.sched_getaffinity(0))
    ranks = next((n for n in map(_number, _LOCAL_RANKS) if n > 0), 1)
    if limit := _number("OMP_NUM_THREADS"):
        return max(1, min(mine, limit))
    return max(1, mine // ranks)


def threads_of(workers: int | None, points: int) -> int:
    """Threads for an array of so many points; `workers` as in scipy.fft."""
    if workers is not None:
        workers = operator.index(workers)
        if workers == 0:
            raise ValueError("workers must not be zero")
        if workers < 0:
            every = os.cpu_count() or 1
            if workers < -every:
                raise ValueError(f"workers value out of range; got {workers}, must not be less than {-every}")
            workers += 1 + every
    if _alone:
        return 1
    if workers is not None:
        return workers
    return 1 if points < _SMALL else cores()


def in_threads(count: int, work: Callable[[Any], None], items: Iterable[Any]) -> None:
    """work(item) of each, on so many threads with this one; raises what one of them raised. Other pools refuse work
    while the interpreter ends, when programs of JAX may still run."""
    left, lock = iter(items), threading.Lock()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not errors:
                with lock:
                    item = next(left, left)
                if item is left:
                    return
                work(item)
        except BaseException as error:
            errors.append(error)

    others = [threading.Thread(target=run) for _ in range(count - 1)]
    for thread in others:
        thread.start()
    run()
    for thread in others:
        thread.join()
    if errors:
        raise errors[0]
