"""shardfft.torch: results are those of torch.fft, derivatives those that PyTorch measures."""

import sys

import pytest

import numpy as np

try:
    import torch
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's python3-torch, behind all other packages
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; tools/setup torch installs Debian's")

import shardfft.torch as ours

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
NORMS = [None, "backward", "ortho", "forward"]
TAKES_REALS = ("rfft", "ihfft")


def numbers(shape, dtype=torch.float64, seed=1):
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def input_of(name, shape, single=False):
    if name.startswith(TAKES_REALS):
        return numbers(shape, torch.float32 if single else torch.float64)
    return numbers(shape, torch.complex64 if single else torch.complex128)


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    torch.testing.assert_close(a, b)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("norm", NORMS)
def test_one_axis_is_as_torchs(name, norm):
    function, theirs = getattr(ours, name), getattr(torch.fft, name)
    for single in (False, True):
        x = input_of(name, (5, 6, 7), single)
        for n, dim in ((None, -1), (None, 1), (9, 0), (4, 2), (6, -2)):
            same(function(x, n, dim, norm), theirs(x, n, dim, norm))
        same(function(x.transpose(0, 2)[:, ::2], norm=norm), theirs(x.transpose(0, 2)[:, ::2], norm=norm))


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("norm", NORMS)
def test_several_axes_are_as_torchs(name, norm):
    x = input_of(name, (4, 5, 6))
    same(getattr(ours, name + "2")(x, norm=norm), getattr(torch.fft, name + "2")(x, norm=norm))
    function, theirs = getattr(ours, name + "n"), getattr(torch.fft, name + "n")
    for s, dim in ((None, None), (None, (2, 0)), ((7, -1), None), ((3, 8), (1, 0)), ((5,), 1)):
        same(function(x, s, dim, norm), theirs(x, s, dim, norm))
    same(function(x, norm=norm), function(x[None], dim=(1, 2, 3), norm=norm)[0])


@pytest.mark.parametrize("name", [name + several for name in ONE for several in ("", "n")])
@pytest.mark.parametrize("norm", NORMS[1:])
@pytest.mark.parametrize("n", [6, 7])
def test_derivatives_are_those_measured(name, norm, n):
    x = input_of(name, (3, 4)).requires_grad_()
    if name.endswith("n"):
        call = lambda x: getattr(ours, name)(x, (2, n), (0, 1), norm)  # one axis is cut, the other filled
    else:
        call = lambda x: getattr(ours, name)(x, n, 1, norm)
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(call, x, fast_mode=True)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_derivatives_along_any_axis(name, n):
    m = n // 2 + 1 if name in ("irfft", "hfft") else n
    x = input_of(name, (m, 2)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: getattr(ours, name)(x, n, 0), x)
    y = input_of(name, (m, 1, 3)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: getattr(ours, name + "n")(x, (3, n), (2, 0), "ortho"), y)


def test_a_loss_has_torchs_gradient():
    x = numbers((6, 9)).requires_grad_()
    w = numbers((6, 5), torch.complex128, 2).requires_grad_()

    def gradients(f):
        loss = (f.irfft2(f.rfft2(x) * w, s=(6, 9)) ** 4).sum() + f.fftn(x).abs().sum()
        return torch.autograd.grad(loss, (x, w))

    for a, b in zip(gradients(ours), gradients(torch.fft)):
        same(a, b)


def test_conjugates_integers_and_reals():
    x = numbers((4, 6), torch.complex128)
    same(ours.fft(x.conj()), torch.fft.fft(x.conj()))
    same(ours.rfft(x.conj().imag), torch.fft.rfft(x.conj().imag))  # negated only when it is read
    same(ours.fft(torch.arange(6)), torch.fft.fft(torch.arange(6)))
    same(ours.rfft(torch.arange(6)), torch.fft.rfft(torch.arange(6)))
    same(ours.irfft(x.real), torch.fft.irfft(x.real))
    same(ours.fft(torch.ones(1).expand(6)), torch.fft.fft(torch.ones(6)))
    assert ours.fft(torch.zeros(0, 4)).shape == (0, 4)
    same(ours.fftshift(ours.fftfreq(5)), torch.fft.fftshift(torch.fft.fftfreq(5)))


def test_out_is_filled_and_known_to_have_changed():
    x = numbers((4, 6))
    out = torch.empty(4, 4, dtype=torch.complex128)
    assert ours.ihfft(x, out=out) is out
    same(out, torch.fft.ihfft(x))
    factor = numbers((4, 4)).requires_grad_()
    product = (factor * out).abs().sum()
    ours.rfft(x, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    with pytest.raises(RuntimeError, match="no derivative"):
        ours.rfft(x.clone().requires_grad_(), out=out)
    with pytest.raises(ValueError, match="shape of the result"):
        ours.rfft(x, out=out[:3])


def test_memory_is_not_copied(monkeypatch):
    from shardfft._functions import numpy_fft

    seen = []
    x = numbers((4, 6), torch.complex128)
    original = numpy_fft.fftn

    def spy(a, s, axes, norm, out, **keywords):
        seen.append((a.ctypes.data, out.ctypes.data))
        return original(a, s, axes, norm, out, **keywords)

    monkeypatch.setattr(numpy_fft, "fftn", spy)
    y = ours.fft(x[1:])
    assert seen == [(x[1:].data_ptr(), y.data_ptr())]


@pytest.mark.skipif(not hasattr(torch, "func"), reason=f"torch.func is not in PyTorch {torch.__version__}")
def test_functions_of_torch_func():
    x = numbers((3, 4, 5))
    same(torch.func.vmap(ours.rfft2, in_dims=1)(x), torch.fft.rfft2(x.movedim(1, 0)))
    loss = lambda f: lambda x: (f.rfft(x).abs() ** 4).sum()
    same(torch.func.vmap(torch.func.grad(loss(ours)))(x[0]), torch.func.vmap(torch.func.grad(loss(torch.fft)))(x[0]))
    same(torch.func.hessian(loss(ours))(x[0, 0]), torch.func.hessian(loss(torch.fft))(x[0, 0]))
    compiled = torch.compile(lambda x: 2 * ours.rfft(x), backend="eager")
    same(compiled(x), 2 * torch.fft.rfft(x))


@pytest.mark.parametrize("call, error, said", [
    (lambda: ours.fft(np.ones(3)), TypeError, "takes tensors"),
    (lambda: ours.fft(torch.ones(3, dtype=torch.float16)), TypeError, "4 or 8 bytes"),
    (lambda: ours.rfft(torch.ones(3, dtype=torch.complex64)), TypeError, "use fft"),
    (lambda: ours.fft(torch.ones(3, device="meta")), TypeError, "on the CPU; got .* on meta"),
    (lambda: ours.fft(torch.ones(3).to_sparse()), TypeError, "dense"),
    (lambda: ours.fft(torch.ones(3), -1), ValueError, r"data points \(-1\)"),
    (lambda: ours.fftn(torch.ones(3), (0,)), ValueError, r"lengths are at least 1; got \[0\]"),
    (lambda: ours.fft(torch.ones(3), norm="full"), ValueError, "norm is None"),
    (lambda: ours.hfft(torch.ones(3), norm="full"), ValueError, "norm is None"),
    (lambda: ours.fft(torch.ones(3), dim=1), IndexError, "axis 1 is out of bounds"),
    (lambda: ours.fftn(torch.ones(3, 3), dim=(0, -2)), ValueError, "transformed once"),
    (lambda: ours.fftn(torch.ones(3, 3), (3, 3), (0,)), ValueError, "2 lengths of 1 axes"),
    (lambda: ours.rfftn(torch.ones(3), dim=()), ValueError, "at least 1 axis"),
    (lambda: ours.fft(torch.ones(3), 2.5), TypeError, "float"),
])
def test_what_is_wrong_is_said(call, error, said):
    with pytest.raises(error, match=said):
        call()
