#!/usr/bin/env python3
"""spectrum.py SPECTRUM.npy PICTURE.png: the power of a full complex spectrum (1 to 8 axes) as a picture.

Left: log10 |X|^2 over the plane through frequency 0 of the last two axes (one axis: over frequency). Right: mean power in shells of equal |k|.
The file is memory-mapped and read once, block by block: any size will do. Frequencies are in cycles per sample, -0.5 to 0.5.
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


def radial_mean(spectrum, axes, bins):
    """Mean of |X|^2 over shells of |k|, k from the transformed `axes` alone: (middle |k| of each shell, mean power), empty shells left out.

    |k| = sqrt(sum of f_a^2), f_a in cycles per sample. `bins` shells of equal width over 0 <= |k| <= 0.5 sqrt(len(axes)).
    """
    width = 0.5 * np.sqrt(len(axes)) / bins
    squares = [np.fft.fftfreq(n) ** 2 if a in axes else np.zeros(n) for a, n in enumerate(spectrum.shape)]
    rest = sum(np.ix_(*squares[1:]), np.zeros(spectrum.shape[1:]))
    total, count = np.zeros(bins), np.zeros(bins)
    for block in blocks(spectrum.shape):
        square = squares[0][block].reshape(-1, *[1] * rest.ndim) + rest
        shell = np.minimum((np.sqrt(square) / width).astype(np.int64), bins - 1).ravel()
        total += np.bincount(shell, power(np.asarray(spectrum[block])).ravel(), bins)
        count += np.bincount(shell, minlength=bins)
    filled = count > 0
    return ((np.arange(bins) + 0.5) * width)[filled], total[filled] / count[filled]


def blocks(shape):
    """Slices of axis 0 of about BLOCK elements each."""
    step = max(1, BLOCK * shape[0] // int(np.prod(shape)))
    return (slice(begin, begin + step) for begin in range(0, shape[0], step))


def central_plane(spectrum, axes):
    """The last two axes at frequency 0 of the other transformed axes, in the middle of the others; frequency 0 in the centre of the plane."""
    middle = tuple(0 if a in axes else n // 2 for a, n in enumerate(spectrum.shape[:-2]))
    plane = power(np.asarray(spectrum[middle]))
    plane_axes = [a - (spectrum.ndim - 2) for a in axes if a >= spectrum.ndim - 2]
    return np.fft.fftshift(plane, axes=plane_axes)


def logarithm(values):
    """log10, with zeros at the smallest positive value, so that they can be drawn."""
    positive = values[values > 0]
    return np.log10(np.maximum(values, positive.min() if positive.size else 1.0))


def thinned(values):
    """Every s-th element of each axis, so that no axis has more than MAX_POINTS."""
    return values[tuple(slice(None, None, -(-n // MAX_POINTS)) for n in values.shape)]


def draw_plane(panel, spectrum, axes):
    last, before = spectrum.ndim - 1, spectrum.ndim - 2
    drawn = panel.imshow(logarithm(thinned(central_plane(spectrum, axes))), origin="lower", extent=(-0.5, 0.5, -0.5, 0.5), aspect="auto", cmap="viridis")
    panel.figure.colorbar(drawn, ax=panel, label="log10 |X|²   (|X|² in input units²)")
    panel.set(xlabel=f"frequency along axis {last} (cycles / sample)", ylabel=f"frequency along axis {before} (cycles / sample)")
    panel.set_title("plane through frequency 0" if spectrum.ndim > 2 else "power spectrum")


def draw_line(panel, spectrum):
    frequencies = thinned(np.fft.fftshift(np.fft.fftfreq(spectrum.shape[0])))
    panel.semilogy(frequencies, thinned(np.fft.fftshift(10 ** logarithm(power(np.asarray(spectrum))))), linewidth=0.8)
    panel.set(xlabel="frequency (cycles / sample)", ylabel="|X|²  (input units²)", title="power spectrum")


def draw_radial(panel, spectrum, axes):
    bins = max(1, min(max(spectrum.shape[a] for a in axes) // 2, 1024))
    frequency, mean = radial_mean(spectrum, axes, bins)
    panel.plot(frequency, 10 ** logarithm(mean), linewidth=1.2)
    panel.set_yscale("log")
    panel.set(xlabel="|k| (cycles / sample)", ylabel="mean |X|²  (input units²)", title="mean over shells of equal |k|")
    panel.grid(alpha=0.3)


def draw(spectrum, axes, path, title):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    figure.suptitle(title)
    if spectrum.ndim == 1:
        draw_line(left, spectrum)
    else:
        draw_plane(left, spectrum, axes)
    draw_radial(right, spectrum, axes)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spectrum")
    parser.add_argument("picture")
    parser.add_argument("--record", help="what `shardfft transform --json` wrote: says which axes were transformed (default: all)")
    parser.add_argument("--title", default="power spectrum")
    arguments = parser.parse_args()
    spectrum = np.load(arguments.spectrum, mmap_mode="r")
    axes = list(range(spectrum.ndim))
    if arguments.record:
        with open(arguments.record, encoding="utf-8") as file:
            axes = json.load(file)["axes"]
    draw(spectrum, axes, arguments.picture, arguments.title)


if __name__ == "__main__":
    main()
