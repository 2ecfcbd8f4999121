"""Answers about arrays: filtered, a spectrum, registered, sharpened, with the words of the program's commands.

Arrays are NumPy's, memory maps too, or DistArrays: then calls are collective and results lie as the input does.

    spacing  of the points along each axis, or one number for all; its unit is that of all lengths
    axes     transformed ones; None: all

A cutoff is a length in this unit, or "k=0.3", a wave number in radians per unit, or "f=0.05", in cycles per unit.
Errors: InvalidArgument."""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import Any, Sequence

import numpy as np

from . import _cache, _core
from ._arrays import DistArray
from ._comm import Run, Same, collective
from ._errors import InvalidArgument
from ._functions.arguments import numbers
from ._functions import signals
from ._functions.signals import axes_of
from ._given import along_axes, axis_of, real_number
from ._layouts import have_equal_places
from ._plan.plan import Plan
from ._threads import in_child, threads_of

__all__ = [
    "Difference", "Registration", "Spectrum", "compare", "convolve", "correlate", "deconvolve", "register",
    "spectrum",
]

Array = np.ndarray[Any, Any]
Along = float | Sequence[float]  # one number along all axes, or one for each
Cutoff = float | str


def _make(key: tuple[Any, ...]) -> Plan:
    _, shape, axes, dtype, apply, threads, _ = key
    return Plan(shape, kind="c2c" if np.dtype(dtype).kind == "c" else "r2c", dtype=dtype, axes=axes,
                norm="backward" if apply else "forward", apply=apply, threads=threads, axis_order=axes[::-1])


class _Lent:
    """A plan for an array, of those that are kept or, for arrays of several ranks, a new one."""

    def __init__(self, x: Any, along: tuple[int, ...], apply: str | None, workers: int | None = None) -> None:
        self.kept: Any = None
        if isinstance(x, DistArray):
            self.x: Any = x
            self.plan: Plan = Plan(x.shape, kind="c2c" if x.dtype.kind == "c" else "r2c", dtype=x.dtype, axes=along,
                                   norm="backward" if apply else "forward", apply=apply, comm=x.comm, input=x.layout,
                                   axis_order=along[::-1])
            return
        self.x = np.ascontiguousarray(numbers(x, real=np.asarray(x).dtype.kind != "c"))
        key = ("analysis", self.x.shape, along, self.x.dtype.char, apply, threads_of(workers, self.x.size), in_child())
        self.kept = _cache.plans(key, _make)
        self.plan = self.kept.take()

    def __enter__(self) -> _Lent:
        return self

    def __exit__(self, *error: Any) -> None:
        if self.kept is not None:
            self.kept.give_back(self.plan)

    def lengths(self, steps: list[float]) -> list[float]:
        return _core.lengths_from(self.plan._plan, steps)


def _axes(x: Any, axes: Any) -> tuple[int, ...]:
    if np.ndim(x) == 0 and not isinstance(x, DistArray) or 0 in np.shape(x):
        raise InvalidArgument(f"an array has elements along one axis or more; got the shape {np.shape(x)}")
    return axes_of(len(x.shape) if isinstance(x, DistArray) else np.ndim(x), axes)


def _wave_number(name: str, cutoff: Any) -> float:
    """In radians per unit of length; 0: none."""
    if cutoff is None:
        return 0.0
    factor, number = 0.0, cutoff
    if isinstance(cutoff, str):
        word, _, rest = cutoff.partition("=")
        factor = {"k": 1.0, "f": 2 * math.pi}.get(word, 0.0)
        try:
            number = float(rest if factor else cutoff)
        except ValueError:
            raise InvalidArgument(f"{name} is a length, 'k=K' or 'f=F'; got {cutoff!r}") from None
    value = real_number(name, number)
    if not 0 < value < math.inf:
        raise InvalidArgument(f"{name} is positive and finite; got {cutoff!r}")
    return value * factor if factor else 2 * math.pi / value


def _edge(edge: str) -> tuple[str, int]:
    word, colon, order = str(edge).partition(":")
    if colon and (word != "butterworth" or not order.isdecimal()):
        raise InvalidArgument(f"edge is 'hard', 'cosine', 'gaussian' or 'butterworth:N'; got {edge!r}")
    return word, int(order or 2)


def _derivatives(derivative: Any, dims: int) -> list[tuple[int, int]]:
    """AXIS, (AXIS, ORDER) or a list of these."""
    if derivative is None:
        return []
    several = derivative if isinstance(derivative, list) else [derivative]
    pairs = [tuple(one) if isinstance(one, (tuple, list)) else (one, 1) for one in several]
    return [(axis_of(axis, dims), int(order)) for axis, order in pairs]


def filter_words(dims: int, *, low_pass: Cutoff | None = None, high_pass: Cutoff | None = None,
                 band: tuple[Cutoff, Cutoff] | None = None, edge: str = "cosine", gaussian: Along | None = None,
                 derivative: Any = None, laplacian: bool = False, shift: Along | None = None) -> tuple[Any, ...]:
    """What the library is asked by the words of filter()."""
    if band is not None:
        if low_pass is not None or high_pass is not None:
            raise InvalidArgument("band is low_pass and high_pass together; got one of these, too; leave it out")
        high, low = sorted(_wave_number("band", cutoff) for cutoff in band)
    else:
        low, high = _wave_number("low_pass", low_pass), _wave_number("high_pass", high_pass)
    word, order = _edge(edge)
    return (low, high, word, 0.0, order, [] if gaussian is None else along_axes("gaussian", gaussian, dims),
            _derivatives(derivative, dims), bool(laplacian),
            [] if shift is None else along_axes("shift", shift, dims))


@collective
def filter(x: Any, *, low_pass: Cutoff | None = None, high_pass: Cutoff | None = None,
           band: tuple[Cutoff, Cutoff] | None = None, edge: str = "cosine", gaussian: Along | None = None,
           derivative: Any = None, laplacian: bool = False, shift: Along | None = None, spacing: Along = 1.0,
           axes: int | Sequence[int] | None = None, workers: int | None = None) -> Run[Any]:
    """`x` with its spectrum multiplied by all that is named. `x` is periodic; reals stay real; nothing is rescaled.

    low_pass, high_pass  cutoffs: what is smaller, or larger, goes
    band        both cutoffs, in any order
    edge        of passes: "hard"; "cosine", over two shells of 2 pi over the shortest side; "gaussian", 1/2 at the
                cutoff; "butterworth:N", 0.707 there
    gaussian    standard deviation of a Gaussian that smooths, a length
    derivative  an axis, (axis, order), or a list of these
    shift       moves the content by this length along each axis"""
    dims = np.ndim(x) if not isinstance(x, DistArray) else x.ndim
    asked = filter_words(dims, low_pass=low_pass, high_pass=high_pass, band=band, edge=edge, gaussian=gaussian,
                         derivative=derivative, laplacian=laplacian, shift=shift)
    steps, along = along_axes("spacing", spacing, dims), _axes(x, axes)

    def run() -> Any:
        with _Lent(x, along, "to_outputs", workers) as lent:
            multiplied = _core.filter(lent.plan._plan, lent.lengths(steps), *asked)
            out = None if isinstance(lent.x, DistArray) else np.empty_like(lent.x)
            return lent.plan.apply(lent.x, multiplied, out)

    return Same((asked, steps, along), run)


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """Power by shells k_low <= |k| < k_high, in radians per unit of length."""

    k_low: Array
    k_high: Array
    k: Array
    """mean of the modes of each shell"""
    modes: Array
    """how many; k and -k are two"""
    power: Array
    error: Array
    """standard error of power, of Gaussian fields"""
    beyond_nyquist: Array
    """whether the shell reaches beyond pi over the largest spacing"""
    power_b: Array | None = None
    cross: Array | None = None
    """the sum of F conj(G) of both spectra, as power is"""
    correlation: Array | None = None
    """Fourier shell correlation"""

    @property
    def length(self) -> Array:
        """2 pi over k."""
        with np.errstate(divide="ignore"):
            return 2 * np.pi / self.k

    def plot(self, axes: Any = None) -> Any:
        """Draws power, or the correlation of two arrays, over k with matplotlib; returns the axes."""
        if axes is None:
            from matplotlib import pyplot
            axes = pyplot.figure().add_subplot()
        shown = ~self.beyond_nyquist & (self.k > 0)
        if self.correlation is not None:
            axes.plot(self.k[shown], self.correlation[shown])
            axes.set_ylabel("Fourier shell correlation")
        else:
            axes.errorbar(self.k[shown], self.power[shown], self.error[shown])
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylabel("power")
        axes.set_xlabel("k")
        return axes


def spectrum_words(shells: Cutoff | None, centred: bool, normalize: str) -> tuple[Any, ...]:
    """What the library is asked by the words of spectrum()."""
    width = 0.0 if shells is None else _wave_number(
        "shells", shells if isinstance(shells, str) and "=" in shells else f"k={real_number('shells', shells)!r}")
    return (width, bool(centred), str(normalize))


def spectrum_of(rows: Any, of_two: bool) -> Spectrum:
    """The library's rows, of one array or two."""
    low, high, k, modes, power, error, beyond, power_b, re, im, correlation = map(np.array, zip(*rows))
    both = (power_b, re + 1j * im, correlation) if of_two else (None, None, None)
    return Spectrum(low, high, k, modes, power, error, beyond, *both)


@collective
def spectrum(x: Any, b: Any = None, *, spacing: Along = 1.0, shells: Cutoff | None = None, centred: bool = False,
             normalize: str = "power", axes: int | Sequence[int] | None = None,
             workers: int | None = None) -> Run[Spectrum]:
    """Power of `x` by shells of |k|; sums are exact, the same bits on any number of ranks.

    b          a second array: its power, the cross spectrum and the correlation, too
    shells     width: a number in radians per unit, or "f=DF" in cycles; None: 2 pi over the shortest side
    centred    shell i has |k| around i times the width, instead of from there on
    normalize  "power": the density V |F/N|^2, unit x^2 length^d; "sum": adds up to the mean square;
               "dimensionless": k^3 P / (2 pi^2) in 3 dimensions; "energy": half of the sum over components, per k"""
    along = _axes(x, axes)
    if b is not None:
        x, b = _pair(x, b, "spectrum")
    steps = along_axes("spacing", spacing, len(x.shape) if isinstance(x, DistArray) else np.ndim(x))
    asked = spectrum_words(shells, centred, normalize)

    def run() -> Spectrum:
        with _Lent(x, along, None, workers) as lent:
            plan = lent.plan
            first, second = plan.forward(lent.x), None if b is None else plan.forward(b)
            rows = _core.spectrum(plan._plan, plan._memory(first, 1),
                                  None if second is None else plan._memory(second, 1), lent.lengths(steps), *asked)
        return spectrum_of(rows, b is not None)

    return Same((asked, steps, along, b is None), run)


@dataclasses.dataclass(frozen=True)
class Registration:
    """The place of an array with regard to a reference."""

    shift: Array
    """points along each axis by which it must be moved to lie there"""
    peak: float
    """the correlation there; of phases at most 1"""


def _pair(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    """Two arrays of one shape and type."""
    if np.shape(a) != np.shape(b):
        raise InvalidArgument(f"{name}() takes arrays of one shape; got {np.shape(a)} and {np.shape(b)}")
    if isinstance(a, DistArray) or isinstance(b, DistArray):
        if not (isinstance(a, DistArray) and isinstance(b, DistArray)) or a.dtype != b.dtype:
            raise InvalidArgument(f"{name}() takes two distributed arrays of one type; got {type(a).__name__} of "
                                  f"{a.dtype} and {type(b).__name__} of {b.dtype}")
        if not have_equal_places(a.layout, b.layout):
            raise InvalidArgument(f"{name}() takes two arrays of one layout; call redistribute() on the second one")
        return a, b
    first, second = (numbers(x, real=np.asarray(x).dtype.kind != "c") for x in (a, b))
    common = np.result_type(first, second)
    return np.ascontiguousarray(first, common), np.ascontiguousarray(second, common)


def _registered(a: Any, b: Any, phase: Any, upsample: Any, workers: int | None, which: int) -> Same[Any]:
    a, b = _pair(a, b, "register")
    along, fine = _axes(a, None), operator.index(upsample)

    def run() -> Any:
        with _Lent(a, along, "to_outputs", workers) as lent:
            plan = lent.plan
            out = plan.make_applied() if isinstance(a, DistArray) else np.empty_like(a)
            shift, peak = _core.register_shift(plan._plan, plan._memory(a, 0), plan._memory(b, 0),
                                               plan._memory(out, 0), bool(phase), fine)
        return (Registration(np.array(shift), peak), out)[which]

    return Same((bool(phase), fine), run)


@collective
def register(a: Any, b: Any, *, upsample: int = 1, phase: bool = True,
             workers: int | None = None) -> Run[Registration]:
    """The shift that moves `b` onto `a`, of one shape and periodic, to 1 / upsample points: where their correlation is
    largest. filter(b, shift=register(a, b).shift) lies on `a`.

    phase  True: every mode counts alike; False: by its power"""
    return _registered(a, b, phase, upsample, workers, 0)


@collective
def correlate(a: Any, b: Any, *, phase: bool = True, workers: int | None = None) -> Run[Any]:
    """The correlation of two periodic arrays for each shift of `b`, from 0 on; phase as in register()."""
    return _registered(a, b, phase, 1, workers, 1)


def convolve(x: Any, kernel: Any, mode: str = "same", *, method: str = "auto", workers: int | None = None) -> Array:
    """Convolution as scipy.signal.fftconvolve, of arrays of this process.

    mode    "same", "full", or "circular": `x` is periodic
    method  "tiles": small kernels go over parts of `x`, which may be a memory map; "spectrum": of the whole array;
            "auto": the cheaper one"""
    if method not in ("auto", "tiles", "spectrum"):
        raise InvalidArgument(f"method is 'auto', 'tiles' or 'spectrum'; got {method!r}")
    complex_ = "c" in (np.asarray(x).dtype.kind, np.asarray(kernel).dtype.kind)
    x, kernel = (numbers(a, real=not complex_) for a in (x, kernel))
    kernel = np.ascontiguousarray(kernel, x.dtype)
    what = _core.Convolution(x.shape, kernel.shape, mode, x.dtype.char in "fF", complex_)
    if not (what.by_tiles if method == "auto" else method == "tiles"):
        whole: Array = signals.convolve(x, kernel, mode, workers=workers)
        return whole
    out = np.empty(what.result, x.dtype)
    _core.convolve_tiles(what, x, kernel, out, threads_of(workers, x.size))
    return out


def iterations_of(iterations: int | None) -> int:
    """Those of deconvolve(); 0 stands for Wiener's filter."""
    if iterations is not None and int(iterations) < 1:
        raise InvalidArgument(f"iterations are 1 or more; got {iterations}; leave it out for Wiener's filter")
    return int(iterations or 0)


def deconvolve(x: Any, psf: Any, *, iterations: int | None = None, balance: float = 0.1,
               workers: int | None = None) -> Array:
    """`x` without the blur of a point spread function, whose centre is its element m // 2 along each axis. For real
    arrays of this process.

    balance     of Wiener's filter, conj(H) / (|H|^2 + balance |L|^2) with the Laplacian's L; `x` is periodic
    iterations  of Richardson and Lucy instead, beginning at 1/2; `x` is zero beyond its ends, and nowhere negative"""
    x, psf = numbers(x, real=True), numbers(psf, real=True)
    if x.ndim != psf.ndim or any(m > n for m, n in zip(psf.shape, x.shape)):
        raise InvalidArgument(f"psf has as many axes as the array and is no longer; got {psf.shape} and {x.shape}")
    x = np.ascontiguousarray(x)
    shape = x.shape if iterations is None else _core.Convolution(
        x.shape, psf.shape, "same", x.dtype.char == "f", False).whole
    wrapped = np.zeros(shape, x.dtype)
    wrapped[tuple(slice(0, m) for m in psf.shape)] = psf
    wrapped = np.roll(wrapped, [-(m // 2) for m in psf.shape], tuple(range(psf.ndim)))
    plan = Plan(shape, kind="r2c", dtype=x.dtype, support=x.shape, apply="to_outputs",
                threads=threads_of(workers, x.size))
    out: Array = np.empty_like(x)
    _core.deconvolve(plan._plan, x, wrapped, out, iterations_of(iterations), real_number("balance", balance))
    return out


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far a second array b is from a."""

    max: float
    """largest |b - a|"""
    where: tuple[int, ...]
    """index of that; () if there is none"""
    rms: float
    """root of the mean of |b - a|^2"""
    relative: float
    """L2 norm of b - a over that of a"""


def compare(a: Any, b: Any) -> Difference:
    """How far `b` is from `a`, of one shape; two NaNs are equal. Arrays of this process, memory maps too."""
    if np.shape(a) != np.shape(b):
        raise InvalidArgument(f"compare() takes arrays of one shape; got {np.shape(a)} and {np.shape(b)}")
    first, second = (numbers(x, real=np.asarray(x).dtype.kind != "c") for x in (a, b))
    common = np.result_type(first, second)
    return Difference(*_core.difference(first.astype(common, copy=False), second.astype(common, copy=False),
                                        common.char in "fF", common.kind == "c"))
