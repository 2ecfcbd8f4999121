#!/usr/bin/env python3
"""spectrum.py SPECTRUM.npy PICTURE.png: the power of a complex spectrum (1 to 8 axes) as a picture.

Left: log10 |X|^2 over the plane through frequency 0 of the last two axes (one axis: over frequency). Right: mean power
in shells of equal |k|.
Of a half spectrum (--record of a transform with --kind r2c, or --half) the other half is filled in: |X(-k)| = |X(k)|.
The file is memory-mapped and read once, block by block: any size will do. With --input the package shardfft
transforms that array, in memory, and its spectrum is drawn; without the package a line says so, and SPECTRUM.npy is.
Frequencies are in cycles per sample, -0.5 to 0.5.
"""
import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MAX_POINTS = 4096  # of one drawn line, and of each side of a drawn plane
BLOCK = 2**20  # elements that are in memory at once


def power(values):
    """|X|^2 in f64; units: those of the input, squared."""
    return np.square(values.real, dtype=np.float64) + np.square(values.imag, dtype=np.float64)


def frequencies_along(length, half):
    """Cycles per sample of every element along a transformed axis; `half`: the real length, if only half is there."""
    return np.fft.rfftfreq(half) if half else np.fft.fftfreq(length)


def counts_along(length, half):
    """How many elements of the full spectrum stand behind each one along an axis."""
    counts = np.ones(length)
    if half:
        counts[1 : (half + 1) // 2] = 2
    return counts


def radial_mean(spectrum, axes, bins, half=None):
    """Mean of |X|^2 over shells of |k|, k from the transformed `axes` alone: (middle |k| of each shell, mean power),
    empty shells left out.

    |k| = sqrt(sum of f_a^2), f_a in cycles per sample. `bins` shells of equal width over 0 <= |k| <= 0.5
    sqrt(len(axes)).
    `half`: the real length of the last one of `axes`, where the spectrum holds half of it; the other half counts, too.
    """
    width = 0.5 * np.sqrt(len(axes)) / bins
    halves = [half if a == axes[-1] else None for a in range(spectrum.ndim)]
    squares = [frequencies_along(n, halves[a]) ** 2 if a in axes else np.zeros(n) for a, n in enumerate(spectrum.shape)]
    times = [counts_along(n, halves[a]) for a, n in enumerate(spectrum.shape)]
    rest = sum(np.ix_(*squares[1:]), np.zeros(spectrum.shape[1:]))
    rest_times = np.ones(spectrum.shape[1:])
    for factor in np.ix_(*times[1:]):
        rest_times = rest_times * factor
    total, count = np.zeros(bins), np.zeros(bins)
    for block in blocks(spectrum.shape):
        square = squares[0][block].reshape(-1, *[1] * rest.ndim) + rest
        shell = np.minimum((np.sqrt(square) / width).astype(np.int64), bins - 1).ravel()
        weight = times[0][block].reshape(-1, *[1] * rest.ndim) * rest_times
        total += np.bincount(shell, (weight * power(np.asarray(spectrum[block]))).ravel(), bins)
        count += np.bincount(shell, weight.ravel(), bins)
    filled = count > 0
    return ((np.arange(bins) + 0.5) * width)[filled], total[filled] / count[filled]


def blocks(shape):
    """Slices of axis 0 of about BLOCK elements each."""
    step = max(1, BLOCK * shape[0] // int(np.prod(shape)))
    return (slice(begin, begin + step) for begin in range(0, shape[0], step))


def central_plane(spectrum, axes, half=None):
    """The last two axes at frequency 0 of the other transformed axes, in the middle of the others; frequency 0 in the
    centre of the plane."""
    middle = tuple(0 if a in axes else n // 2 for a, n in enumerate(spectrum.shape[:-2]))
    plane = power(np.asarray(spectrum[middle]))
    plane_axes = [a - (spectrum.ndim - 2) for a in axes if a >= spectrum.ndim - 2]
    halved = axes[-1] - (spectrum.ndim - 2)
    if half and halved >= 0:
        plane = filled_in(plane, halved, half, negates_other=1 - halved in plane_axes)
    return np.fft.fftshift(plane, axes=plane_axes)


def filled_in(plane, axis, length, negates_other):
    """The whole plane of which frequencies 0 to length // 2 of `axis` are there: element -k has the power of element
    k."""
    other_half = np.take(plane, range((length - 1) // 2, 0, -1), axis)
    if negates_other:
        other_half = np.roll(np.flip(other_half, 1 - axis), 1, 1 - axis)
    return np.concatenate([plane, other_half], axis)


def logarithm(values):
    """log10, with zeros at the smallest positive value, so that they can be drawn."""
    positive = values[values > 0]
    return np.log10(np.maximum(values, positive.min() if positive.size else 1.0))


def thinned(values):
    """Every s-th element of each axis, so that no axis has more than MAX_POINTS."""
    return values[tuple(slice(None, None, -(-n // MAX_POINTS)) for n in values.shape)]


def draw_plane(panel, spectrum, axes, half):
    last, before = spectrum.ndim - 1, spectrum.ndim - 2
    plane = logarithm(thinned(central_plane(spectrum, axes, half)))
    drawn = panel.imshow(plane, origin="lower", extent=(-0.5, 0.5, -0.5, 0.5), aspect="auto", cmap="viridis")
    panel.figure.colorbar(drawn, ax=panel, label="log10 |X|²   (|X|² in input units²)")
    panel.set(xlabel=f"frequency along axis {last} (cycles / sample)",
              ylabel=f"frequency along axis {before} (cycles / sample)")
    panel.set_title("plane through frequency 0" if spectrum.ndim > 2 else "power spectrum")


def draw_line(panel, spectrum, half):
    shift = (lambda values: values) if half else np.fft.fftshift
    frequencies = thinned(shift(frequencies_along(spectrum.shape[0], half)))
    panel.semilogy(frequencies, thinned(shift(10 ** logarithm(power(np.asarray(spectrum))))), linewidth=0.8)
    panel.set(xlabel="frequency (cycles / sample)", ylabel="|X|²  (input units²)", title="power spectrum")


def draw_radial(panel, spectrum, axes, half):
    bins = max(1, min(max(spectrum.shape[a] for a in axes) // 2, 1024))
    frequency, mean = radial_mean(spectrum, axes, bins, half)
    panel.plot(frequency, 10 ** logarithm(mean), linewidth=1.2)
    panel.set_yscale("log")
    panel.set(xlabel="|k| (cycles / sample)", ylabel="mean |X|²  (input units²)", title="mean over shells of equal |k|")
    panel.grid(alpha=0.3)


def draw(spectrum, axes, path, title, half=None):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    figure.suptitle(title)
    if spectrum.ndim == 1:
        draw_line(left, spectrum, half)
    else:
        draw_plane(left, spectrum, axes, half)
    draw_radial(right, spectrum, axes, half)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def of_record(path):
    """Transformed axes, and the real length of the last one where the result is a half spectrum."""
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    axes = record["axes"]
    is_half = record.get("kind") == "r2c" and record.get("direction") == "forward"
    return axes, record["shape"][axes[-1]] if is_half else None


def by_package(path, axes):
    """The spectrum of the array in that file; None without the package."""
    try:
        import shardfft
    except ImportError as missing:
        print(f"the picture is of the program's spectrum, not of the Python package's: {missing}; "
              "./quickstart --python builds the package")
        return None
    return shardfft.fftn(np.load(path), axes=axes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spectrum")
    parser.add_argument("picture")
    parser.add_argument("--record", help="what `shardfft transform --json` wrote: says which axes were transformed "
                        "(default: all), and whether the spectrum is half of one")
    parser.add_argument(
        "--half", type=int, nargs="?", const=0, metavar="N",
        help="a half spectrum along the last transformed axis, of N reals (default: 2 (m - 1) for m elements)")
    parser.add_argument("--input", help="the array that was transformed: the package shardfft transforms it again, and "
                        "this spectrum is drawn")
    parser.add_argument("--title", default="power spectrum")
    arguments = parser.parse_args()
    spectrum = np.load(arguments.spectrum, mmap_mode="r")
    axes, half = of_record(arguments.record) if arguments.record else (list(range(spectrum.ndim)), None)
    if arguments.half is not None:
        half = arguments.half or max(1, 2 * (spectrum.shape[axes[-1]] - 1))
    if half and half // 2 + 1 != spectrum.shape[axes[-1]]:
        parser.error(f"a half spectrum of {half} reals has {half // 2 + 1} elements along axis {axes[-1]}; "
                     f"'{arguments.spectrum}' has {spectrum.shape[axes[-1]]}; name the right N with --half")
    own = by_package(arguments.input, axes) if arguments.input else None
    if own is not None:
        spectrum, half = own, None
    draw(spectrum, axes, arguments.picture, arguments.title, half)


if __name__ == "__main__":
    main()
