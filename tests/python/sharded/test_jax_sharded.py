"""shardfft.jax on arrays that are sharded over devices of one process: the bits of the whole array, no gather."""

import math
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed; tools/setup bindings_check installs it")
jax.config.update("jax_num_cpu_devices", 4)
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # compiling takes most of the time
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

import shardfft
import shardfft.jax as fft
from shardfft import _linear
from shardfft.jax import _by_xla, _passes
from shardfft._sharded.exchanges import one_by_one
from shardfft._sharded.maps import Map, steps_of

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = [name + many for name in ONE[:4] for many in "2n"]
PROBLEMS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "30"))


def mesh_of(*sizes, explicit=False):
    devices = np.array(jax.devices()[:math.prod(sizes)]).reshape(sizes)
    kind = AxisType.Explicit if explicit else AxisType.Auto
    return Mesh(devices, tuple("xyz"[:len(sizes)]), axis_types=(kind,) * len(sizes))


def numbers(shape, dtype, seed=1):
    real, imaginary = np.random.default_rng(seed).standard_normal((2, *shape))
    return (real + 1j * imaginary if np.dtype(dtype).kind == "c" else real).astype(dtype)


def put(x, mesh, *spec):
    return jax.device_put(x, NamedSharding(mesh, P(*spec)))


def expect_bits(ours, whole, theirs):
    assert ours.dtype == whole.dtype and ours.shape == whole.shape and np.array_equal(np.asarray(ours), whole)
    tolerance = 2e-5 if whole.dtype.char in "fF" else 1e-12
    assert np.linalg.norm(whole - theirs) <= tolerance * np.linalg.norm(theirs)


def collectives(function, *arguments):
    """Names and number of what moves data in the compiled program."""
    text = jax.jit(function).lower(*arguments).compile().as_text()
    found = re.findall(r" (all-to-all|all-gather|all-reduce|collective-permute|reduce-scatter)(?:-start)?\(", text)
    return {name: found.count(name) for name in found}


def exchanges(count, devices):
    """What collectives() finds: each device sends a piece to each other one."""
    return {"collective-permute": count * (devices - 1)}


def random_spec(rng, mesh, shape):
    """Some axes of the mesh, at axes that they divide."""
    cuts = [[] for _ in shape]
    for name in rng.permutation(list(mesh.shape)):
        axis = rng.integers(len(shape) + 1)
        if axis < len(shape) and shape[axis] % math.prod(mesh.shape[n] for n in [*cuts[axis], name]) == 0:
            cuts[axis].append(str(name))
    return P(*(tuple(c) if len(c) > 1 else c[0] if c else None for c in cuts))


def random_call(rng, name, shape):
    keywords = {"norm": [None, "backward", "ortho", "forward"][rng.integers(4)]}
    lengths = [int(max(1, n + rng.integers(-3, 4))) for n in shape]
    ndim = len(shape)
    if name in ONE:
        axis = int(rng.integers(-ndim, ndim))
        keywords["axis"] = axis
        if rng.random() < 0.5:
            keywords["n"] = lengths[axis]
    else:
        count = 2 if name.endswith("2") else rng.integers(1, ndim + 1)
        axes = tuple(int(axis) for axis in rng.permutation(ndim)[:count])
        keywords["axes"] = axes
        if rng.random() < 0.5:
            keywords["s"] = tuple(lengths[axis] for axis in axes)
    return keywords


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_random_calls_have_the_bits_of_the_whole_array(seed):
    rng = np.random.default_rng(seed)
    name = str(rng.choice(ONE + SEVERAL))
    ndim = int(rng.integers(2 if name.endswith("2") else 1, 5))
    shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16], ndim))
    if name.startswith(("irfft", "hfft")):
        shape = tuple(max(n, 2) for n in shape)
    sizes = [(2,), (3,), (4,), (2, 2), (1, 3), (4, 1)][rng.integers(6)]
    mesh = mesh_of(*sizes, explicit=bool(rng.integers(2)))
    x = numbers(shape, rng.choice(list("fd" if name.startswith(("rfft", "ihfft")) else "FD")), seed)
    keywords, spec = random_call(rng, name, shape), random_spec(rng, mesh, shape)
    whole, theirs = getattr(shardfft, name)(x, **keywords), getattr(np.fft, name)(x, **keywords)
    out = ["input", None, random_spec(rng, mesh, whole.shape)][rng.integers(3)]
    print(f"seed {seed}: {name} of {shape} {x.dtype}, {keywords}, {spec} to {out} on {mesh}")
    call = lambda x: getattr(fft, name)(x, **keywords, out_sharding=out)
    with jax.set_mesh(mesh):
        try:
            result = call(put(x, mesh, *spec))
        except ValueError as error:
            alone = ndim == 1 and spec != P(None)
            assert alone or not any(n % m == 0 for n in whole.shape for m in mesh.devices.shape)
            assert ("of one axis" if alone else "cannot cut") in str(error)
            return
        expect_bits(result, whole, theirs)
        if isinstance(out, P):
            assert result.sharding.is_equivalent_to(NamedSharding(mesh, out), ndim)
        expect_bits(jax.jit(call)(put(x, mesh, *spec)), whole, theirs)


FORWARD = {
    "c2c": (lambda x: fft.fftn(x), np.complex128),
    "r2c": (lambda x: fft.rfftn(x), np.float64),
    "c2r": (lambda x: fft.irfftn(x, (8, 12, 10), (0, 1, 2)), np.complex128),
}


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("kind", FORWARD)
def test_programs_exchange_twice_and_gather_nothing(kind, explicit):
    function, dtype = FORWARD[kind]
    mesh = mesh_of(4, explicit=explicit)
    x = put(numbers((8, 12, 6 if kind == "c2r" else 10), dtype), mesh, "x")
    loss = lambda x: jnp.sum(jnp.abs(function(x)) ** 2)
    with jax.set_mesh(mesh):
        assert collectives(function, x) == exchanges(2, 4)
        backward = collectives(jax.grad(loss), x)
    assert backward.pop("all-reduce", 0) <= 1 and backward == exchanges(4, 4)  # a sum of scalars


def test_pencils_and_cheapest_layouts_exchange_as_often_as_they_must():
    mesh = mesh_of(2, 2)
    x = put(numbers((8, 8, 8), "D"), mesh, "x", "y")
    assert collectives(fft.fftn, x) == exchanges(4, 2)
    assert collectives(lambda x: fft.fftn(x, axes=(2,)), x) == {}
    moved = NamedSharding(mesh, P(None, "x", "y"))
    assert collectives(lambda x: fft.fftn(x, out_sharding=moved), x) == exchanges(2, 2)


def gradient_of(name, weights, x, keywords):
    """Of the real part of a weighted sum, by NumPy alone: a transform of each unit vector."""
    units = np.eye(x.size).reshape(x.size, *x.shape)
    along = lambda y: np.real(weights * getattr(np.fft, name)(y, **keywords)).reshape(x.size, -1).sum(1)
    result = along(units) - (1j * along(1j * units) if x.dtype.kind == "c" else 0)
    return result.reshape(x.shape)


@pytest.mark.parametrize("explicit, name, shape, keywords, sizes, spec, out", [
    (True, "fftn", (4, 3, 5), {"axes": (-3, -2, -1)}, (4,), ("x",), "input"),
    (False, "fftn", (4, 3, 6), {"axes": (-1, -3), "s": (4, 7), "norm": "ortho"}, (2,), ("x",), P(None, None, "x")),
    (True, "ifftn", (4, 2, 6), {"axes": (-3, -2, -1), "norm": "forward"}, (2, 2), ("x", "y"), None),
    (False, "rfftn", (4, 3, 6), {"axes": (-3, -2, -1)}, (2, 2), (("y", "x"),), "input"),
    (False, "rfft2", (4, 3, 7), {"s": (4, 5)}, (3,), (None, "x"), None),
    (True, "rfft", (3, 4, 8), {"axis": -1, "norm": "ortho"}, (4,), (None, None, "x"), P(None, "x")),
    (True, "irfftn", (4, 3, 5), {"axes": (-3, -2, -1), "s": (6, 3, 8)}, (2,), ("x",), "input"),
    (False, "irfftn", (4, 3, 4), {"axes": (-2, -3), "s": (2, 9)}, (2, 2), ("x", None, "y"), None),
    (False, "hfft", (4, 5), {"axis": -2}, (2,), ("x",), "input"),
    (True, "ihfft", (4, 6), {"axis": -1, "n": 5}, (4,), ("x",), "input"),
])
def test_gradients_are_those_of_numpy_and_sharded_like_the_input(explicit, name, shape, keywords, sizes, spec, out):
    mesh = mesh_of(*sizes, explicit=explicit)
    x = numbers(shape, "d" if name.startswith(("rfft", "ihfft")) else "D")
    weights = numbers(getattr(np.fft, name)(x, **keywords).shape, "D", 2)
    wanted = gradient_of(name, weights, x, keywords)
    call = lambda x: getattr(fft, name)(x, **keywords, out_sharding=out)
    loss = lambda x: jnp.sum(jnp.real(weights * call(x)))
    with jax.set_mesh(mesh):
        placed = put(x, mesh, *spec)
        outside, within = jax.grad(loss)(placed), jax.jit(jax.grad(loss))(placed)
        for gradient in outside, within:
            assert np.abs(gradient - wanted).max() < 1e-12 * np.abs(wanted).max()
        assert outside.sharding.is_equivalent_to(placed.sharding, x.ndim)
        assert not explicit or jax.typeof(within).sharding == jax.typeof(placed).sharding
        direction = numbers(shape, x.dtype, 3)
        value, change = jax.jvp(call, (placed,), (put(direction, mesh, *spec),))
        for result, given in (value, x), (change, direction):
            expect_bits(result, getattr(shardfft, name)(given, **keywords), getattr(np.fft, name)(given, **keywords))


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("spec, axis", [(("x",), 0), ((None, "x"), 2)])
def test_vmap_leaves_batches_where_they_are(spec, axis, explicit):
    mesh = mesh_of(2, explicit=explicit)
    x = numbers((4, 6, 8), "D")
    call = jax.vmap(lambda x: fft.fftn(x), axis, axis)
    others = tuple(i for i in range(3) if i != axis)
    placed = put(x, mesh, *spec)
    with jax.set_mesh(mesh):
        for result in call(placed), jax.jit(call)(placed):
            expect_bits(result, shardfft.fftn(x, axes=others), np.fft.fftn(x, axes=others))
            assert result.sharding.is_equivalent_to(placed.sharding, 3)
        moved = jax.vmap(lambda x: fft.fft2(x, out_sharding=P(None, "x")), 0)(put(x, mesh, None, "x"))
    assert moved.sharding.is_equivalent_to(NamedSharding(mesh, P(None, None, "x")), 3)
    expect_bits(moved, shardfft.fft2(x), np.fft.fft2(x))


def test_second_derivatives_and_losses_are_jaxs():
    loss = lambda f: lambda x: (f.irfft2(f.rfft2(x) ** 2, s=x.shape) ** 2).sum()
    x, direction = numbers((4, 6), "d"), numbers((4, 6), "d", 2)
    hessian = lambda f: jax.jit(jax.grad(lambda x: jnp.vdot(jax.grad(loss(f))(x), direction)))
    wanted = hessian(jnp.fft)(x)
    for spec in (("x",), (None, "x")):
        assert np.abs(hessian(fft)(put(x, mesh_of(2), *spec)) - wanted).max() < 1e-12 * np.abs(wanted).max()


def test_parts_may_be_uneven_within_a_program():
    mesh = mesh_of(2, 2)
    x = numbers((5, 4, 12), "d")
    placed = put(x, mesh, None, None, "x")
    smooth = lambda x: fft.irfftn(fft.rfftn(x) * 2, x.shape, (0, 1, 2))  # a half spectrum has 7 elements
    expect_bits(jax.jit(smooth)(placed), shardfft.irfftn(2 * shardfft.rfftn(x), x.shape, (0, 1, 2)), 2 * x)
    assert "all-gather" not in collectives(smooth, placed)
    for spec in (P(("x", "y")), P(("y", "x")), P("y", "x"), P(None, ("x", "y"))):  # 5 elements in 4 parts
        kept = jax.jit(lambda x: fft.fftn(jax.lax.with_sharding_constraint(x + 0j, NamedSharding(mesh, spec))))
        expect_bits(kept(placed), shardfft.fftn(x), np.fft.fftn(x))


def test_results_that_the_mesh_cannot_divide_are_cut_elsewhere():
    mesh = mesh_of(4)
    x = numbers((4, 3, 8), "d")
    half = fft.rfftn(put(x, mesh, None, None, "x"))
    assert half.shape == (4, 3, 5) and half.sharding.is_equivalent_to(NamedSharding(mesh, P("x")), 3)
    with pytest.raises(ValueError, match=r"result of shape \(3, 5\), which .'x': 4. cannot cut"):
        fft.rfft(put(x[0], mesh, None, "x"))
    with pytest.raises(ValueError, match=r"got out_sharding=P.*None, None, 'x'. for a result of shape"):
        fft.rfftn(put(x, mesh, "x"), out_sharding=P(None, None, "x"))


def test_results_may_be_brought_to_any_sharding_of_the_mesh():
    mesh = mesh_of(2, 2)
    x = numbers((4, 8, 4), "D")
    for before, after in (((), ("x", "y")), (("x",), ("y",)), (("x", "y"), ()), ((("x", "y"),), (None, "y"))):
        result = fft.fftn(put(x, mesh, *before), out_sharding=P(*after))
        assert result.sharding.is_equivalent_to(NamedSharding(mesh, P(*after)), 3)
        expect_bits(result, shardfft.fftn(x), np.fft.fftn(x))
    wanted = NamedSharding(mesh, P("x"))
    result = fft.fftn(jnp.asarray(x), out_sharding=wanted)
    assert result.sharding.is_equivalent_to(wanted, 3) and np.array_equal(result, shardfft.fftn(x))
    assert fft.fftn(put(x, mesh, "x"), axes=(), out_sharding=P(None, "x")).sharding.spec == P(None, "x")


def test_more_devices_than_elements_and_arrays_without_elements():
    mesh = mesh_of(4)
    x = numbers((4, 3, 2), "F")
    expect_bits(fft.fftn(put(x, mesh, "x")), shardfft.fftn(x), np.fft.fftn(x))
    assert fft.fft(put(np.zeros((4, 0, 8)), mesh, "x"), axis=2).shape == (4, 0, 8)
    grown = fft.fft(put(numbers((4, 1), "D"), mesh, "x"), 3)  # one point along the axis
    assert grown.shape == (4, 3)


def test_one_device_of_several_and_meshes_of_one():
    x = numbers((6, 5), "D")
    on_second = jax.device_put(x, jax.devices()[1])
    assert fft.fftn(on_second).devices() == {jax.devices()[1]} and np.array_equal(fft.fftn(on_second), shardfft.fftn(x))
    for explicit in (False, True):
        with jax.set_mesh(mesh_of(1, explicit=explicit)) as mesh:
            placed = put(x, mesh_of(1, explicit=explicit), "x")
            for result in fft.fftn(placed), jax.jit(fft.fftn)(placed):
                assert np.array_equal(result, shardfft.fftn(x))


def test_shard_map_of_others_transforms_parts():
    mesh = mesh_of(2)
    x = numbers((4, 6), "d")
    rows = jax.shard_map(lambda x: fft.rfft(x), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    assert np.array_equal(rows(put(x, mesh, "x")), shardfft.rfft(x))
    loss = lambda f: lambda x: jnp.sum(jnp.abs(f(x)) ** 3)
    wanted = jax.grad(loss(jnp.fft.rfft))(x)
    assert np.abs(jax.jit(jax.grad(loss(rows)))(x) - wanted).max() < 1e-12 * np.abs(wanted).max()


@pytest.mark.parametrize("kind, shape, s, axes, norm", [
    ("fft", (4, 5, 6), (4, 7), (2, 0), None), ("ifft", (4, 1, 6), (4, 3, 6), (0, 1, 2), "ortho"),
    ("rfft", (4, 5, 6), (4, 9, 6), (0, 1, 2), "forward"), ("irfft", (4, 5, 6), (4, 7), (2, 0), None)])
def test_gpus_transform_parts_by_xla(kind, shape, s, axes, norm):
    """The program is lowered for a GPU, which is not here; its transforms run on the CPU."""
    x = numbers(shape, "d" if kind == "rfft" else "D")
    what = Map.of(_linear.transform(kind, shape, s, axes, norm), shape)
    whole = ((),) * 3
    steps = steps_of(what, one_by_one(()), whole, None)[0]
    y = jax.jit(lambda x: _by_xla.run_steps(x, steps, shape, {}, whole))(x)
    np.testing.assert_allclose(y, getattr(np.fft, kind + "n")(x, s, axes, norm), 1e-12, 1e-12)
    placed = put(x, mesh_of(2, explicit=True), "x")
    program = jax.jit(lambda x: getattr(fft, kind + "n")(x, s, axes, norm, out_sharding=None)).trace(placed)
    text = program.lower(lowering_platforms=("cuda",)).as_text()
    assert "stablehlo.fft" in text and "all_to_all" in text and "shardfft_pass" not in text


@pytest.mark.parametrize("out, error, said", [
    ("any", TypeError, "out_sharding is"),
    (P("z"), ValueError, "z"),
    (P("x", "x"), Exception, "duplicate"),
    (P(None, None, "x"), ValueError, "each of 2 axes"),
    (P(P.UNCONSTRAINED), ValueError, "each of 2 axes"),
    (lambda: NamedSharding(mesh_of(3), P("x")), ValueError, "on the mesh of the input"),
])
def test_what_is_wrong_is_said(out, error, said):
    with pytest.raises(error, match=said):
        fft.fft(put(numbers((4, 6), "D"), mesh_of(2), "x"), out_sharding=out() if callable(out) else out)


def test_axes_of_several_types_are_refused():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto))
    with pytest.raises(NotImplementedError, match="all Auto, all Explicit or all Manual"):
        fft.fft(put(numbers((4, 6), "D"), mesh, "x"))
    partly = jax.shard_map(fft.fft, mesh=mesh_of(2, 2), in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    with pytest.raises(NotImplementedError, match="shard_map.. over all axes"):
        jax.jit(partly)(numbers((4, 6), "D"))


def test_errors_within_a_program_are_raised(monkeypatch):
    def fail(text):
        raise MemoryError("no memory for a plan")

    monkeypatch.setattr(_passes, "written_pass", fail)
    with pytest.raises(jax.errors.JaxRuntimeError, match="MemoryError: no memory for a plan"):
        np.asarray(jax.jit(fft.fftn)(numbers((4, 5), "D")))


@pytest.mark.parametrize("last", [
    "y = fft.fftn(put(x))",  # on several devices
    "for _ in range(8): fft.fftn(put(x))",  # of which nothing is kept
    "jax.jit(lambda x: fft.fftn(jax.lax.fori_loop(0, 99, lambda i, x: jax.numpy.sort(x), x)))(x)",  # on one
])
def test_a_program_may_still_run_when_the_interpreter_ends(last):
    code = ("import jax; jax.config.update('jax_num_cpu_devices', 4); import shardfft.jax as fft\n"
            "from jax.sharding import NamedSharding, PartitionSpec as P\n"
            "mesh, x = jax.make_mesh((4,), ('x',)), jax.numpy.ones((64, 64, 64))\n"
            "put = lambda x: jax.device_put(x, NamedSharding(mesh, P('x')))\n")
    subprocess.run([sys.executable, "-c", code + last], check=True, timeout=60)


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_have_the_bits_of_the_whole_array(processes):
    program = Path(__file__).with_name("jax_program.py")
    port = free_port()
    ranks = [subprocess.Popen([sys.executable, program, str(rank), str(processes), str(port)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) for rank in range(processes)]
    try:
        said = [rank.communicate(timeout=120)[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0] * processes, "\n".join(said)
