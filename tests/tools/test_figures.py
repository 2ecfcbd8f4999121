"""Figures of the documents are what their scripts draw, and what they show is true."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FIGURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "figures"
sys.path.insert(0, str(FIGURES))
import pencil_transform


class Figures(unittest.TestCase):
    def test_each_script_draws_the_file_beside_it_byte_for_byte(self):
        scripts = sorted(FIGURES.glob("*.py"))
        self.assertIn("pencil_transform.py", [script.name for script in scripts])
        for script in scripts:
            with tempfile.TemporaryDirectory() as folder:
                drawn = pathlib.Path(folder) / "figure.svg"
                subprocess.run([sys.executable, script, drawn], check=True)
                self.assertEqual(drawn.read_bytes(), script.with_suffix(".svg").read_bytes(), f"run {script}")

    def test_each_figure_is_drawn_by_a_script_and_is_well_formed(self):
        for figure in FIGURES.glob("*.svg"):
            self.assertTrue(figure.with_suffix(".py").exists(), figure)
            self.assertTrue(xml.etree.ElementTree.parse(figure).getroot().tag.endswith("svg"), figure)

    def test_exchanges_of_the_pencil_transform_stay_within_rows_and_columns_of_the_grid(self):
        z, y, x = pencil_transform.GRIDS
        self.assertEqual(pencil_transform.partners(z, y), [(0, 1), (2, 3)])
        self.assertEqual(pencil_transform.partners(y, x), [(0, 2), (1, 3)])

    def test_each_sweep_of_the_pencil_transform_finds_its_axis_whole(self):
        for grid, axis in zip(pencil_transform.GRIDS, pencil_transform.SWEPT):
            self.assertEqual(grid[axis], 1)


if __name__ == "__main__":
    unittest.main()
