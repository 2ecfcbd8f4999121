"""The commands of docs/cookbook.md, one after the other, on the data that they name."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shardfft.__main__ import program

ROOT = Path(__file__).parents[3]
COMMAND = re.compile(r"^(?:python -m shardfft|shardfft) (.*)$", re.M)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cookbook")
    made = subprocess.run([sys.executable, ROOT / "examples" / "cookbook_data.py"], cwd=path, capture_output=True,
                          text=True)
    if made.returncode != 0 and "pip" in made.stderr and not list(path.glob("brain*")):
        pytest.skip(f"PyPI gives no data: {made.stderr.splitlines()[-1]}")
    assert made.returncode == 0, made.stderr
    yield path
    shutil.rmtree(path)


def test_every_command_does_what_the_page_says(folder):
    page = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
    commands = COMMAND.findall(page)
    assert len(commands) >= 11 and page.count("\n**") == 10
    said = {}
    for words in commands:
        done = subprocess.run([sys.executable, "-m", "shardfft", *words.split()], cwd=folder, capture_output=True,
                              text=True)
        assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
        said[words.split()[0]] = done.stdout
    assert "[-3.5, 2, -0.25] mm" in said["correlate"] and "every bit is equal" in said["compare-files"]
    blurred, sharp, right = (np.load(folder / f"{name}.npy") for name in ("blurred", "sharp", "galaxies"))
    assert np.linalg.norm(sharp - right) < 0.9 * np.linalg.norm(blurred - right)
    assert not list(folder.glob(".shardfft*")) and program() is not None
