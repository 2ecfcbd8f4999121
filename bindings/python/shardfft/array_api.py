"""NumPy's array API namespace with shardfft's fft extension."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy import *  # noqa: F403

from ._functions import array_api_fft as fft  # noqa: F401

__array_api_version__ = _numpy.__array_api_version__


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
