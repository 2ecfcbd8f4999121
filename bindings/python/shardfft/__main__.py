"""python -m shardfft: the program shardfft, with its commands transform, bench, explain ..., and `convert`. Files of
formats that the program does not read are converted for it, and `spectrum --png` draws what it finds."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str | None:
    """The program that was installed with the package, or built beside it, or is on PATH."""
    here = Path(__file__).parent
    for place in (here / "bin" / "shardfft", Path(__file__).absolute().parents[2] / "bin" / "shardfft"):
        if os.access(place, os.X_OK) and place.is_file():
            return str(place)
    return shutil.which("shardfft")


def main() -> None:
    """Becomes the program, unless there are files to convert."""
    words = sys.argv[1:]
    if words[:1] == ["convert"]:
        from ._formats import convert
        sys.exit(convert.run(words[1:]))
    found = program()
    if found is None:
        sys.exit("shardfft: this package has no program, and there is none on PATH; build it with CMake")
    from ._formats import picture, staged
    if picture.is_asked(words):
        sys.exit(picture.run(found, words))
    if (own := staged.own_formats(found, words)) is not None:
        sys.exit(staged.run(found, words, own))
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
