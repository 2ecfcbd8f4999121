"""Tensors of PyTorch as transforms take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

Tensor = Any

_NUMPY: dict[Any, np.dtype[Any]] = {torch.float32: np.dtype("f4"), torch.float64: np.dtype("f8"),
                                    torch.complex64: np.dtype("c8"), torch.complex128: np.dtype("c16")}
COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
REAL = {complex_: real for real, complex_ in COMPLEX.items()}


class _View:
    """A tensor's memory for NumPy, which keeps it alive."""

    def __init__(self, x: Tensor) -> None:
        dtype = _NUMPY[x.dtype]
        self.tensor = x
        self.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "shape": tuple(x.shape), "data": (x.data_ptr(), False),
            "strides": tuple(stride * dtype.itemsize for stride in x.stride()),
        }


def view(x: Tensor) -> Any:
    """The tensor's memory as an array."""
    if x.numel() == 0:  # it has no address, which some versions of NumPy refuse
        return np.empty(tuple(x.shape), _NUMPY[x.dtype])
    return np.asarray(_View(x.detach()))


def workers() -> int | None:
    """Threads of a transform: one where PyTorch has one."""
    return 1 if torch.get_num_threads() == 1 else None


def numbers(x: Any, real: bool) -> Tensor:
    """`x`, a tensor that shardfft can read, with the type of a transform's input."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"shardfft.torch takes tensors; got {type(x).__name__}; shardfft itself takes other arrays")
    if x.device.type != "cpu" or x.layout != torch.strided:
        raise TypeError(f"tensors are dense, on the CPU; got {x.layout} on {x.device}; use x.cpu() or torch.fft")
    return typed(x, real)


def typed(x: Tensor, real: bool) -> Tensor:
    """A tensor with the type of a transform's input."""
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        x = x.to(torch.get_default_dtype())
    if x.dtype not in _NUMPY:
        raise TypeError(f"numbers have 4 or 8 bytes; got {x.dtype}; convert it to torch.float32")
    if real and x.dtype.is_complex:
        raise TypeError(f"a transform of reals takes no complex numbers; got {x.dtype}; use fft")
    return x if real else x.to(COMPLEX.get(x.dtype, x.dtype))


def real_type(dtype: Any) -> np.dtype[Any]:
    """Type of the real parts of numbers of this type."""
    return _NUMPY[REAL.get(dtype, dtype)]
