"""What surrounds plans: looking at one before there are ranks, tuning, times."""

from __future__ import annotations

import statistics
import time
from typing import Any, Sequence

import numpy as np

from . import _core
from ._comm import Run, as_comm, collective, dry_run
from ._given import real_number
from ._plan.plan import Plan
from ._plan.request import request_of


def explain(shape: Sequence[int], *, ranks: int = 1, ranks_per_node: int = 1, **arguments: Any) -> str:
    """What a plan would do on so many ranks, in words: nothing is transformed, and no rank is needed. Arguments as for
    Plan."""
    return Plan(shape, comm=dry_run(ranks, 0, ranks_per_node), **arguments).describe()


@collective
def tune(shape: Sequence[int], *, comm: Any = None, **arguments: Any) -> Run[list[dict[str, Any]]]:
    """Collective. Measures candidates, keeps the fastest where later plans find it, and returns all, the best first.
    `tune_seconds` says how long that may take. Arguments as for Plan."""
    request = request_of(shape, **arguments)
    return lambda: _core.tune(as_comm(comm), request)


@collective
def bench(shape: Sequence[int], *, seconds: float = 1.0, **arguments: Any) -> Run[dict[str, float]]:
    """Collective. Best and median time of forward and of backward on random numbers. Arguments as for Plan."""
    limit = real_number("seconds", seconds)
    return lambda: _times(Plan(shape, **arguments), limit)


def _times(plan: Plan, seconds: float) -> dict[str, float]:
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
        if plan.comm.max(float(not time.perf_counter() - begin <= seconds)) > 0:
            break
    return {f"{name}_{what}": value for name, of in times.items()
            for what, value in (("best", min(of)), ("median", statistics.median(of)))}
