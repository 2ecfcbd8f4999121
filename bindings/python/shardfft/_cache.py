"""Plans of the functions: the most recent ones are kept, up to a number of plans and of bytes. A plan does one
transform at a time, so that a second thread that asks for the same one gets another."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from typing import Any, Callable, Hashable

_MOST = 64  # idle plans
_MOST_BYTES = 1 << 30  # of all idle plans together
_OWN_BYTES = 1 << 16  # about: lists that a plan has beside its memory and tables


class _Kept:
    """Idle plans of one key. Each of them holds so many bytes."""

    def __init__(self, each: int) -> None:
        self.each = each
        self.plans: list[Any] = []


_lock = threading.Lock()
_idle: OrderedDict[Hashable, _Kept] = OrderedDict()
_count = 0
_bytes = 0


def take(key: Hashable, make: Callable[[Any], Any]) -> Any:
    """An idle plan of this key, or make(key)."""
    global _count, _bytes
    with _lock:
        kept = _idle.get(key)
        if kept is not None and kept.plans:  # the entry stays, even when it is empty
            _count -= 1
            _bytes -= kept.each
            return kept.plans.pop()
    return make(key)


def give_back(key: Hashable, plan: Any) -> None:
    """Keeps a plan for the next call, in place of those that were used longest ago. A plan that holds more bytes than
    all idle ones may is not kept."""
    global _count, _bytes
    known = _idle.get(key)
    each = known.each if known is not None else _bytes_of(plan)
    if each > _MOST_BYTES:
        return
    old = []  # freed outside the lock: this takes a while
    with _lock:
        kept = _idle.setdefault(key, _Kept(each))
        kept.plans.append(plan)
        _idle.move_to_end(key)
        _count += 1
        _bytes += each
        while _count > _MOST or _bytes > _MOST_BYTES:
            oldest = next(key for key, kept in _idle.items() if kept.plans)
            old.append(_idle[oldest].plans.pop(0))
            _count -= 1
            _bytes -= _idle[oldest].each
            if not _idle[oldest].plans:
                del _idle[oldest]
    del old


def _bytes_of(plan: Any) -> int:
    """Memory that a plan holds between runs."""
    said = plan.describe_json()
    told = json.loads(said) if isinstance(said, str) else said
    return _OWN_BYTES + sum(int(told[name]) for name in ("workspace_bytes", "shared_bytes", "table_bytes"))


def clear() -> None:
    """Forgets all plans and gives back their memory."""
    global _idle, _count, _bytes
    with _lock:
        _idle, _count, _bytes = OrderedDict(), 0, 0


def size() -> int:
    """Idle plans."""
    return _count


def held_bytes() -> int:
    """Bytes of all idle plans together."""
    return _bytes


def _in_child() -> None:
    # Threads that held the lock, or a plan, do not exist in the child.
    global _lock, _idle, _count, _bytes
    _lock, _idle, _count, _bytes = threading.Lock(), OrderedDict(), 0, 0


os.register_at_fork(after_in_child=_in_child)
