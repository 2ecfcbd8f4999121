#!/usr/bin/env python3
"""Draws tutorial_operators.png: the three results of docs/tutorial_operators.md.

tutorial_operators.py [FILE]    writes FILE (default: tutorial_operators.png beside this script); needs shardfft and
matplotlib: PYTHONPATH=build/release/python build/venv/bin/python docs/pictures/tutorial_operators.py
"""
import pathlib
import sys

import numpy as np
from matplotlib.figure import Figure

import shardfft as sf


def smooth_and_noisy(n=128):
    """Exact field, what was measured, and that without its high frequencies, along one row."""
    x, y = np.arange(n)[:, None] / n, np.arange(n) / n
    exact = np.sin(2 * np.pi * x) + np.cos(4 * np.pi * (x + y))
    noisy = exact + np.random.default_rng(1).normal(0, 0.5, exact.shape)
    plan = sf.Plan(exact.shape, kind="r2c", apply="to_outputs")
    smooth = plan.apply(noisy, sf.spectral.lowpass(plan, (1, 1), 2 * np.pi * 6)).local
    return y, exact[0], noisy[0], smooth[0]


def errors_of_derivatives(lengths):
    """Largest errors of the derivative of exp(sin 2 pi x): by its spectrum, by central differences."""
    for n in lengths:
        x = np.arange(n) / n
        u = np.exp(np.sin(2 * np.pi * x))
        exact = 2 * np.pi * np.cos(2 * np.pi * x) * u
        plan = sf.Plan((n,), kind="r2c", apply="to_outputs")
        spectral = plan.apply(u, sf.spectral.derivative(plan, 0)).local
        differences = (np.roll(u, -1) - np.roll(u, 1)) * n / 2
        yield [np.abs(d - exact).max() for d in (spectral, differences)]


def heat(u, time):
    """After `time`, between walls that let no heat through, and if the array went on at its other end."""
    n = len(u)
    walls = sf.idct(sf.dct(u) * np.exp(-time * (np.pi * np.arange(n)) ** 2))
    ring = sf.irfft(sf.rfft(u) * np.exp(-time * (2 * np.pi * np.arange(n // 2 + 1)) ** 2), n)
    return walls, ring


def draw(file):
    figure = Figure(figsize=(11, 3.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    y, exact, noisy, smooth = smooth_and_noisy()
    left.plot(y, noisy, ".", color="0.75", label="measured")
    left.plot(y, exact, "k--", lw=1, label="exact")
    left.plot(y, smooth, label="low-pass")
    left.set(title="1. A low-pass filter", xlabel="y, first row")

    lengths = [8, 12, 16, 24, 32, 48, 64, 96, 128]
    errors = list(errors_of_derivatives(lengths))
    for name, of in zip(("spectral", "central differences"), zip(*errors)):
        middle.loglog(lengths, of, "o-", label=name)
    middle.set(title="2. A derivative", xlabel="points", ylabel="largest error")

    x = (np.arange(200) + 0.5) / 200
    start = np.where(x < 0.2, 1.0, 0.0)
    walls, ring = heat(start, 0.01)
    right.plot(x, start, "k--", lw=1, label="start")
    right.plot(x, walls, label="walls: dct")
    right.plot(x, ring, label="periodic: rfft")
    right.set(title="3. Heat between walls", xlabel="x")
    for axes in (left, middle, right):
        axes.legend(fontsize=8)
    figure.savefig(file, dpi=100)


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".png"))
