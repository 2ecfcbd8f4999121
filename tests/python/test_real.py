"""Transforms of cosines and sines give what scipy.fft gives."""

import inspect
import itertools

import numpy as np
import pytest
import scipy.fft
from test_functions import expect_equal, numbers

import shardfft as sf
from shardfft._functions import real

ALL = real.__all__
NORMS = [None, "backward", "ortho", "forward"]


def expect_scipys(name, x, *args, **kwargs):
    expect_equal(getattr(sf, name)(x, *args, **kwargs), getattr(scipy.fft, name)(x, *args, **kwargs))


def test_signatures_are_scipys():
    for name in ALL:
        ours, theirs = (inspect.signature(getattr(module, name)).parameters for module in (sf, scipy.fft))
        assert [(p.name, p.kind, p.default) for p in ours.values()] == \
            [(p.name, p.kind, p.default) for p in theirs.values()]


@pytest.mark.parametrize("name", ALL)
def test_types_norms_and_weights(name):
    for type_, norm, weights in itertools.product((1, 2, 3, 4), NORMS, (None, True, False)):
        arguments = {"type": type_, "norm": norm, "orthogonalize": weights}
        for _ in range(2):  # the second call is known
            expect_scipys(name, numbers((5, 6, 4), "f"), **arguments)
        x = numbers((5, 6, 4), "D")  # of which SciPy 1.17 forgets `orthogonalize`
        re, im = (getattr(scipy.fft, name)(part.copy(), **arguments) for part in (x.real, x.imag))
        expect_equal(getattr(sf, name)(x, **arguments), re + 1j * im)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "e", "f", "d", "F", "D"])
def test_dtypes(name, dtype):
    expect_scipys(name, numbers((6, 5), dtype))


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_lengths_and_axes_of_one_axis(name):
    x = numbers((5, 9, 4), "d")
    for type_, axis, n in itertools.product((1, 2, 3, 4), (-3, -1, 0, 1), (None, 2, 3, 7, 12)):
        expect_scipys(name, x, type_, n, axis)


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_lengths_and_axes_of_several_axes(name):
    x = numbers((3, 6, 4, 5), "d")
    for count in (1, 2, 3, 4):
        for axes in itertools.permutations(range(4), count):
            expect_scipys(name, x, 1 + count % 4, axes=axes)
            expect_scipys(name, x, 2, tuple((2, 7, 3, 8)[:count]), axes)
    expect_scipys(name, x, 2, (4, -1))
    expect_scipys(name, x, 3, 7)
    expect_scipys(name, x, 4, axes=1)
    assert np.array_equal(getattr(sf, name)(x, axes=()), x)


@pytest.mark.parametrize("name", ALL)
def test_memory_of_any_kind(name):
    x = numbers((7, 6, 10), "d")
    read_only = x.copy()
    read_only.flags.writeable = False
    for a in (np.asfortranarray(x), x[::2, ::-1], x[:, 1:4], x.transpose(2, 0, 1), np.broadcast_to(x[0], x.shape),
              read_only, x.tolist()):
        before = np.array(a, copy=True)
        expect_scipys(name, a)
        assert np.array_equal(before, a)
    own = x.copy()
    expect_equal(getattr(sf, name)(own, overwrite_x=True), getattr(scipy.fft, name)(x))


def test_many_axes_long_ones_and_none():
    x = numbers((2, 3, 4, 2, 3, 2, 2, 3, 2), "d")
    expect_scipys("dctn", x, 2, norm="ortho")
    expect_scipys("dstn", x[0], 3, axes=(5, 0, 1, 4, 2))
    for n in (1, 2, 3, 97, 1000, 4099, 40000):
        for type_ in (2, 3, 4) if n == 1 else (1, 2, 3, 4):
            expect_scipys("dct", numbers(n, "d"), type_)
            expect_scipys("dst", numbers(n, "d"), type_)
    assert sf.dct(np.zeros((0, 4))).shape == (0, 4)


def test_refusals_have_scipys_types():
    x = numbers((4, 6), "d")
    for broken, error in [
        (lambda f: f.dct(x, 5), ValueError),
        (lambda f: f.dct(x, norm="other"), ValueError),
        (lambda f: f.dct(np.ones(1), 1), RuntimeError),
        (lambda f: f.dctn(x, axes=(0, 0)), ValueError),
        (lambda f: f.dctn(x, s=(3,), axes=(0, 1)), ValueError),
        (lambda f: f.dct(x, axis=3), IndexError),
        (lambda f: f.dct(3.0), IndexError),
        (lambda f: f.dct(np.zeros((4, 0))), ValueError),
        (lambda f: f.dct(x, 2, 0), ValueError),
        (lambda f: f.dct(x, 2, -1), ValueError),
        (lambda f: f.dct(x, 2, 3.5), TypeError),
        (lambda f: f.dct(x, workers=0), ValueError),
    ]:
        for module in (sf, scipy.fft):
            with pytest.raises(error):
                broken(module)


def test_kinds_of_ends_are_named():
    assert sf.kind_of("even", "even") == "cosine2" and sf.kind_of("odd", "odd", "nodes") == "sine1"
    assert sf.kind_of("even", "odd") == "cosine4" and sf.kind_of("periodic", "periodic") == "fourier"
    for broken in (lambda: sf.kind_of("periodic", "odd"), lambda: sf.kind_of("flat", "odd"),
                   lambda: sf.kind_of("odd", "odd", "corners")):
        with pytest.raises(ValueError):
            broken()
