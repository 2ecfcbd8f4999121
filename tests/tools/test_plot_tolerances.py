"""The picture of errors over bytes: from a program that stands in for shardfft, and what is said where it fails."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "pictures"
sys.path.insert(0, str(TOOLS))
import plot_tolerances as drawn

GRID = {"2": 1e-3, "4": 1e-5, "6": 1e-7, "spectral": 1e-13}


class StandIn(drawn.Solver):
    """Loses the tolerance beside what the grid loses, and sends fewer bytes the larger it is."""

    def __init__(self):
        super().__init__("shardfft", "8x8x8", 4)

    def run(self, scheme, tolerance=None):
        e = 0 if tolerance is None else GRID[scheme] / 4 if tolerance == "auto" else float(tolerance)
        sent = {1e-1: 400, 1e-12: 4400}.get(e, 2000) * 1024 if e else 0
        return {"error": GRID[scheme] + e, "bytes_after": sent, "bytes_before": 8000 * 1024 if e else 0, "tolerance": e}


class PlotTolerances(unittest.TestCase):
    def test_a_line_has_what_a_rank_sends_and_what_the_grid_loses(self):
        line = drawn.measure(StandIn(), "2")
        self.assertEqual((line["scheme"], line["grid"], line["exact"]), ("order 2", 1e-3, 2000))
        self.assertEqual(line["points"][0], (100, 1e-3 + 1e-1))
        self.assertEqual(line["points"][-1][0], 1100)
        self.assertEqual(line["auto"], (500, 1.25e-3))

    def test_a_picture_and_a_table_have_every_scheme(self):
        lines = [drawn.measure(StandIn(), scheme) for scheme in drawn.SCHEMES]
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder) / "drawn.png"
            drawn.draw(lines, picture, "a title")
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        rows = drawn.table(lines).splitlines()[2:]
        self.assertEqual([row.split(" | ")[0] for row in rows],
                         ["| order 2", "| order 4", "| order 6", "| spectral"])
        self.assertTrue(rows[0].endswith("| 500 | 2000 | 4.0 |"), rows[0])

    def test_a_program_that_fails_ends_it_with_its_words(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, TOOLS / "plot_tolerances.py", pathlib.Path(folder) / "no.png",
                                   "--program", "/nowhere/shardfft"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/shardfft", done.stderr)


if __name__ == "__main__":
    unittest.main()
