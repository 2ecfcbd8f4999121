"""The functions of torch.fft on CPU tensors, with derivatives of any order: import shardfft.torch as fft

Tensors are not copied on the way in or out. torch.set_num_threads(1) holds here, too.

DTensors may be sharded along any axes, also transformed ones, and have the bits of the whole tensor. On GPUs torch.fft
transforms their parts. Every process of the mesh makes the call. Beside the arguments of torch.fft there is

    out_placements  of the result of a DTensor. "input": those of the input. A list: these; they are Shard where those
                    of the input are. None: those that cost fewest exchanges

Errors of a call with DTensors, on any process, are raised on all: ValueError for other placements than Shard and
Replicate, for a local tensor of another shape, for a single axis that is sharded."""

from __future__ import annotations

import sys
from typing import Any, Callable, Sequence, TypeVar

try:
    import torch
except ImportError as error:
    raise ImportError("shardfft.torch needs PyTorch: pip install torch") from error
from torch.fft import fftfreq, fftshift, ifftshift, rfftfreq

from .. import _linear
from .._functions.arguments import one_length
from .._functions.forms import KINDS, family
from .._linear import Transform
from .tensors import COMPLEX, REAL, Tensor, numbers, real_type, view, workers

__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft",
    "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]

Sizes = Sequence[int]
Placements = Any  # a word, None, or a list of placements

F = TypeVar("F", bound=Callable[..., Any])


def _not_traced(function: F) -> F:
    """torch.compile() calls it as it is."""
    compiler: Any = getattr(torch, "compiler", None)
    result: F = compiler.disable(function) if hasattr(compiler, "disable") else function
    return result


def _run(x: Tensor, transform: Transform, out: Tensor = None) -> Tensor:
    if out is None:
        dtype = {"rfft": COMPLEX, "irfft": REAL}.get(transform.kind, {}).get(x.dtype, x.dtype)
        out = torch.empty(transform.output_shape(x.shape), dtype=dtype)
    if out.numel() > 0:
        transform.run(view(x.resolve_conj().resolve_neg()), view(out), workers())
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
    return torch.from_dlpack(transform.weights(inner, real_type(like.dtype)))


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
    _run(x, transform, numbers(out, False) if out.dtype.is_complex else numbers(out, True))
    out[..., :0].zero_()  # tells PyTorch that the memory has changed
    return out.conj_physical_() if conjugate else out


def _is_distributed(x: Any) -> bool:
    kind = getattr(sys.modules.get("torch.distributed.tensor"), "DTensor", None)  # who has one has imported it
    return kind is not None and isinstance(x, kind)


@_not_traced
def _call(kind: str, input: Tensor, lengths: Callable[[], Any], dim: Any, norm: str | None, out: Tensor | None,
          placements: Placements) -> Tensor:
    """`lengths` is called where its errors reach all processes."""
    if _is_distributed(input):
        from . import sharded

        return sharded.call(kind, input, lengths, dim, norm, out, placements)
    if not isinstance(placements, str) or placements != "input":
        raise TypeError(f"out_placements belong to a DTensor; got {type(input).__name__}; leave them out")
    asked, (kind, norm) = kind, _linear.without_hermitian(kind, norm)
    x = numbers(input, kind == "rfft")
    transform = _linear.transform(kind, x.shape, lengths(), dim, norm)
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
         out: Tensor | None = None, out_placements: Placements = "input") -> Tensor:
    return _call(kind, input, lambda: one_length(n), (dim,), norm, out, out_placements)


def _two(kind: str, input: Tensor, s: Sizes | None = None, dim: Sizes = (-2, -1), norm: str | None = None, *,
         out: Tensor | None = None, out_placements: Placements = "input") -> Tensor:
    return _call(kind, input, lambda: s, dim, norm, out, out_placements)


def _all(kind: str, input: Tensor, s: Sizes | None = None, dim: Sizes | None = None, norm: str | None = None, *,
         out: Tensor | None = None, out_placements: Placements = "input") -> Tensor:
    return _call(kind, input, lambda: s, dim, norm, out, out_placements)


_KINDS = {kind: kind for kind in KINDS}
fft, ifft, rfft, irfft, hfft, ihfft = family("", _one, _KINDS, "torch.fft")
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = family("2", _two, _KINDS, "torch.fft")
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = family("n", _all, _KINDS, "torch.fft")
