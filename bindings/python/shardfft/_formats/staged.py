"""The program's commands on files of formats that it does not read: such files become .npy files beside the result, and
results of such names are converted from one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Sequence

from .._errors import InvalidArgument, IoFailed
from . import Format, open_array, place_of
from .convert import convert

# How many words name inputs; one more is the output. solve has the word of an equation before.
_INPUTS = {"transform": 1, "filter": 1, "convolve": 2, "deconvolve": 2, "correlate": 2, "solve": 2}
_TAKE_SPACING = ("filter", "spectrum", "correlate", "deconvolve")


def _format_named(word: str) -> Format | None:
    if word.startswith("-"):
        return None
    try:
        return place_of(word).format
    except InvalidArgument:
        return None


def _after_options(words: Sequence[str]) -> set[int]:
    """Positions of words that may be values of options."""
    return {i + 1 for i, word in enumerate(words) if word.startswith("--") and "=" not in word}


def arrays_in(words: Sequence[str]) -> dict[int, str]:
    """Positions at which a command's words name files of arrays, and their formats."""
    after_option = _after_options(words)
    named = {i: _format_named(word) for i, word in enumerate(words) if i > 0}
    return {i: found.name for i, found in named.items()
            if found is not None and found.name != "raw" and not (i in after_option and not os.path.exists(words[i]))}


def output_in(words: Sequence[str], found: dict[int, str]) -> int | None:
    """The position of the file that the command writes; None: it writes none of these."""
    values = _after_options(words) - set(found)
    arguments = [i for i, word in enumerate(words) if i > 0 and not word.startswith("-") and i not in values]
    return arguments[-1] if words[0] in _INPUTS and len(arguments) > _INPUTS[words[0]] else None


def own_formats(program: str, words: Sequence[str]) -> tuple[str, ...] | None:
    """What the program reads itself; None: all files of these words."""
    own: tuple[str, ...] = ("NumPy",)
    found = set(arrays_in(words).values())
    if "HDF5" in found:
        told = subprocess.run([program, "info", "--json", "-"], capture_output=True, text=True,
                              env={**os.environ, "SHARDFFT_MPI": "none"})  # a launcher's ranks join MPI once
        own += ("HDF5",) if told.returncode == 0 and ".h5" in json.loads(told.stdout)["files"] else ()
    return own if found - set(own) else None


def run(program: str, words: Sequence[str], own: Sequence[str]) -> int:
    """Exit status of the program, or 2 with one line."""
    try:
        return _run(program, list(words), own)
    except (InvalidArgument, IoFailed, OSError) as error:
        if all(os.environ.get(name, "0") == "0" for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")):
            print(f"shardfft: {error}", file=sys.stderr)
        return 2


def _run(program: str, words: list[str], own: Sequence[str]) -> int:
    if any(os.environ.get(name, "1") != "1" for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")):
        raise InvalidArgument("files of other formats are converted by one process; got several ranks; run python -m "
                              "shardfft convert before and after")
    found = arrays_in(words)
    output = output_in(words, found)
    near = os.path.dirname(os.path.realpath(place_of(words[max(found)]).path))
    folder = tempfile.mkdtemp(prefix=".shardfft-", dir=near)
    names: dict[str, str] = {}  # of the user's files, by those that stand for them
    result: tuple[str, str] | None = None
    try:
        for i in sorted(found):
            if found[i] in own:
                continue
            stands = os.path.join(folder, f"{i}.npy")
            names[stands] = words[i]
            if i == output:
                result = stands, words[i]
            else:
                convert(words[i], stands)
                _add_spacing(words, i)
            words[i] = stands
        done = subprocess.run([program, *words], capture_output=True, text=True)
        for said, to in ((done.stdout, sys.stdout), (done.stderr, sys.stderr)):
            for stands, name in names.items():
                said = said.replace(stands, name)
            to.write(said)
        if done.returncode == 0 and result is not None:
            convert(*result)
        return done.returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _add_spacing(words: list[str], i: int) -> None:
    """What a file says of its points is told to commands that ask for it."""
    told = any(word.split("=")[0] in ("--spacing", "--lengths") for word in words)
    if words[0] not in _TAKE_SPACING or told:
        return
    opened = open_array(place_of(words[i]))
    grid = opened.grid
    opened.close()
    if grid.spacing:
        words.append(f"--spacing={','.join(map(repr, grid.spacing))}{grid.unit}")


