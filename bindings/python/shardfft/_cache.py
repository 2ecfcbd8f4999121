"""Plans of the functions: the most recent ones are kept, up to a number of plans and of bytes. A plan does one
transform at a time, so that a second thread that asks for the same one gets another."""

from __future__ import annotations

import itertools
import json
import os
import threading
from typing import Any, Callable, Hashable

_MOST = 64  # plans
_MOST_BYTES = 1 << 30  # of all plans together
_OWN_BYTES = 1 << 16  # about: lists that a plan has beside its memory and tables
_MOST_CALLS = 1024

_lock = threading.Lock()
_kept: dict[Hashable, Plans] = {}
_calls: dict[Hashable, Any] = {}  # what calls come to, by all that they depend on
_count = 0  # of all plans of _kept, those that run now as well
_bytes = 0
_uses = itertools.count()


class Plans:
    """The plans of one key. Each of them holds so many bytes. Threads take from the list of idle ones, and give back,
    without a lock: each does so in one step."""

    __slots__ = ("_key", "_make", "_bytes_each", "_count", "_idle", "_used")

    def __init__(self, key: Hashable, make: Callable[[Any], Any]) -> None:
        self._key, self._make = key, make
        self._bytes_each = self._count = self._used = 0
        self._idle: list[Any] = []

    def take(self) -> Any:
        """An idle plan, or a new one in place of those that were used longest ago."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._new()

    def give_back(self, plan: Any) -> None:
        """Keeps the plan for the next call, unless it was forgotten, or holds more bytes than all plans may."""
        if self._count > 0:
            self._used = next(_uses)
            self._idle.append(plan)
            _drop_what_is_too_much()  # all others may have been running when the last one was made

    def _new(self) -> Any:
        global _count, _bytes
        plan = self._make(self._key)
        self._bytes_each = self._bytes_each or _bytes_of(plan)
        with _lock:
            if self._bytes_each <= _MOST_BYTES and _kept.setdefault(self._key, self) is self:
                self._count += 1
                _count += 1
                _bytes += self._bytes_each
        _drop_what_is_too_much()
        return plan


def plans(key: Hashable, make: Callable[[Any], Any]) -> Plans:
    """Those of this key. If none is idle, make(key) gives one."""
    return _kept.get(key) or Plans(key, make)


def call(key: Hashable) -> Any:
    """What was remembered of a call of this key, or None."""
    return _calls.get(key)


def remember(key: Hashable, what: Any) -> None:
    """Until plans are forgotten."""
    if len(_calls) >= _MOST_CALLS:
        _calls.clear()
    _calls[key] = what


def take(key: Hashable) -> Any:
    """What was remembered of this key, for this caller alone, or None."""
    return _calls.pop(key, None)


def _drop_what_is_too_much() -> None:
    if _count <= _MOST and _bytes <= _MOST_BYTES:
        return
    old: list[Any] = []  # freed outside the lock: this takes a while
    with _lock:
        while (_count > _MOST or _bytes > _MOST_BYTES) and _drop_oldest(old):
            pass
    del old


def _drop_oldest(old: list[Any]) -> bool:
    """Moves an idle plan to this list. False: all are running."""
    global _count, _bytes
    oldest = min((plans for plans in _kept.values() if plans._idle), key=lambda plans: plans._used, default=None)
    if oldest is None:
        return False
    try:
        old.append(oldest._idle.pop(0))
    except IndexError:  # another thread took it
        return True
    oldest._count -= 1
    _count -= 1
    _bytes -= oldest._bytes_each
    if oldest._count == 0:
        del _kept[oldest._key]
        _calls.clear()  # which hold such plans
    return True


def _bytes_of(plan: Any) -> int:
    """Memory that a plan holds between runs."""
    said = plan.describe_json()
    told = json.loads(said) if isinstance(said, str) else said
    return _OWN_BYTES + sum(int(told[name]) for name in ("workspace_bytes", "shared_bytes", "table_bytes"))


def clear() -> None:
    """Forgets all plans and gives back their memory."""
    global _count, _bytes
    old: list[Any] = []
    with _lock:
        for plans in _kept.values():
            old += plans._idle
            plans._idle, plans._count = [], 0
        _kept.clear()
        _calls.clear()
        _count = _bytes = 0
    del old


def size() -> int:
    """Idle plans."""
    return sum(len(plans._idle) for plans in list(_kept.values()))


def held_bytes() -> int:
    """Bytes of all idle plans together."""
    return sum(len(plans._idle) * plans._bytes_each for plans in list(_kept.values()))


def _in_child() -> None:
    # Threads that held the lock, or a plan, do not exist in the child.
    global _lock
    _lock = threading.Lock()
    clear()


os.register_at_fork(after_in_child=_in_child)
