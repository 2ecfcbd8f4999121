"""The cells of the notebooks run, one after the other."""

import json
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(notebook):
    names = {}
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3
    for cell in cells:
        exec(compile("".join(cell["source"]), notebook.name, "exec"), names)
        assert cell["outputs"] == []


def test_there_are_two():
    assert len(NOTEBOOKS) == 2
