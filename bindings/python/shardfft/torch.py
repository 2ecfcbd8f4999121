"""The functions of torch.fft on CPU tensors, with derivatives of any order: import shardfft.torch as fft

Tensors are not copied on the way in or out. torch.set_num_threads(1) holds here, too."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TypeVar

import numpy as np

from . import _linear
from ._functions.arguments import one_length
from ._functions.forms import KINDS, family
from ._linear import Transform

try:
    import torch
except ImportError as error:
    raise ImportError("shardfft.torch needs PyTorch: pip install torch") from error
from torch.fft import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]

Tensor = Any
Sizes = Sequence[int]

_NUMPY: dict[Any, np.dtype[Any]] = {torch.float32: np.dtype("f4"), torch.float64: np.dtype("f8"),
                                    torch.complex64: np.dtype("c8"), torch.complex128: np.dtype("c16")}
_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}
_REAL = {complex_: real for real, complex_ in _COMPLEX.items()}

F = TypeVar("F", bound=Callable[..., Any])


def _not_traced(function: F) -> F:
    """torch.compile() calls it as it is."""
    compiler: Any = getattr(torch, "compiler", None)
    result: F = compiler.disable(function) if hasattr(compiler, "disable") else function
    return result


class _View:
    """A tensor's memory for NumPy, which keeps it alive."""

    def __init__(self, x: Tensor) -> None:
        dtype = _NUMPY[x.dtype]
        self.tensor = x
        self.__array_interface__ = {
            "version": 3, "typestr": dtype.str, "shape": tuple(x.shape), "data": (x.data_ptr(), False),
            "strides": tuple(stride * dtype.itemsize for stride in x.stride()),
        }


def _view(x: Tensor) -> Any:
    return np.asarray(_View(x.detach()))


def _run(x: Tensor, transform: Transform, out: Tensor = None) -> Tensor:
    if out is None:
        dtype = {"rfft": _COMPLEX, "irfft": _REAL}.get(transform.kind, {}).get(x.dtype, x.dtype)
        out = torch.empty(transform.output_shape(x.shape), dtype=dtype)
    if out.numel() > 0:
        workers = 1 if torch.get_num_threads() == 1 else None
        transform.run(_view(x.resolve_conj().resolve_neg()), _view(out), workers)
    return out


class _Function(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(*args: Any) -> Tensor:
        x, transform = args[-2:]
        if len(args) == 3:  # PyTorch before 2.0 does not call setup_context()
            args[0].transform = transform
        return _run(x, transform)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.transform = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        transform: Transform = ctx.transform
        if transform.kind == "rfft":
            gradient = gradient * _weights(transform, 0.5, gradient)
        result = _Function.apply(gradient, transform.adjoint())
        if transform.kind == "irfft":
            result = result * _weights(transform, 2, result)
        return result, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, _: None) -> Tensor:
        return _Function.apply(tangent, ctx.transform)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Tensor, transform: Transform) -> Any:
        return _Function.apply(x.movedim(in_dims[0], 0), transform), 0


def _weights(transform: Transform, inner: float, like: Tensor) -> Tensor:
    return torch.from_dlpack(transform.weights(inner, _NUMPY[_REAL[like.dtype]]))


def _numbers(x: Any, real: bool) -> Tensor:
    """`x` with the type of a transform's input."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"shardfft.torch takes tensors; got {type(x).__name__}; shardfft itself takes other arrays")
    if x.device.type != "cpu" or x.layout != torch.strided:
        raise TypeError(f"tensors are dense, on the CPU; got {x.layout} on {x.device}; use x.cpu() or torch.fft")
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        x = x.to(torch.get_default_dtype())
    if x.dtype not in _NUMPY:
        raise TypeError(f"numbers have 4 or 8 bytes; got {x.dtype}; convert it to torch.float32")
    if real and x.dtype.is_complex:
        raise TypeError(f"a transform of reals takes no complex numbers; got {x.dtype}; use fft")
    return x if real else x.to(_COMPLEX.get(x.dtype, x.dtype))


def _fitted(x: Tensor, transform: Transform) -> Tensor:
    """`x` cut to the extents of an input, or with zeros behind."""
    behind = [0] * x.ndim
    for axis, extent in zip(transform.axes, transform.input_extents()):
        if x.shape[axis] > extent:
            x = x.narrow(axis, 0, extent)
        behind[-1 - axis] = extent - x.shape[axis]
    return torch.nn.functional.pad(x, [n for pair in behind for n in (0, pair)]) if any(behind) else x


def _into(out: Tensor, x: Tensor, transform: Transform, conjugate: bool) -> Tensor:
    if torch.is_grad_enabled() and (x.requires_grad or out.requires_grad):
        raise RuntimeError("what is written into out has no derivative; leave out=, or use torch.no_grad()")
    _run(x, transform, _numbers(out, False) if out.dtype.is_complex else _numbers(out, True))
    out[..., :0].zero_()  # tells PyTorch that the memory has changed
    return out.conj_physical_() if conjugate else out


@_not_traced
def _call(kind: str, input: Tensor, s: Any, dim: Any, norm: str | None, out: Tensor | None) -> Tensor:
    asked, (kind, norm) = kind, _linear.without_hermitian(kind, norm)
    x = _numbers(input, kind == "rfft")
    transform = _linear.transform(kind, x.shape, s, dim, norm)
    if not transform.axes:
        return x
    x = _fitted(x, transform)
    if asked == "hfft":
        x = x.conj()
    conjugate = asked == "ihfft"
    if out is not None:
        return _into(out, x, transform, conjugate)
    result = _Function.apply(x, transform)
    return result.conj_physical() if conjugate else result


def _one(kind: str, input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
         out: Tensor | None = None) -> Tensor:
    return _call(kind, input, one_length(n), (dim,), norm, out)


def _two(kind: str, input: Tensor, s: Sizes | None = None, dim: Sizes = (-2, -1), norm: str | None = None, *,
         out: Tensor | None = None) -> Tensor:
    return _call(kind, input, s, dim, norm, out)


def _all(kind: str, input: Tensor, s: Sizes | None = None, dim: Sizes | None = None, norm: str | None = None, *,
         out: Tensor | None = None) -> Tensor:
    return _call(kind, input, s, dim, norm, out)


_KINDS = {kind: kind for kind in KINDS}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "torch.fft")
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = family("2", _two, _KINDS, "torch.fft")
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = family("n", _all, _KINDS, "torch.fft")
