"""shardfft.jax: results are those of numpy.fft and jax.numpy.fft, derivatives those that JAX measures."""


import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; tools/setup bindings_check installs it")
import jax.numpy as jnp
from jax.test_util import check_grads

import shardfft
import shardfft.jax as ours

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # compiling takes most of the time

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = [name + several for name in ONE[:4] for several in "2n"]
NORMS = [None, "backward", "ortho", "forward"]


def numbers(shape, dtype=np.float64):
    real, imaginary = np.random.default_rng(1).standard_normal((2, *shape))
    return jnp.asarray(real + 1j * imaginary if np.dtype(dtype).kind == "c" else real, dtype)


def input_of(name, shape, single=False):
    real, complex_ = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    return numbers(shape, real if name.startswith(("rfft", "ihfft")) else complex_)


def same(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    tolerance = 1e-5 if a.dtype.itemsize < (16 if np.iscomplexobj(a) else 8) else 1e-12
    np.testing.assert_allclose(a, b, tolerance, tolerance * np.abs(b).max(initial=0))


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("norm", NORMS)
def test_one_axis_is_as_numpys(name, norm):
    function, theirs = getattr(ours, name), getattr(np.fft, name)
    x = input_of(name, (5, 6, 7), single=norm == "ortho")
    for n, axis in ((None, -1), (9, 0), (4, 2), (6, -2)):
        same(function(x, n, axis, norm), theirs(x, n, axis, norm))


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("norm", NORMS)
def test_several_axes_are_as_numpys(name, norm):
    x = input_of(name, (4, 5, 6))
    function, theirs = getattr(ours, name), getattr(np.fft, name)
    same(function(x, norm=norm), theirs(x, norm=norm))
    same(function(x, (3, 8), (1, 0), norm), theirs(x, (3, 8), (1, 0), norm))
    if norm == "ortho":
        same(jax.jit(lambda x: function(x, (7, 3), (2, 1), norm))(x), theirs(x, (7, 3), (2, 1), norm))


@pytest.mark.parametrize("name", ONE + ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("norm", NORMS[1:])
@pytest.mark.parametrize("n", [6, 7])
def test_derivatives_are_those_measured(name, norm, n):
    x = input_of(name, (3, 4))
    if name.endswith("n"):
        call = lambda x: getattr(ours, name)(x, (2, n), (0, 1), norm)  # one axis is cut, the other filled
    else:
        call = lambda x: getattr(ours, name)(x, n, 1, norm)
    check_grads(call, (x,), order=2 if norm == "ortho" else 1, modes=("fwd", "rev"))


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_derivatives_along_any_axis(name, n):
    x = input_of(name, (n // 2 + 1 if name in ("irfft", "hfft") else n, 3))
    check_grads(lambda x: getattr(ours, name)(x, n, 0), (x,), order=1)


def test_a_loss_has_jaxs_gradient_under_jit_and_vmap():
    def loss(f):
        return lambda x: (f.irfft2(f.rfft2(x) ** 2, s=x.shape) ** 2).sum() + jnp.abs(f.fft(x, axis=0)).sum()

    def gradients(f):
        return jax.jit(jax.vmap(jax.grad(loss(f)), 1, 2))

    x = numbers((3, 2, 5))
    same(gradients(ours)(x), gradients(jnp.fft)(x))


def test_second_derivatives_are_jaxs():
    def hessian(f):
        return jax.jit(jax.hessian(lambda x: (f.irfft(f.rfft(x) ** 2, 5) ** 2).sum()))

    x = numbers((5,))
    same(hessian(ours)(x), hessian(jnp.fft)(x))


def test_integers_reals_and_single_precision():
    same(ours.fft(jnp.arange(6)), jnp.fft.fft(jnp.arange(6)))
    same(ours.rfft([1, 2, 3]), jnp.fft.rfft(jnp.array([1, 2, 3])))
    same(ours.irfft(jnp.ones(4, np.float32)), jnp.fft.irfft(jnp.ones(4, np.float32)))
    assert ours.fft(jnp.zeros((0, 4))).shape == (0, 4)
    same(ours.fftshift(ours.fftfreq(5)), jnp.fft.fftshift(jnp.fft.fftfreq(5)))
    with jax.enable_x64(False):
        assert jax.grad(lambda x: jnp.abs(ours.rfft(x)).sum())(jnp.arange(6.0)).dtype == np.float32


def test_many_at_a_time_in_one_program():
    x = numbers((64, 64, 64))
    result = jax.jit(lambda x: sum(ours.irfftn(ours.rfftn(k * x)) for k in range(1, 9)))(x)
    np.testing.assert_allclose(result, 36 * x, 0, 1e-12)


def test_memory_is_not_copied(monkeypatch):
    from shardfft._functions import numpy_fft

    seen = []
    original = numpy_fft.fftn

    def spy(a, s, axes, norm, out, **keywords):
        seen.append((a.ctypes.data, out.ctypes.data))
        return original(a, s, axes, norm, out, **keywords)

    monkeypatch.setattr(numpy_fft, "fftn", spy)
    x = numbers((64, 64), np.complex128)
    y = ours.fftn(x)
    assert seen == [(x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer())]


def test_memory_is_not_copied_within_a_program(monkeypatch):
    from shardfft._sharded import maps

    seen, original = [], maps.transformed

    def spy(x, part, axes, out, *others):
        seen.append((x.ctypes.data, out.ctypes.data))
        return original(x, part, axes, out, *others)

    monkeypatch.setattr(maps, "transformed", spy)
    x = numbers((64, 64), np.complex128)
    y = jax.jit(ours.fftn)(x)
    assert np.array_equal(y, shardfft.fftn(np.asarray(x)))
    assert seen == [(x.unsafe_buffer_pointer(), y.unsafe_buffer_pointer())]


@pytest.mark.parametrize("call, error, said", [
    (lambda: ours.fft(jnp.ones(3, jnp.bfloat16)), TypeError, "4 or 8 bytes; got bfloat16"),
    (lambda: ours.rfft(jnp.ones(3, complex)), TypeError, "use fft"),
    (lambda: ours.fft(jnp.ones(3), -1), ValueError, r"data points \(-1\)"),
    (lambda: ours.fftn(jnp.ones(3), (0,)), ValueError, r"lengths are at least 1; got \[0\]"),
    (lambda: ours.hfft(jnp.ones(3), norm="full"), ValueError, "norm is None"),
    (lambda: jax.jit(lambda x: ours.fft(x, axis=1))(jnp.ones(3)), IndexError, "axis 1 is out of bounds"),
    (lambda: ours.fftn(jnp.ones((3, 3)), axes=(0, -2)), ValueError, "transformed once"),
    (lambda: ours.fftn(jnp.ones((3, 3)), (3, 3), (0,)), ValueError, "2 lengths of 1 axes"),
])
def test_what_is_wrong_is_said(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_plans_do_not_write_into_arrays_of_jax():
    x = numbers((4, 6))
    before = np.array(x)
    plan = shardfft.Plan((4, 6), kind="r2c", apply="to_outputs")
    spectrum = plan.forward(x)
    assert np.allclose(spectrum.local, np.fft.rfftn(before)) and plan.verify(x, jnp.asarray(spectrum.local)).ok
    for write in (lambda: plan.backward(np.zeros((4, 4), "D"), x),
                  lambda: plan.start(spectrum, x, direction="backward"),
                  lambda: plan.apply(np.zeros((4, 6)), lambda modes: 0, x)):
        with pytest.raises(shardfft.InvalidArgument, match="JAX"):
            write()
    assert np.array_equal(x, before)


def test_signals_come_back_to_jax_and_unknown_numbers_are_refused():
    x = numbers((4, 6))
    for ours, theirs in ((shardfft.convolve(x, x), shardfft.convolve(np.array(x), np.array(x))),
                         (shardfft.power_spectrum(x), shardfft.power_spectrum(np.array(x)))):
        assert isinstance(ours, jax.Array) and np.array_equal(ours, theirs)
    with pytest.raises(TypeError, match="bfloat16"):
        shardfft.fft(x.astype("bfloat16"))
