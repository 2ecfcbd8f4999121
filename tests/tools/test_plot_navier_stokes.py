"""The picture of a flow: its derivative against a known one, and a picture from files as the program writes them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "pictures"
sys.path.insert(0, str(TOOLS))
import plot_navier_stokes as drawn


class PlotNavierStokes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def written(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def draw(self, *words):
        return subprocess.run([sys.executable, str(TOOLS / "plot_navier_stokes.py"), *words], capture_output=True,
                              text=True, check=False)

    def test_the_loss_of_energy_is_its_derivative(self):
        time = np.linspace(0, 1, 101)
        at, loss = drawn.loss(time, np.exp(-3 * time))
        np.testing.assert_allclose(loss, 3 * np.exp(-3 * at), rtol=1e-3)

    def test_a_picture_is_made_with_and_without_a_spectrum(self):
        rows = "".join(f"{i},{i / 10},{0.1 - i / 1000},{0.3 + i / 100},{0.01 + i / 1000},1e-18\n" for i in range(9))
        flow = self.written("flow.csv", "step,time,energy,enstrophy,dissipation,divergence\n" + rows)
        shells = self.written("shells.csv", "shell,energy\n0,0\n1,1e-3\n2,5e-4\n3,1e-4\n")
        for words in [[], ["--spectrum", shells]]:
            picture = str(pathlib.Path(self.folder.name) / f"picture_{len(words)}.png")
            done = self.draw(flow, picture, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(picture, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_file_of_something_else_is_refused(self):
        done = self.draw(self.written("other.csv", "a,b\n1,2\n"), "picture.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("must have the columns", done.stderr)


if __name__ == "__main__":
    unittest.main()
