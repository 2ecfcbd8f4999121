"""The functions give what numpy.fft gives: numbers, shapes, types, errors and warnings."""

import itertools
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.fft

import shardfft as sf
from shardfft import _cache

COMPLEX = ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"]
TO_HALF = ["rfft", "rfft2", "rfftn", "ihfft"]
TO_REALS = ["irfft", "irfft2", "irfftn", "hfft"]
ALL = COMPLEX + TO_HALF + TO_REALS
NORMS = [None, "backward", "ortho", "forward"]


def numbers(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return (100 * x).astype(dtype)


def suits(name, dtype):
    return not (name in TO_HALF and np.dtype(dtype).kind == "c")


def expect_equal(ours, theirs):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    unit = 6e-8 if theirs.dtype in (np.float32, np.complex64) else 1.2e-16
    length = np.linalg.norm(theirs.astype(np.complex128).ravel())
    error = np.linalg.norm((ours.astype(np.complex128) - theirs).ravel())
    assert error <= 8 * unit * math.sqrt(max(math.log2(max(theirs.size, 2)), 1)) * length


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "e", "f", "d", "F", "D", ">f4", ">c16"])
def test_types_and_norms(name, dtype):
    if not suits(name, dtype):
        return
    x = numbers((6, 5, 8), dtype)
    for norm in NORMS:
        theirs = x.astype("f") if dtype == "e" else x  # NumPy rounds its factor to half precision
        expect_equal(getattr(sf, name)(x, norm=norm), getattr(np.fft, name)(theirs, norm=norm))


@pytest.mark.parametrize("name", ALL)
def test_memory_of_any_kind(name):
    x = numbers((7, 6, 10), "d" if name in TO_HALF else "D")
    broadcast = np.broadcast_to(x[0], x.shape)
    bytes_apart = np.zeros(x.shape, [("a", "u1"), ("x", x.dtype)])["x"]
    bytes_apart[...] = x
    read_only = x.copy()
    read_only.flags.writeable = False
    for a in (np.asfortranarray(x), x[::2, ::-1], x[:, 1:4], x.transpose(2, 0, 1), broadcast, bytes_apart, read_only,
              x.tolist()):
        before = np.array(a, copy=True)
        expect_equal(getattr(sf, name)(a), getattr(np.fft, name)(a))
        assert np.array_equal(before, a)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_lengths_and_axes_of_one_axis(name):
    x = numbers((5, 9, 4), "d" if name in TO_HALF else "D")
    for axis, n in itertools.product((-3, -1, 0, 1, 2), (None, 1, 2, 3, 4, 7, 9, 12)):
        if n is None and name in ("irfft", "hfft") and x.shape[axis] == 1:
            continue
        expect_equal(getattr(sf, name)(x, n, axis), getattr(np.fft, name)(x, n, axis))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_lengths_and_axes_of_several_axes(name):
    x = numbers((3, 6, 4, 5), "d" if name == "rfftn" else "D")
    for count in (1, 2, 3, 4):
        for axes in itertools.permutations(range(4), count):
            expect_equal(getattr(sf, name)(x, axes=axes), getattr(np.fft, name)(x, axes=axes))
            s = tuple((2, 7, 3, 8)[:count])
            expect_equal(getattr(sf, name)(x, s, axes), getattr(np.fft, name)(x, s, axes))
    for s in ((-1, 4), (4, -1), (-1, -1), [3, 4], np.array((4, 3))):  # -1: as many elements as there are
        expect_equal(getattr(sf, name)(x, s, (1, 3)), getattr(np.fft, name)(x, s, (1, 3)))
    expect_equal(getattr(sf, name)(x, iter((4, 3)), (1, 3)), getattr(np.fft, name)(x, (4, 3), (1, 3)))
    for s in ((None, 4), (4, None), (None, None)):
        with pytest.warns(DeprecationWarning):
            theirs = getattr(np.fft, name)(x, s, (1, 3))
        with pytest.warns(DeprecationWarning):
            expect_equal(getattr(sf, name)(x, s, (1, 3)), theirs)


def test_one_axis_may_be_a_number():
    x = numbers((4, 6), "D")
    for axis in (0, -1, np.int64(1)):
        expect_equal(sf.fftn(x, axes=axis), np.fft.fft(x, axis=axis))
        expect_equal(sf.rfftn(x.real.copy(), axes=axis), np.fft.rfft(x.real, axis=axis))


def test_repeated_axes_are_done_one_after_the_other():
    x = numbers((4, 6), "D")
    expect_equal(sf.fftn(x, axes=(1, 0, 1)), np.fft.fftn(x, axes=(1, 0, 1)))
    expect_equal(sf.rfftn(x.real, axes=(1, 1)), np.fft.rfftn(x.real, axes=(1, 1)))
    expect_equal(sf.irfftn(x, axes=(1, 1)), np.fft.irfftn(x, axes=(1, 1)))
    for s in ((5, 4, 3, 7), (3, 4, 5, 2)):  # two lengths for axis 0
        for axes in ((0, 1, 0, 1), (0, 0, 1, 1), (-2, 1, 0, -1)):
            expect_equal(sf.fftn(x, s, axes), np.fft.fftn(x, s, axes))
            expect_equal(sf.rfftn(x.real, s, axes), np.fft.rfftn(x.real, s, axes))
            expect_equal(sf.irfftn(x, s, axes), np.fft.irfftn(x, s, axes))


@pytest.mark.parametrize("dims", [5, 6, 9, 11])
def test_many_axes(dims):
    x = numbers([2, 3, 1, 2, 2, 1, 2, 1, 3, 2, 2][:dims], "D")
    expect_equal(sf.fftn(x), np.fft.fftn(x))
    expect_equal(sf.fftn(x, axes=(1, 0)), np.fft.fftn(x, axes=(1, 0)))
    expect_equal(sf.rfftn(x.real, axes=(0, 3, 1)), np.fft.rfftn(x.real, axes=(0, 3, 1)))
    if x.shape[-1] > 1:
        expect_equal(sf.irfftn(x), np.fft.irfftn(x))
    out = np.empty_like(x)
    assert sf.ifftn(x, out=out) is out
    expect_equal(out, np.fft.ifftn(x))


@pytest.mark.parametrize("name", ["hfftn", "ihfftn", "hfft2", "ihfft2"])
def test_hermitian_transforms_of_several_axes_are_scipys(name):
    x = numbers((4, 5, 6), "d" if name[0] == "i" else "D")
    for norm in NORMS:
        expect_equal(getattr(sf, name)(x, norm=norm), getattr(scipy.fft, name)(x, norm=norm))
        expect_equal(getattr(sf, name)(x, axes=(2, 0), norm=norm), getattr(scipy.fft, name)(x, axes=(2, 0), norm=norm))
    expect_equal(getattr(sf, name)(x, 9, (1,)), getattr(scipy.fft, name)(x, 9, (1,)))


def test_results_of_fortran_order_have_fortran_order():
    x = np.asfortranarray(numbers((8, 6, 4), "D"))
    assert sf.fftn(x).flags.f_contiguous and sf.rfftn(x.real.copy(order="F")).flags.f_contiguous


def test_out_is_filled_and_returned():
    x = numbers((6, 8), "D")
    for target in (np.empty((6, 8), "D"), np.empty((8, 6), "D").T, np.empty((6, 16), "D")[:, ::2],
                   np.empty((6, 8), "D")[::-1]):
        assert sf.fftn(x, out=target) is target
        expect_equal(target, np.fft.fftn(x))
    calls = {"fftn": x, "rfftn": x.real, "irfftn": x, "hfft": x, "ihfft": x.real}
    for name, a in calls.items():  # results are cast as NumPy does
        want = getattr(np.fft, name)(a)
        for type in (want.dtype, np.dtype("F" if want.dtype.kind == "c" else "f")):
            for single in (False, True):
                b = a.astype("F" if a.dtype.kind == "c" else "f") if single else a
                for target in (np.empty(want.shape, type), np.empty(want.shape, type.newbyteorder())):
                    assert getattr(sf, name)(b, out=target) is target
                    assert np.allclose(target, want, rtol=1e-5, atol=1e-4)
    half = np.empty((6, 5), "D")
    assert sf.rfftn(x.real, out=half) is half
    expect_equal(half, np.fft.rfftn(x.real))
    own = x.copy()
    assert sf.fftn(own, out=own) is own
    expect_equal(own, np.fft.fftn(x))
    overlapping = np.zeros((7, 8), "D")
    overlapping[:6] = x
    expect_equal(sf.fftn(overlapping[:6], out=overlapping[1:]), np.fft.fftn(x))


def test_overwrite_x_may_take_the_inputs_memory():
    x = numbers((6, 8), "D")
    expect_equal(sf.fftn(x.copy(), overwrite_x=True), np.fft.fftn(x))
    expect_equal(sf.irfftn(x.copy(), overwrite_x=True), np.fft.irfftn(x))


def misaligned(x):
    room = np.empty(x.nbytes + 1, "u1")
    a = room[1:].view(x.dtype).reshape(x.shape)
    a[...] = x
    return a


def alike():
    """Calls that differ in one thing each from the first: of function, array, arguments."""
    x = numbers((6, 6), "D")
    return [
        ("fftn", x, {}), ("ifftn", x, {}), ("fftn", x.astype("F"), {}), ("fftn", x.real.copy(), {}),
        ("fftn", x.astype(">c16"), {}), ("fftn", misaligned(x), {}),
        ("fftn", np.asfortranarray(x), {}), ("fftn", x[::-1], {}), ("fftn", x[:, ::-1], {}),
        ("fftn", np.repeat(x, 2, 1)[:, ::2], {}), ("fftn", np.broadcast_to(x[0], x.shape), {}),
        ("fftn", x, {"axes": (0,)}), ("fftn", x, {"axes": (1,)}), ("fftn", x, {"axes": (0, 0)}),
        ("fftn", x, {"axes": (-1, -1)}), ("fftn", x, {"axes": ()}), ("fft2", x, {"norm": "ortho"}),
        ("fft2", x, {"norm": "forward"}), ("fft2", x, {"s": (6, 7)}), ("fft2", x, {"s": (5, 6)}),
        ("fft", x, {}), ("fft", x, {"axis": 0}), ("fft", x, {"n": 5}), ("fft", x, {"n": 7}), ("ifft", x, {}),
        ("irfftn", x, {}), ("irfftn", x, {"axes": (1, 0)}), ("irfft", x, {"n": 9}), ("hfft", x, {}),
        ("fftn", x[:3, :2], {}), ("fftn", x[:2, :3], {}), ("ihfft", x.real.copy(), {}),
        ("rfftn", x.real.copy(), {"axes": (0, 1)}), ("rfftn", x.real.copy(), {"axes": (1, 0)}),
        ("rfftn", misaligned(x.real), {}), ("rfftn", x.real.copy().T, {}), ("rfftn", x.real.astype(">f8"), {}),
        ("fftn", x.reshape(4, 9), {}), ("fftn", x.reshape(36), {}), ("fftn", x.view(np.matrix), {}),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_calls_that_look_alike_are_kept_apart(seed):
    calls = alike()
    sf.forget_plans()
    order = np.random.default_rng(seed).permutation(3 * len(calls)) % len(calls)
    results = []
    for name, a, kwargs in (calls[i] for i in order):
        ours, theirs = getattr(sf, name)(a, **kwargs), getattr(np.fft, name)(a, **kwargs)
        expect_equal(ours, theirs)
        if ours.flags.owndata:
            results.append((ours, ours.copy()))
    assert all(np.array_equal(result, before) for result, before in results)  # no call wrote what another one returned


def test_known_calls_take_the_threads_that_are_asked_for():
    x = numbers((8, 8), "D")
    sf.forget_plans()
    for workers in (1, 2, 1, 2, None):
        sf.fftn(x, workers=workers)
    assert _cache.size() == 2


def test_known_calls_refuse_what_looks_like_their_arguments():
    x = numbers((4, 6), "D")
    for _ in range(2):
        sf.fftn(x, axes=(0, 1), workers=1)
        sf.fft(x, axis=1)
        sf.dct(x.real, 2, axis=1)
    for refused in (lambda: sf.fftn(x, axes=(0.0, 1.0)), lambda: sf.fft(x, axis=1.0), lambda: sf.dct(x.real, axis=1.0),
                    lambda: sf.fftn(x, axes=(0, 1), workers=1.0)):
        with pytest.raises(TypeError):
            refused()
    for refused in (lambda: sf.fft(x, norm=["ortho"]), lambda: sf.fft(x, workers=0), lambda: sf.dct(x, 5)):
        with pytest.raises(ValueError):
            refused()
    expect_equal(sf.fftn(x, axes=(np.int64(0), 1)), np.fft.fftn(x))
    expect_equal(sf.fftn(x, axes=iter((0, 1))), np.fft.fftn(x))
    expect_equal(sf.fftn(x, axes=[0, 1]), np.fft.fftn(x))


def test_refusals_have_numpys_types():
    x = numbers((4, 6), "D")
    for broken, error in [
        (lambda f: f.fft(x, 0), ValueError),
        (lambda f: f.fft(x, -2), ValueError),
        (lambda f: f.fft(x, -1), ValueError),
        (lambda f: f.irfft(x, n=-1), ValueError),
        (lambda f: f.ihfft(x.real, n=-1), ValueError),
        (lambda f: f.fft(x, axis=2), IndexError),
        (lambda f: f.fft(x, norm="other"), ValueError),
        (lambda f: f.fft(x, 2.5), TypeError),
        (lambda f: f.fftn(x, (2,), (0, 1)), ValueError),
        (lambda f: f.fftn(x, axes=(0, 5)), IndexError),
        (lambda f: f.rfft(x), TypeError),
        (lambda f: f.fft(3.0), IndexError),
        (lambda f: f.fft(np.zeros((3, 0))), ValueError),
        (lambda f: f.fft(np.array(["a"])), TypeError),
        (lambda f: f.fft(x, out=np.empty((4, 5), "D")), ValueError),
        (lambda f: f.fft(x, out=np.empty((4, 6))), TypeError),
    ]:
        for module in (sf, np.fft):
            with pytest.raises(error):
                broken(module)
    with pytest.raises(TypeError, match="float64"):
        sf.fft(x.astype(np.clongdouble))
    with pytest.raises(TypeError):
        sf.fft(x.astype(object))


def test_warnings_are_numpys():
    x = numbers((4, 6), "D")
    for call in (lambda f: f.fftn(x, (4, 6)), lambda f: f.fftn(x, (None, 6), (0, 1))):
        for module in (sf, np.fft):
            with pytest.warns(DeprecationWarning):
                call(module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sf.fft2(x, (4, 6))


def test_nothing_to_do():
    x = numbers((4, 6), "f")
    assert np.array_equal(sf.fftn(x, axes=()), x)
    assert sf.fft(np.zeros((0, 4))).shape == (0, 4) and sf.rfft(np.zeros((0, 4))).shape == (0, 3)
    assert sf.irfft(np.zeros((0, 4), "D")).shape == (0, 6)


def test_workers_are_scipys():
    x = numbers((64, 64), "D")
    for workers in (1, 2, -1):
        expect_equal(sf.fftn(x, workers=workers), np.fft.fftn(x))
    with pytest.raises(ValueError, match="must not be zero"):
        sf.fft(x, workers=0)
    with pytest.raises(ValueError, match="out of range"):
        sf.fft(x, workers=-1000)


def test_infinities_stay_in_their_row():
    x = numbers((5, 12), "D")
    x[2, 3] = np.inf
    ours = sf.fft(x)
    assert not np.isfinite(ours[2]).any() and np.isfinite(np.delete(ours, 2, 0)).all()


def test_lengths_that_are_fast():
    def is_smooth(n):
        for p in (2, 3, 5, 7, 11, 13):
            while n % p == 0:
                n //= p
        return n == 1

    smooth = [n for n in range(1, 5000) if is_smooth(n)]
    at = 0
    for n in range(1, 4900):
        at += n > smooth[at]
        assert sf.next_fast_len(n) == smooth[at]
    assert sf.next_fast_len(0) == 0 and sf.next_fast_len(10**12) >= 10**12
    with pytest.raises(ValueError):
        sf.next_fast_len(-1)


def test_random_calls(seed=20261127):
    rng = np.random.default_rng(seed)
    for call in range(600):
        name = ALL[rng.integers(len(ALL))]
        shape = tuple(int(n) for n in rng.integers(2, 9, rng.integers(2, 5)))
        dtype = "fd"[rng.integers(2)] if name in TO_HALF else "fdFD"[rng.integers(4)]
        x = numbers(shape, dtype, call)
        if rng.integers(2):
            x = x.transpose(rng.permutation(x.ndim))
        if rng.integers(3) == 0:
            x = x[tuple(slice(None, None, int(s)) for s in rng.choice([1, 2, -1], x.ndim))]
            if min(x.shape) < 2:
                continue
        kwargs = {"norm": NORMS[rng.integers(4)]}
        if name.endswith(("2", "n")):
            count = 2 if name.endswith("2") else int(rng.integers(1, x.ndim + 1))
            kwargs["axes"] = tuple(int(a) for a in rng.permutation(x.ndim)[:count])
            if rng.integers(2):
                kwargs["s"] = tuple(int(n) for n in rng.integers(1, 10, count))
        else:
            kwargs["axis"] = int(rng.integers(-x.ndim, x.ndim))
        expect_equal(getattr(sf, name)(x, **kwargs), getattr(np.fft, name)(x, **kwargs))


def test_the_guides_command_makes_a_numpy_program_one_of_shardfft(tmp_path):
    page = (Path(__file__).resolve().parents[2] / "docs/guide/from/numpy.md").read_text()
    commands = [line for line in page.splitlines() if line.startswith("sed ")]
    assert len(commands) == 1
    (tmp_path / "program.py").write_text("""import numpy as np
x = np.arange(12.0)
y = np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(x[::-1]), 12) + np.fft.fftshift(np.fft.fftfreq(12))
print(repr(y.round(9).tolist()))
""")
    before = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    subprocess.run(commands[0], shell=True, cwd=tmp_path, check=True)
    program = (tmp_path / "program.py").read_text()
    assert "np.fft" not in program and program.count("shardfft.") == 5
    after = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert after.stdout == before.stdout


def test_without_memory_a_function_names_the_program_that_works_in_passes():
    huge = np.broadcast_to(np.float64(0), (1 << 24, 1 << 24))  # as complex numbers 4 PiB, beyond every address space
    with pytest.raises(sf.OutOfMemory, match="`shardfft transform IN OUT` works in passes") as raised:
        sf.fftn(huge)
    assert isinstance(raised.value, MemoryError)
