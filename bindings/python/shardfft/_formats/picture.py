"""`python -m shardfft spectrum ... --png FILE`: what --csv says, drawn by matplotlib."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from typing import Any, Sequence

import numpy as np

from .._errors import InvalidArgument, IoFailed
from . import staged


def is_asked(words: Sequence[str]) -> bool:
    return words[:1] == ["spectrum"] and any(word.split("=")[0] == "--png" for word in words)


def _option(words: list[str], name: str, remove: bool = False) -> str | None:
    """The value of an option; None: it is not given."""
    for i, word in enumerate(words):
        if word == name or word.startswith(name + "="):
            count = 1 if "=" in word else 2
            value = word.partition("=")[2] if count == 1 else "".join(words[i + 1:i + 2])
            if remove:
                del words[i:i + count]
            return value
    return None


def _draw(csv: str, png: str) -> None:
    from matplotlib.figure import Figure

    from ..analysis import Spectrum
    with open(csv, encoding="utf-8") as file:
        notes = [line[1:].strip() for line in file if line.startswith("#")]
    table: Any = np.atleast_1d(np.genfromtxt(csv, delimiter=",", names=True, skip_header=len(notes)))
    correlation = table["correlation"] if "correlation" in table.dtype.names else None
    found = Spectrum(table["k_lo"], table["k_hi"], table["k_mean"], table["modes"], table["power"], table["stderr"],
                     table["beyond_nyquist"] > 0, correlation=correlation)
    figure = Figure(layout="constrained")
    axes = found.plot(figure.add_subplot())
    axes.set_title("\n".join(notes[:2]), fontsize="small")
    part = f"{png}.partial-{os.getpid()}"
    try:
        figure.savefig(part, format="png")
        os.replace(part, png)
    finally:
        if os.path.exists(part):
            os.remove(part)


def run(program: str, words: list[str]) -> int:
    """Exit status of the program, or 2 with one line."""
    try:
        return _run(program, words)
    except (InvalidArgument, IoFailed, OSError) as error:
        print(f"shardfft: {error}", file=sys.stderr)
        return 2


def _run(program: str, words: list[str]) -> int:
    png = _option(words, "--png", remove=True)
    if not png or not png.endswith(".png"):
        raise InvalidArgument(f"--png names a file that ends in .png; got {png!r}")
    if not os.path.isdir(os.path.dirname(png) or "."):
        raise InvalidArgument(f"--png names a file in a folder that exists; got {png!r}; make the folder")
    if any(os.environ.get(name, "1") != "1" for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")):
        raise InvalidArgument("a picture is drawn by one process; got several ranks; write --csv and draw that")
    try:
        importlib.import_module("matplotlib")
    except ImportError as error:
        raise IoFailed("pictures need the package matplotlib; pip install matplotlib") from error
    with tempfile.TemporaryDirectory() as folder:
        csv = _option(words, "--csv")
        if csv is None:
            csv = os.path.join(folder, "spectrum.csv")
            words = [*words, "--csv", csv]
        own = staged.own_formats(program, words)
        status = subprocess.run([program, *words]).returncode if own is None else staged.run(program, words, own)
        if status == 0:
            _draw(csv, png)
        return status
