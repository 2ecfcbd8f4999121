"""Exceptions: one class for each kind of rule that can be broken."""

from __future__ import annotations

from . import _core


class Error(RuntimeError):
    """What the library refuses or fails at; the text says the rule, what it got and the remedy."""

    status = "error"


class InvalidProblem(Error, ValueError):
    """Shape, axes, kind or dtype do not fit."""

    status = "invalid_problem"


class InvalidLayout(Error, ValueError):
    """Boxes overlap, leave gaps, or do not fit the shape."""

    status = "invalid_layout"


class InvalidArgument(Error, ValueError):
    """An array, an option, or a call out of order."""

    status = "invalid_argument"


class Mismatch(Error):
    """Ranks passed different arguments."""

    status = "mismatch"


class Unsupported(Error, NotImplementedError):
    """Valid, but this build or machine cannot do it."""

    status = "unsupported"


class OutOfMemory(Error, MemoryError):
    """An allocation failed on some rank."""

    status = "out_of_memory"


class TransportFailed(Error):
    """Communication failed, or a rank died."""

    status = "transport_failed"


class IoFailed(Error, OSError):
    """A file could not be read or written."""

    status = "io_failed"


class Internal(Error):
    """A defect of the library."""

    status = "internal"


class DeviceFailed(Error):
    """A call to a GPU's driver or library failed."""

    status = "device_failed"


# By the number of the status, as in error.hpp.
_core.use_errors(
    [Error, InvalidProblem, InvalidLayout, InvalidArgument, Mismatch, Unsupported, OutOfMemory, TransportFailed,
     IoFailed, Internal, DeviceFailed]
)
