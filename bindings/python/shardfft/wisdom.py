"""What tune() found, as it is kept in a file."""

from __future__ import annotations

import builtins
from typing import Any

from . import _core


def list() -> builtins.list[dict[str, Any]]:
    """All that is kept: id, key, date, effort, recipe, seconds."""
    return _core.kept_tunings()


def forget(*keys: str) -> int:
    """Removes the entries with these keys; returns how many there were."""
    return _core.forget_tunings([*keys])
