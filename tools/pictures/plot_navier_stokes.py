#!/usr/bin/env python3
"""plot_navier_stokes.py FLOW.csv PICTURE.png [--spectrum SHELLS.csv] [--title TEXT]: what shardfft navier-stokes wrote
with --csv and --spectrum.

Energy and enstrophy over time, the dissipation beside -dE/dt, and the energy of the shells of wave numbers beside
k^(-5/3). -dE/dt is the derivative of the energies in the file; it lies on the dissipation if time steps resolve the
flow.
"""
import argparse
import csv

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def columns(path, names):
    """The columns of a CSV file as arrays, by name."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not set(names) <= set(rows[0]):
        raise SystemExit(f"{path} must have the columns {', '.join(names)}; write it with shardfft navier-stokes")
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


def loss(time, energy):
    """-dE/dt at the inner times, by central differences: (times, values)."""
    return time[1:-1], -(energy[2:] - energy[:-2]) / (time[2:] - time[:-2])


def draw_sums(axes, flow):
    axes.plot(flow["time"], flow["energy"], label="energy")
    axes.set(xlabel="time", ylabel="energy")
    twin = axes.twinx()
    twin.plot(flow["time"], flow["enstrophy"], "C1", label="enstrophy")
    twin.set_ylabel("enstrophy")
    axes.legend(handles=axes.lines + twin.lines, loc="center left")


def draw_dissipation(axes, flow):
    axes.plot(flow["time"], flow["dissipation"], label="2 nu enstrophy")
    axes.plot(*loss(flow["time"], flow["energy"]), "--", label="-dE/dt")
    peak = np.argmax(flow["dissipation"])
    at, most = flow["time"][peak], flow["dissipation"][peak]
    axes.annotate(f"{most:.5f} at {at:.2f}", (at, most), ha="right", va="bottom")
    axes.set(xlabel="time", ylabel="dissipation", ylim=(0, 1.1 * most))
    axes.legend(loc="upper left")


def draw_spectrum(axes, shells):
    there = (shells["shell"] > 0) & (shells["energy"] > 1e-20)
    wave, energy = shells["shell"][there], shells["energy"][there]
    axes.loglog(wave, energy, "o-", label="energy of a shell")
    axes.loglog(wave, energy.max() * wave ** (-5 / 3), ":", label="k^(-5/3)")
    axes.set(xlabel="wave number", ylabel="energy")
    axes.legend(loc="lower left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flow")
    parser.add_argument("picture")
    parser.add_argument("--spectrum", help="CSV of shells")
    parser.add_argument("--title", default="", help="above the picture")
    words = parser.parse_args()
    flow = columns(words.flow, ["time", "energy", "enstrophy", "dissipation"])
    shells = columns(words.spectrum, ["shell", "energy"]) if words.spectrum else None
    figure, axes = plt.subplots(1, 3 if shells else 2, figsize=(13 if shells else 9, 3.8), layout="constrained")
    draw_sums(axes[0], flow)
    draw_dissipation(axes[1], flow)
    if shells:
        draw_spectrum(axes[2], shells)
    figure.suptitle(words.title)
    figure.savefig(words.picture, dpi=80)


if __name__ == "__main__":
    main()
