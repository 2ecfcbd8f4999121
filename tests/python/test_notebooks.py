"""The cells of the notebooks run, one after the other; the picture of the tutorial is drawn by its script."""

import json
import runpy
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(notebook):
    for module in ("dask", "jax") if notebook.stem == "distributed_arrays" else ():
        pytest.importorskip(module, reason=f"{module} is not installed")
    names = {}
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3
    for cell in cells:
        exec(compile("".join(cell["source"]), notebook.name, "exec"), names)
        assert cell["outputs"] == []
        plt.close("all")  # a cell draws on its own axes


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


def test_the_picture_shows_what_the_tutorial_says(tmp_path):
    script = runpy.run_path(str(DOCS / "pictures" / "tutorial_operators.py"))
    script["draw"](tmp_path / "drawn.png")
    drawn, kept = plt.imread(tmp_path / "drawn.png"), plt.imread(DOCS / "pictures" / "tutorial_operators.png")
    assert drawn.shape == kept.shape and abs(drawn - kept).mean() < 0.01
    _, exact, noisy, smooth = script["smooth_and_noisy"]()
    assert abs(smooth - exact).max() < 0.2 * abs(noisy - exact).max()
    (spectral, differences), = script["errors_of_derivatives"]([32])
    assert spectral < 1e-12 and differences > 0.1
