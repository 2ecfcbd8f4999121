"""Kinds and modes of plans, operators between two transforms, adjoints."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
from test_plans import field, fill

import shardfft as sf
from shardfft import spectral

SHAPE = (8, 9, 10)
ONES = (1.0, 1.0, 1.0)


def plan_of(comm=None, **arguments):
    return sf.Plan(SHAPE, **{"kind": "r2c", "comm": comm, "input": "slabs:0", "apply": "to_outputs", **arguments})


def whole_result(ranks, operate, **arguments):
    """What operate(plan) as an operator makes of a field, gathered; the same hash on any ranks is the caller's."""
    def work(comm):
        plan = plan_of(comm, **arguments)
        u = plan.make_input()
        fill(u, field(u.shape, u.dtype))
        v = plan.apply(u, operate(plan))
        return v.gather(), v.hash()

    return sf.on_ranks(ranks, work)[0]


def by_numpy(x, factors):
    return np.fft.irfftn(factors * np.fft.rfftn(x), x.shape, axes=range(x.ndim))


def frequencies(shape, half=True):
    k = [np.fft.fftfreq(n, 1 / n) for n in shape]
    if half:
        k[-1] = np.fft.rfftfreq(shape[-1], 1 / shape[-1])
    return np.ix_(*k)


def smoothing(x, y, z):
    return 1 / (1 + x * x + y * y + z * z)


SAME = {
    "returned": lambda plan: lambda m: m.values * smoothing(*m.frequencies()),
    "complex factors": lambda plan: factors_of(plan, None),
    "real factors": lambda plan: factors_of(plan, "d"),
    "ready": lambda plan: spectral.inverse_laplace(plan, (2 * np.pi,) * 3, shift=1),
}


def in_place(plan):
    def operate(modes):
        modes.values[:] *= smoothing(*(modes.frequency(axis) for axis in (0, 1, -1)))
    return operate


def in_c(plan):
    @sf.c_operator
    def operate(pointer, user):
        m = pointer.contents
        values = np.ctypeslib.as_array(ctypes.cast(m.data, ctypes.POINTER(ctypes.c_double)), (m.count, 2))
        k = [np.array([m.wave[a][m.first[a] + (i if a == m.axis else 0)] for i in range(m.count)]) for a in range(3)]
        values *= smoothing(*k)[:, None]
    return operate


SAME |= {"in place": in_place, "in C": in_c,
         "by address": lambda plan: ctypes.cast(KEPT.setdefault("f", in_c(plan)), ctypes.c_void_p).value}
KEPT = {}


def factors_of(plan, dtype):
    factors = plan.make_middle(dtype)
    factors.local[...] = smoothing(*plan.frequencies())
    return factors


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("form", SAME)
def test_an_operator_in_any_form_does_what_three_steps_do(form, ranks):
    wanted = by_numpy(field(SHAPE, "d"), smoothing(*frequencies(SHAPE)))
    result, number = whole_result(ranks, SAME[form])
    assert np.linalg.norm(result - wanted) <= 1e-14 * np.linalg.norm(wanted)
    assert number == whole_result(2, SAME[form])[1]


@pytest.mark.parametrize("form", ["in place", "complex factors", "real factors"])
def test_single_precision_and_factors_of_another_type(form):
    wanted = by_numpy(field(SHAPE, "f"), smoothing(*frequencies(SHAPE)))
    result, _ = whole_result(2, SAME[form], dtype="f4")
    assert result.dtype == np.float32 and np.linalg.norm(result - wanted) <= 1e-6 * np.linalg.norm(wanted)


def test_ready_operators_take_the_spacing_of_points_that_are_no_cubes():
    spacing = .25, 1.5, .7
    x, k = field(SHAPE, "d"), [2 * np.pi * f / n / h for f, n, h in zip(frequencies(SHAPE), SHAPE, spacing)]
    k2, sides = sum(a * a for a in k), [n * h for n, h in zip(SHAPE, spacing)]
    odd = np.where(np.abs(frequencies(SHAPE)[0]) == 4, 0, k[0])
    for operate, factors in [
        (lambda p: spectral.gaussian(p, sigma=.3, spacing=spacing), np.exp(-.045 * k2)),
        (lambda p: spectral.lowpass(p, cutoff=3.3, spacing=np.array(spacing)), k2 <= 3.3**2),
        (lambda p: spectral.filter(p, high_pass=3.3, edge="hard", sigma=.3, derivatives=[(0, 1)], spacing=spacing),
         1j * odd * (k2 > 3.3**2) * np.exp(-.045 * k2)),
        (lambda p: spectral.derivative(p, 0, spacing=.25), 1j * odd),
        (lambda p: spectral.derivative(p, -2, 2, spacing=spacing), -k[1] ** 2),
        (lambda p: spectral.shift(p, distances=(0, .4, 0), spacing=spacing), np.exp(-.4j * k[1])),
        (lambda p: spectral.inverse_laplace(p, shift=1, spacing=spacing), 1 / (1 + k2)),
        (lambda p: spectral.inverse_laplace(p, shift=1, spacing=spacing, differences=2),
         1 / (1 + sum((2 / h * np.sin(a * h / 2)) ** 2 for a, h in zip(k, spacing)))),
    ]:
        wanted = by_numpy(x, factors)
        result, _ = whole_result(2, operate)
        assert np.linalg.norm(result - wanted) <= 1e-13 * np.linalg.norm(wanted)
    vectors = sf.Plan((1, *SHAPE), kind="r2c", axes=(1, 2, 3), apply="to_outputs", components_in=1,
                      components_out=3)
    slopes = [vectors.apply(x[None], spectral.gradient(vectors, **box)).gather() for box in (
        {"spacing": (0, *spacing)}, {"lengths": (0, *sides)})]
    assert np.array_equal(*slopes)
    assert np.allclose(slopes[0][0], by_numpy(x, 1j * odd), rtol=0, atol=1e-12)
    for make in (spectral.divergence, spectral.curl, spectral.project):
        three = sf.Plan((3, *SHAPE), kind="r2c", axes=(1, 2, 3), apply="to_outputs", components_in=3,
                        components_out=1 if make is spectral.divergence else 3)
        of_both = [three.apply(slopes[0], make(three, **box)).gather() for box in (
            {"spacing": (0, *spacing)}, {"lengths": (0, *sides)})]
        assert np.allclose(*of_both, rtol=0, atol=1e-11)


@pytest.mark.parametrize("box, match", [
    ({"spacing": (1, 0, 1)}, "spacing of points is positive and finite; got 0 along axis 1"),
    ({"spacing": -1}, "got -1 along axis 0"), ({"spacing": np.nan}, "got nan"),
    ({"lengths": (1, 1, np.inf)}, "got inf"),
    ({"spacing": (1, 1)}, "one spacing for each axis of the array, 3; got 2"), ({"spacing": "abc"}, "a real number"),
    ({}, "got neither"), ({"spacing": 1, "lengths": ONES}, "got both")])
def test_a_box_that_is_none_is_one_error_on_every_rank(box, match):
    def work(comm):
        plan = plan_of(comm)
        for make, more in [(spectral.gaussian, {"sigma": 1}), (spectral.lowpass, {"cutoff": 1}),
                           (spectral.shift, {"distances": 1}), (spectral.inverse_laplace, {})]:
            with pytest.raises(sf.InvalidArgument, match=match):
                make(plan, **(box if comm.rank == 1 else {"spacing": 1.0}), **more)
        return plan.apply(plan.make_input(), spectral.gaussian(plan, ONES, .1)).norm()

    assert sf.on_ranks(2, work) == [0, 0]


def test_ready_operators_are_those_of_their_formulas():
    x = field(SHAPE, "d")
    lengths = 2.0, 3.0, 5.0
    k = [2 * np.pi / length * f for length, f in zip(lengths, frequencies(SHAPE))]
    k2 = sum(a * a for a in k)
    kernel = field(SHAPE, "d", 9)
    kernel_hat = np.fft.rfftn(kernel)
    odd = np.where(np.abs(frequencies(SHAPE)[0]) == 4, 0, k[0])  # the highest frequency of 8 points
    phase = np.exp(-0.25j * k[1])

    def stored(plan):
        b = plan.make_middle()
        b.local[...] = kernel_hat[tuple(slice(lo, hi) for lo, hi in zip(*plan.middle.boxes(plan.comm.rank)[0]))]
        return b

    for operate, factors in [
        (lambda p: spectral.gaussian(p, lengths, 0.1), np.exp(-0.005 * k2)),
        (lambda p: spectral.lowpass(p, lengths, 4.0), k2 <= 16),
        (lambda p: spectral.derivative(p, 0, 1, 2.0), 1j * odd),
        (lambda p: spectral.derivative(p, 1, 2, 3.0), -k[1] ** 2),
        (lambda p: spectral.shift(p, lengths, (0, 0.25, 0)), phase),
        (lambda p: spectral.inverse_laplace(p, lengths), np.where(k2 > 0, 1 / np.where(k2 > 0, k2, 1), 0)),
        (lambda p: spectral.inverse_laplace(p, lengths, differences=2, shift=1), None),
        (lambda p: spectral.convolve(p, stored(p)), kernel_hat),
        (lambda p: spectral.correlate(p, stored(p)), np.conj(kernel_hat)),
    ]:
        if factors is None:
            h = [length / n for length, n in zip(lengths, SHAPE)]
            factors = 1 / (1 + sum((2 / d * np.sin(a * d / 2)) ** 2 for a, d in zip(k, h)))
        wanted = by_numpy(x, factors)
        result, _ = whole_result(2, operate)
        assert np.linalg.norm(result - wanted) <= 1e-13 * np.linalg.norm(wanted)


def test_fields_of_several_components():
    shape, lengths = (1, 6, 8, 10), (1, 1, 1, 1)
    k = [2j * np.pi * np.where(np.abs(f) == n // 2, 0, f) for f, n in zip(frequencies(shape[1:]), shape[1:])]
    x = field(shape[1:], "d")
    plan = sf.Plan(shape, kind="r2c", axes=(1, 2, 3), apply="to_outputs", components_in=1, components_out=3)
    for operate in (spectral.gradient(plan, lengths),
                    lambda m: np.stack([m.values[0] * 2j * np.pi * np.where(np.abs(f) == n // 2, 0, f)
                                        for f, n in zip(m.frequencies()[1:], shape[1:])])):
        gradient = plan.apply(x[None], operate)
        assert gradient.shape == (3, *shape[1:]) == plan.make_applied().shape
        for component, factors in zip(gradient.local, k):
            assert np.allclose(component, by_numpy(x, factors), atol=1e-12)
    back = sf.Plan((3, *shape[1:]), kind="r2c", axes=(1, 2, 3), apply="to_outputs", components_in=3, components_out=1)
    laplacian = back.apply(gradient, spectral.divergence(back, lengths))
    assert np.allclose(laplacian.local[0], by_numpy(x, sum(f * f for f in k)), atol=1e-9)
    vectors = sf.Plan((3, *shape[1:]), kind="r2c", axes=(1, 2, 3), apply="to_outputs", components_in=3)
    assert abs(vectors.apply(gradient, spectral.curl(vectors, lengths))).max() < 1e-9
    rest = vectors.apply(gradient, spectral.project(vectors, lengths))
    assert rest.norm() < 0.3 * gradient.norm()  # but for the highest frequencies, which have no derivative


def test_operators_on_points_and_on_reals():
    spectrum = field((8, 6), "D")
    mask = np.arange(48).reshape(8, 6) % 3 == 0
    plan = sf.Plan((8, 6), apply="to_inputs")
    wanted = np.fft.fftn(mask * np.fft.ifftn(spectrum))
    assert np.allclose(plan.apply_physical(spectrum.copy(), mask.astype("f")).local, wanted)
    x, y = plan.frequencies()
    assert np.allclose(x[:, 0], np.arange(8) / 8) and np.allclose(y[0], np.arange(6) / 6)

    half = sf.Plan((8, 6), kind="r2c", apply="to_inputs", dtype="f4")
    u_hat = np.fft.rfftn(field((8, 6), "d")).astype("F")
    masked = half.apply_physical(u_hat, mask)
    assert half.make_middle().dtype == np.float32
    assert np.allclose(masked.local, np.fft.rfftn(mask * np.fft.irfftn(u_hat)), atol=1e-5)
    assert np.allclose(half.apply_physical(u_hat, lambda m: m.values * 2).local, 2 * u_hat, atol=1e-4)


@pytest.mark.parametrize("ranks", [1, 2])
def test_kinds_of_axes_are_scipys(ranks):
    whole = field(SHAPE, "d")
    for kinds, wanted in [
        (("cosine2", "sine1", "fourier"), scipy.fft.rfft(scipy.fft.dst(scipy.fft.dct(whole, 2, axis=0), 1, axis=1))),
        (("fourier", "cosine4", "sine3"), None),
    ]:
        def work(comm):
            plan = sf.Plan(SHAPE, kind="r2c", kinds=kinds, comm=comm)
            u = plan.make_input()
            fill(u, whole)
            u_hat = plan.forward(u)
            assert plan.verify(u, u_hat).ok
            return u_hat.gather(), plan.backward(u_hat).gather()

        result, back = sf.on_ranks(ranks, work)[0]
        if wanted is None:  # half along the last Fourier axis
            wanted = np.fft.fft(scipy.fft.dct(scipy.fft.dst(whole, 3, axis=2), 4, axis=1), axis=0)[:5]
        assert np.allclose(result, wanted, rtol=1e-13, atol=1e-12) and np.allclose(back, whole)
    plan = sf.Plan((6, 5), kind="r2r", kinds="cosine3", orthonormal=True)
    y = plan.forward(whole[:6, :5, 0].copy())
    assert np.allclose(y.local, scipy.fft.dctn(whole[:6, :5, 0], 3, norm="ortho"))


def test_fewer_modes_and_points():
    whole = field(SHAPE, "d")
    plan = sf.Plan(SHAPE, kind="r2c", modes=(5, 0, 7), support=(8, 4, 10))
    u = plan.make_input()
    assert u.shape == (8, 4, 10)
    u.local[...] = whole[:, :4]
    padded = np.zeros(SHAPE)
    padded[:, :4] = whole[:, :4]
    spectrum = plan.forward(u)
    assert spectrum.shape == (5, 9, 4)
    assert np.allclose(spectrum.local, np.fft.rfftn(padded)[[0, 1, 2, -2, -1], :, :4])
    assert sf.Plan((16, 16), modes=sf.dealiased(16)).make_output().shape == (11, 11)
    assert sf.Plan((16, 4), axes=(0,), modes=6).make_output().shape == (6, 4)


@pytest.mark.parametrize("kind, first, begin, longer", [
    ("cosine1", 0, 0, -1), ("cosine2", 0, .5, 0), ("cosine3", .5, 0, 0), ("cosine4", .5, .5, 0),
    ("sine1", 1, 1, 1), ("sine2", 1, .5, 0), ("sine3", .5, 1, 0), ("sine4", .5, .5, 0)])
def test_second_derivatives_of_modes_are_their_frequencies_squared(kind, first, begin, longer):
    n = 8
    plan = sf.Plan((n,), kind="r2r", kinds=kind, apply="to_outputs")
    places = (np.arange(n) + begin) / (n + longer)                      # between the ends
    for k in range(n):
        mode = (np.cos if kind.startswith("cos") else np.sin)(np.pi * (first + k) * places)
        derived = plan.apply(mode, lambda m: -(np.pi * m.frequency(0))**2 * m.values)
        assert np.allclose(derived, -(np.pi * (first + k))**2 * mode, rtol=0, atol=1e-11)
        assert plan.frequencies()[0][k] == first + k


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("kinds", [None, ("cosine1", "fourier", "sine4")])
def test_adjoints_keep_inner_products(ranks, kinds):
    def work(comm):
        plan = sf.Plan(SHAPE, kind="r2c", kinds=kinds, comm=comm, modes=(0, 7, 0) if kinds is None else None)
        x, y = plan.make_input(), plan.make_output()
        fill(x, field(x.shape, "d"))
        fill(y, field(y.shape, "D", 7))

        def dot(a, b):
            return comm.sum(sum(float(np.vdot(p, q).real) for p, q in zip(a.parts, b.parts)))

        pairs = [(dot(plan.forward(x), y), dot(x, plan.adjoint(y))),
                 (dot(plan.backward(y), x), dot(y, plan.adjoint(x, of="backward"))),
                 (dot(plan.forward(x, None, 3.0), y), dot(x, plan.adjoint(y, factor=3.0)))]
        return all(abs(a - b) <= 1e-12 * abs(a) + 1e-10 for a, b in pairs)

    assert sf.on_ranks(ranks, work) == [True] * ranks


def test_what_an_operator_raises_is_raised_by_apply_and_told_to_all_ranks():
    def work(comm):
        plan = plan_of(comm)
        u = plan.make_input()
        kept = []

        def broken(modes):
            kept.append(modes)
            if comm.rank == 1:
                raise ZeroDivisionError("here")

        with pytest.raises(ZeroDivisionError if comm.rank == 1 else sf.TransportFailed, match="here|another rank"):
            plan.apply(u, broken)
        with pytest.raises(sf.InvalidArgument, match="during the call"):
            kept[0].frequencies()
        assert kept[0].values.size > 0  # a copy of its own
        plan.apply(u, lambda modes: None)  # the plan is whole

    sf.on_ranks(2, work)
    with pytest.raises(ZeroDivisionError):
        sf.on_ranks(2, lambda comm: plan_of(comm).apply(plan_of(comm).make_input(), lambda m: 1 // comm.rank))


def test_a_function_is_refused_by_a_plan_on_a_device_and_ready_operators_are_made_there():
    def work(comm):
        plan = plan_of(comm, device="emulated")
        with pytest.raises(sf.InvalidArgument, match="got a function of the host for device emulated; write it as"):
            plan.apply(plan.make_input(), lambda modes: None)
        assert spectral.lowpass(plan, ONES, 3) is not None

    sf.on_ranks(2, work)


def test_an_operator_may_look_at_its_plan_and_not_run_it():
    plan, other = plan_of(threads=2), plan_of()
    u = plan.make_input()
    fill(u, field(SHAPE, "d"))

    def looks(modes):
        assert plan.middle.shape == (8, 9, 6) and other.describe()

    assert np.allclose(plan.apply(u, looks).local, u.local)
    for call in (plan.describe, lambda: plan.forward(u), plan.destroy):
        with pytest.raises(sf.InvalidArgument, match="another plan"):
            plan.apply(u, lambda modes: call())
    assert np.allclose(plan.apply(u, looks).local, u.local)


def test_refusals_name_the_rule():
    plan, plain = plan_of(), sf.Plan(SHAPE, kind="r2c")
    u = plan.make_input()
    for broken, match in [
        (lambda: plain.apply(u, spectral.lowpass(plan, ONES, 1)), "apply='to_outputs'"),
        (lambda: plan.apply_physical(u, np.ones(3)), "to_inputs"),
        (lambda: plan.apply(u, "low"), "operator"),
        (lambda: plan.apply(u, 0), "address 0"),
        (lambda: plan.apply(u, np.ones((3, 3, 3))), "make_middle"),
        (lambda: plain.middle, "apply"),
        (lambda: spectral.lowpass(plan, (1, 1), 1), "one length for each axis"),
        (lambda: spectral.gradient(plan, (1, -1, 1)), "positive"),
        (lambda: spectral.inverse_laplace(plan, ONES, differences=3), "2, 4 or 6"),
        (lambda: spectral.derivative(plan, 0, 0), "order of 1"),
        (lambda: plan.apply(u, spectral.curl(plan, ONES)), "3"),
        (lambda: plain.adjoint(u, of="up"), "direction"),
        (lambda: sf.Plan((8, 8), kinds="cosine5"), "cosine4"),
        (lambda: sf.Plan((8, 8), kind="r2r"), "r2r|kinds"),
        (lambda: sf.Plan((8, 1), kind="r2r", kinds="cosine1"), "cosine1"),
        (lambda: sf.Plan((8, 8), modes=9), "modes"),
        (lambda: sf.Plan((8, 8), kinds="hartley", norm="forward", orthonormal=True), "norm"),
    ]:
        with pytest.raises(ValueError, match=match) as raised:
            broken()
        assert isinstance(raised.value, sf.Error)


def test_the_struct_of_c_is_that_of_the_library():
    rows = (Path(__file__).parents[2] / "bindings/c/abi.txt").read_text().splitlines()
    theirs = {row.split()[1]: int(row.split()[2]) for row in rows if " shardfft_modes" in row}
    ours = {f"shardfft_modes.{name}": getattr(sf.CModes, name).offset for name, _ in sf.CModes._fields_}
    assert {"shardfft_modes": ctypes.sizeof(sf.CModes), **ours} == theirs


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("side", ["to_outputs", "to_inputs"])
def test_apply_in_place_returns_the_memory_of_its_input(kind, side):
    def work(comm):
        results = []
        for in_place in (True, False):
            plan = sf.Plan((8, 6), kind=kind, apply=side, in_place=in_place, comm=comm)
            u = plan.make_input() if side == "to_outputs" else plan.make_output()
            u.local[...] = np.arange(u.local.size).reshape(u.local.shape)
            factors = plan.make_middle("float64")
            factors.local[...] = 2.0
            v = (plan.apply if side == "to_outputs" else plan.apply_physical)(u, factors)
            assert (v.memory is u.memory) == in_place
            results.append(v.local.copy())
        return np.array_equal(*results)

    assert sf.on_ranks(2, work) == [True, True]
