#!/usr/bin/env python3
"""plot_tolerances.py PICTURE.png [--program FILE] [--shape 64x64x64] [--ranks 4]: the error of a solution over bytes.

Runs `shardfft solve helmholtz --manufactured` under mpirun for some schemes and tolerances, with each rank as a node of
its own (--encode-near). A line falls until it meets the dashed one, the error of the differences: bytes beyond that are
wasted. A star is what --tolerance auto takes. Prints the figures as a Markdown table. Nothing is timed.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMES = ("2", "4", "6", "spectral")
TOLERANCES = [10.0**-e for e in range(1, 13)]


class Solver:
    """The program on one known solution."""

    def __init__(self, program, shape, ranks):
        self.ranks = ranks
        self.command = [
            ROOT / "tools" / "mpirun", "mpirun", ranks, program, "solve", "helmholtz", "--manufactured", "--boundary",
            "periodic,neumann,dirichlet", "--shape", shape, "--encode-near", "--json", "-"
        ]

    def run(self, scheme, tolerance=None):
        """The record of one run; without a tolerance it is exact."""
        words = [*self.command, "--order", scheme, *([] if tolerance is None else ["--tolerance", tolerance])]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))} failed: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def point(self, record):
        """(KiB that a rank sent, relative L2 error)"""
        return record["bytes_after"] / self.ranks / 1024, record["error"]


def measure(solver, scheme):
    """A line of the picture: what tolerances cost, what auto chose, and what is exact."""
    records = [solver.run(scheme, f"{e:g}") for e in TOLERANCES]
    auto, exact = solver.run(scheme, "auto"), solver.run(scheme)
    if auto["tolerance"] == 0:  # exact transforms: nothing was encoded
        auto["bytes_after"] = records[0]["bytes_before"]
    return {
        "scheme": scheme if scheme.isalpha() else f"order {scheme}",
        "points": [solver.point(record) for record in records],
        "auto": solver.point(auto),
        "tolerance": auto["tolerance"],
        "grid": exact["error"],
        "exact": records[0]["bytes_before"] / solver.ranks / 1024
    }


def draw(lines, path, title):
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for i, line in enumerate(lines):
        axes.semilogy(*zip(*line["points"]), f"C{i}.-", label=line["scheme"])
        axes.axhline(line["grid"], color=f"C{i}", linestyle="--", linewidth=0.8)
        axes.plot(*line["auto"], f"C{i}*", markersize=14)
    axes.axvline(lines[0]["exact"], color="0.5", linestyle=":", label="exact transforms")
    axes.plot([], [], "k--", linewidth=0.8, label="error of the differences")
    axes.plot([], [], "k*", markersize=10, label="--tolerance auto")
    axes.set(xlabel="KiB that a rank sends", ylabel="relative error of u", title=title)
    axes.legend(loc="lower left")
    figure.savefig(path, dpi=80)


def table(lines):
    text = "| scheme | error of the differences | `auto`: tolerance | error | KiB | exact, KiB | fewer |\n"
    text += "|---|---|---|---|---|---|---|\n"
    for line in lines:
        sent, error = line["auto"]
        tolerance = f"{line['tolerance']:.1e}" if line["tolerance"] > 0 else "none"
        text += (f"| {line['scheme']} | {line['grid']:.1e} | {tolerance} | {error:.1e} | "
                 f"{sent:.0f} | {line['exact']:.0f} | {line['exact'] / sent:.1f} |\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture")
    parser.add_argument("--program", default=ROOT / "build" / "release" / "bin" / "shardfft")
    parser.add_argument("--shape", default="64x64x64")
    parser.add_argument("--ranks", type=int, default=4)
    words = parser.parse_args()
    solver = Solver(words.program, words.shape, words.ranks)
    lines = [measure(solver, scheme) for scheme in SCHEMES]
    draw(lines, words.picture, f"u - laplacian(u) = f, {words.shape}, {words.ranks} ranks")
    print(table(lines), end="")


if __name__ == "__main__":
    main()
