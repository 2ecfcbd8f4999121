"""shardfft solve: from file to file against eigenvalues by NumPy and SciPy, known solutions, bad input."""
import json
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run

try:
    import scipy.fft
except ImportError:
    scipy = None


def second_order(n, h, offset, period):
    return 4 / h**2 * np.sin(np.pi * (np.arange(n) + offset) / period)**2


class Files(InFolder):
    def test_periodic_boxes_are_what_numpy_makes_of_them(self):
        f = self.reals(6, 8, 9)
        f -= f.mean()
        k = [np.minimum(np.arange(n), n - np.arange(n)) * 2 * np.pi / length for n, length in zip(f.shape, (1, 2, 3))]
        k2 = k[0][:, None, None]**2 + k[1][None, :, None]**2 + k[2]**2
        k2[0, 0, 0] = 1
        want = np.fft.fftn(f) / k2
        want[0, 0, 0] = 0
        self.save("f.npy", f)
        said = self.json("solve", "poisson", "f.npy", "u.npy", "--order", "spectral", "--lengths", "1,2,3")
        self.assert_close(self.load("u.npy"), np.fft.ifftn(want).real, "spectral")
        self.assertTrue(said["gauge"])
        self.assertLess(said["compatibility"], 1e-15)
        self.assertEqual(self.leftovers(), [])

    @unittest.skipUnless(scipy, "SciPy is not installed")
    def test_helmholtz_between_walls_is_what_scipy_makes_of_it(self):
        f = self.reals(7, 8)
        l = second_order(7, 1 / 7, 0, 14)[:, None] + second_order(8, 1 / 8, 1, 16)
        middle = scipy.fft.dst(scipy.fft.dct(f, axis=0), axis=1) / (3 + l)
        self.save("f.npy", f)
        self.ok("solve", "helmholtz", "f.npy", "u.npy", "--shift", 3, "--boundary", "neumann,dirichlet")
        self.assert_close(self.load("u.npy"), scipy.fft.idst(scipy.fft.idct(middle, axis=0), axis=1), "helmholtz")

    @needs_launcher
    def test_bytes_of_its_steps_are_those_of_all_ranks(self):
        self.save("f.npy", self.reals(9, 5, 4))
        for ranks in (0, 3):
            told = self.json("solve", "helmholtz", "f.npy", "u.npy", ranks=ranks)
            sweeps = [step for step in told["steps"] if step["label"].startswith("sweep")]
            self.assertGreaterEqual(len(sweeps), 2)
            for step in sweeps:
                self.assertGreaterEqual(step["bytes_memory"], 2 * 9 * 5 * 4 * 8, step["label"])

    def test_files_of_single_precision_stay_so_and_may_be_replaced(self):
        f = self.reals(6, 5, dtype="f4")
        self.save("f.npy", f)
        self.ok("solve", "helmholtz", "f.npy", "u.npy")
        self.ok("solve", "helmholtz", "f.npy", "f.npy", "-q")
        self.assertEqual(self.load("u.npy").dtype, np.float32)
        np.testing.assert_array_equal(self.load("u.npy"), self.load("f.npy"))

    def test_values_at_the_ends(self):
        self.save("f.npy", np.zeros((5, 4)))
        self.ok("solve", "poisson", "f.npy", "u.npy", "--boundary", "dirichlet,periodic", "--values", "1:3,0:0")
        want = 1 + 2 * (np.arange(5) + 0.5) / 5
        np.testing.assert_allclose(self.load("u.npy"), np.repeat(want[:, None], 4, axis=1), rtol=1e-14)

    def test_stretched_cells_keep_a_parabola_in_balance(self):
        faces = np.array([0, 0.1, 0.3, 0.6, 0.8, 1.5])
        self.save("z.npy", faces)
        self.save("f.npy", np.ones((3, 4, 5)))
        self.ok("solve", "poisson", "f.npy", "u.npy", "--boundary", "periodic,periodic,neumann-dirichlet",
                "--stretched", "z", "--faces", "z.npy")
        u = self.load("u.npy")[1, 2]
        centres, widths = (faces[1:] + faces[:-1]) / 2, np.diff(faces)
        out = -np.diff(u) / np.diff(centres)  # through the faces between cells: what all cells before them make
        np.testing.assert_allclose(out, np.cumsum(widths)[:-1], rtol=1e-12)

    @needs_launcher
    def test_any_number_of_ranks_writes_the_same_bytes(self):
        self.save("f.npy", self.reals(6, 7, 8))
        for words in (["--boundary", "periodic,neumann,dirichlet"], ["--boundary", "periodic,periodic,dirichlet",
                                                                     "--stretched", "2"]):
            files = []
            for ranks in (1, 2, 3):
                self.ok("solve", "poisson", "f.npy", "u.npy", *words, ranks=ranks)
                with open(self.path("u.npy"), "rb") as file:
                    files.append(file.read())
            self.assertEqual(len(set(files)), 1, words)


class Known(InFolder):
    def test_orders_are_seen(self):
        for words, order in ((["--boundary", "neumann,dirichlet,periodic"], 2),
                             (["--boundary", "dirichlet-neumann", "--points", "nodes", "--order", "compact"], 4)):
            said = self.json("solve", "poisson", "--manufactured", *words)
            self.assertAlmostEqual(said["order_observed"], order, delta=0.05)
        said = self.json("solve", "helmholtz", "--manufactured", "--shape", "24x24", "--order", "spectral")
        self.assertLess(said["error"], 1e-13)
        self.assertNotIn("order_observed", said)


    def test_open_boundaries_know_the_potential_of_a_gaussian(self):
        said = self.json("solve", "poisson", "--manufactured", "--boundary", "open")
        self.assertLess(said["error_max"], 1e-12)
        self.assertLess(said["coarse"]["error"], 1e-4)
        f = np.zeros((4, 4, 4))
        f[1, 1, 1] = 1
        self.save("f.npy", f)
        self.ok("solve", "poisson", "f.npy", "u.npy", "--boundary", "open", "--spacing", 1)
        u = self.load("u.npy")
        self.assertAlmostEqual(u[1, 1, 3], 1 / (8 * np.pi), delta=0.02)  # a wave as short as the spacing runs along
        np.testing.assert_allclose(u[1, 1], u[1, :, 1], rtol=1e-13)

    @needs_launcher
    def test_a_tolerance_is_as_large_as_the_differences_deserve(self):
        words = ["solve", "helmholtz", "--manufactured", "--boundary", "neumann,periodic,dirichlet"]
        exact = self.json(*words, ranks=2)
        said = self.json(*words, "--tolerance", "auto", "--encode-near", ranks=2)
        self.assertAlmostEqual(said["estimated_error"] / exact["error"], 1, delta=0.2)
        self.assertLess(said["bytes_after"], 0.6 * said["bytes_before"])
        self.assertLess(said["error"], 1.2 * exact["error"])
        self.assertEqual(exact["bytes_before"], 0)

    @needs_launcher
    def test_a_tolerance_follows_from_what_a_file_holds(self):
        f = self.reals(12, 10, 8)
        self.save("f.npy", f)
        for boundary in ("periodic", "dirichlet"):
            words = ["--boundary", boundary, "--tolerance", "auto", "--encode-near"]
            said = self.json("solve", "helmholtz", "f.npy", "u.npy", *words, ranks=2)
            self.assertGreater(said["tolerance"], 0)
            self.assertGreater(said["bytes_before"], said["bytes_after"])
            self.ok("solve", "helmholtz", "f.npy", "exact.npy", "--boundary", boundary)
            off = np.linalg.norm(self.load("u.npy") - self.load("exact.npy"))
            self.assertLess(off, said["estimated_error"] * np.linalg.norm(self.load("exact.npy")))


BAD = [
    ([], "solve reads f and writes u; got no file"),
    (["f.npy"], "got one file"),
    (["none.npy", "u.npy"], "none.npy"),
    (["f.npy", "u.npy", "--boundary", "neumannn"], "did you mean 'neumann'"),
    (["f.npy", "u.npy", "--boundary", "neumann,dirichlet,neumann"], "each of 2 axes"),
    (["f.npy", "u.npy", "--boundary", "neumann"], "got a mean of"),
    (["f.npy", "u.npy", "--order", "3"], "--order is one of 2, 4, 6, compact, spectral"),
    (["f.npy", "u.npy", "--points", "edges"], "--points is one of cells, nodes"),
    (["f.npy", "u.npy", "--lengths", "1,x"], "--lengths has numbers"),
    (["f.npy", "u.npy", "--lengths", "1,-1"], "lengths are one positive number"),
    (["f.npy", "u.npy", "--lengths", "1", "--spacing", "1"], "said once"),
    (["f.npy", "u.npy", "--values", "1:1"], "which is periodic"),
    (["f.npy", "u.npy", "--values", "1,1"], "LOW:HIGH"),
    (["f.npy", "u.npy", "--boundary", "dirichlet", "--values", "0:1", "--order", "4"], "second order"),
    (["f.npy", "u.npy", "--stretched", "w"], "--stretched names one of 2 axes"),
    (["f.npy", "u.npy", "--boundary", "dirichlet", "--stretched", "y", "--faces", "tan:1"], "tanh:B"),
    (["f.npy", "u.npy", "--boundary", "dirichlet", "--stretched", "y", "--faces", "f.npy"], "along one axis"),
    (["f.npy", "u.npy", "--shape", "8x8"], "--shape goes with --manufactured"),
    (["c.npy", "u.npy"], "f is real"),
    (["t.npy", "u.npy"], "numpy.ascontiguousarray"),
    (["s.npy", "u.npy"], "a single number"),
    (["e.npy", "u.npy"], "at least 1 point along each axis"),
    (["f.npy", "no/u.npy"], "no/u.npy"),
    (["f.npy", "u.npy", "--manufactured"], "leave out files"),
    (["f.npy", "u.npy", "--boundary", "open", "--order", "4"], "leave it out, or --boundary open"),
    (["f.npy", "u.npy", "--boundary", "open", "--tolerance", "auto"], "give a number"),
    (["f.npy", "u.npy", "--tolerance", "some"], "--tolerance"),
    (["f.npy", "u.npy", "--boundary", "dirichlet", "--stretched", "y", "--tolerance", "auto"], "stretched axis"),
    (["f.npy", "u.npy", "--boundary", "dirichlet", "--values", "0:1", "--tolerance", "auto"], "values at the ends"),
    (["f.npy", "u.npy", "--boundary", "open,open"], "or open for all axes"),
    (["--manufactured", "--values", "1:1"], "leave them out"),
]


class BadInput(InFolder):
    def refused(self, words, said, ranks=0):
        done = run("solve", *words, ranks=ranks, cwd=self.folder)
        self.assertEqual(done.returncode, 2, f"{words}: {done.stdout}{done.stderr}")
        lines = own_lines(done.stderr)
        self.assertEqual(len(lines), 1, f"{words}: {done.stderr}")
        self.assertIn(said, lines[0])
        self.assertEqual(self.leftovers(), [])

    def files(self):
        self.save("f.npy", np.arange(20.0).reshape(4, 5))
        self.save("c.npy", np.zeros((4, 5), "c16"))
        self.save("t.npy", np.asfortranarray(np.zeros((4, 5))))
        self.save("s.npy", np.array(3.0))
        self.save("e.npy", np.zeros((4, 0)))

    def test_one_line_says_the_rule_what_it_got_and_what_to_do(self):
        self.files()
        for words, said in BAD:
            with self.subTest(words=words):
                self.refused(["poisson", *words], said)
        self.refused(["helmholtz", "f.npy", "u.npy", "--shift", "-1"], "shift is at least 0")
        self.refused(["stokes"], "solve --help")

    @needs_launcher
    def test_the_same_on_several_ranks_and_no_file_is_left(self):
        self.files()
        self.save("u.npy", np.zeros(3))
        for words, said in (BAD[2], BAD[5], BAD[12]):
            self.refused(["poisson", *words], said, ranks=2)
        self.assertEqual(self.load("u.npy").shape, (3,))

    def test_project_drops_the_mean_and_says_so(self):
        self.files()
        said = json.loads(self.ok("solve", "poisson", "f.npy", "u.npy", "--boundary", "neumann", "--project", "--json",
                                  "-").stdout)
        self.assertAlmostEqual(said["mean"], 9.5)
        self.assertAlmostEqual(self.load("u.npy").mean(), 0, delta=1e-15)


if __name__ == "__main__":
    unittest.main()
