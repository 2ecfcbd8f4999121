"""Plans of the functions: the most recent ones are kept. A plan does one transform at a time, so that a second thread
that asks for the same one gets another."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any, Callable, Hashable

_MOST = 64  # idle plans

_lock = threading.Lock()
_idle: OrderedDict[Hashable, list[Any]] = OrderedDict()
_count = 0


def take(key: Hashable, make: Callable[[Any], Any]) -> Any:
    """An idle plan of this key, or make(key)."""
    global _count
    with _lock:
        plans = _idle.get(key)
        if plans:  # the list stays, even when it is empty
            _count -= 1
            return plans.pop()
    return make(key)


def give_back(key: Hashable, plan: Any) -> None:
    """Keeps a plan for the next call, in place of the one that was used longest ago."""
    global _count
    old = None
    with _lock:
        plans = _idle.get(key)
        if plans is None:
            plans = _idle[key] = []
        plans.append(plan)
        _idle.move_to_end(key)
        _count += 1
        if _count > _MOST:
            oldest = next(key for key, plans in _idle.items() if plans)
            old = _idle[oldest].pop(0)
            _count -= 1
            if not _idle[oldest]:
                del _idle[oldest]
    del old  # outside the lock: its memory takes a while


def clear() -> None:
    """Forgets all plans and gives back their memory."""
    global _idle, _count
    with _lock:
        _idle, _count = OrderedDict(), 0


def size() -> int:
    """Idle plans."""
    return _count


def _in_child() -> None:
    # Threads that held the lock, or a plan, do not exist in the child.
    global _lock, _idle, _count
    _lock, _idle, _count = threading.Lock(), OrderedDict(), 0


os.register_at_fork(after_in_child=_in_child)
