"""--apply: an operator between forward and backward is NumPy's, and each command has it."""
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run


class Operators(InFolder):
    def refused(self, *words, saying):
        done = run(*words, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0, words)
        self.assertIn(saying, done.stderr)

    def applied(self, a, factors, kind, spacing=None):
        """numpy.fft with `factors`(wave numbers of points so far apart, or of a box of length 1) between."""
        steps = spacing or [1 / n for n in a.shape]
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n, step) for n, step in zip(a.shape, steps)), indexing="ij")
        back = np.fft.ifftn(np.fft.fftn(a) * factors(k))
        return back.real if kind == "r2c" else back

    def check(self, a, operator, factors, kind="c2c", ranks=0):
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--kind", kind, "--apply", operator, ranks=ranks)
        self.assert_close(self.load("b.npy"), self.applied(a, factors, kind), f"{operator}, {kind}, {ranks} ranks")

    def test_equal_numpy(self):
        shift = 0.3
        operators = {
            "identity": lambda k: 1,
            f"shift:{shift}": lambda k: np.exp(-1j * shift * sum(k)),
            "lowpass:0.55": lambda k: sum(x**2 for x in k) <= (0.55 * 2 * np.pi * 4)**2,
            "gaussian:0.05": lambda k: np.exp(-0.00125 * sum(x**2 for x in k)),
            "derivative:1": lambda k: 1j * k[1],
            "derivative:0:2": lambda k: -k[0]**2,
            "inverse_laplace": lambda k: np.divide(1, sum(x**2 for x in k), where=sum(x**2 for x in k) > 0,
                                                   out=np.zeros(k[0].shape)),
        }
        for operator, factors in operators.items():
            for kind in ["c2c", "r2c"]:
                with self.subTest(operator=operator, kind=kind):
                    a = self.random.standard_normal((11, 9, 13))
                    self.check(a if kind == "r2c" else a + 1j * a[::-1], operator, factors, kind)

    def test_fewer_modes_are_a_filter_of_their_own(self):
        a, modes = self.random.standard_normal((11, 9, 13)), (7, 5, 3)
        kept = lambda k: np.all([np.abs(x) < np.pi * m for x, m in zip(k, modes)], axis=0)
        self.save("a.npy", a)
        for kind in ["c2c", "r2c"]:
            self.ok("transform", "a.npy", "b.npy", "--kind", kind, "--modes", "7x5x3", "--apply", "gaussian:0.05")
            smooth = self.applied(a, lambda k: kept(k) * np.exp(-0.00125 * sum(x**2 for x in k)), kind)
            self.assert_close(self.load("b.npy"), smooth, kind)

    def test_records_name_the_operator_and_its_box(self):
        self.save("a.npy", self.reals(4, 5, 6))
        for words, box in (([], {"lengths": [1, 1, 1]}), (["--lengths", "1,2,2.5"], {"lengths": [1, 2, 2.5]}),
                           (["--spacing", "0.5"], {"spacing": [0.5, 0.5, 0.5]})):
            with self.subTest(box=box):
                words = ["--apply", "shift:0.1", *words]
                told = self.json("transform", "a.npy", "b.npy", *words)
                self.assertEqual(told["apply"], "shift:0.1")
                self.assertEqual({name: told.get(name) for name in box}, box)
                self.assertEqual(len({"lengths", "spacing"} & set(told)), 1)
                for command in (["bench", "--iterations", 1], ["explain"]):
                    told = self.json(*command, "--shape", "4x5x6", *words)["apply"]
                    self.assertEqual({name: told.get(name) for name in ("operator", *box)},
                                     {"operator": "shift:0.1", **box})
                    self.assertEqual(len({"lengths", "spacing"} & set(told)), 1)
        self.assertFalse({"lengths", "spacing"} & set(self.json("transform", "a.npy", "b.npy")))

    def test_boxes_whose_points_are_no_cubes(self):
        a, spacing = self.random.standard_normal((7, 11, 9)).astype("f8"), [2.5, 0.5, 1]
        lengths = [n * h for n, h in zip(a.shape, spacing)]
        inverse = lambda k2: np.divide(1, k2, where=k2 > 0, out=np.zeros(k2.shape))
        self.save("a.npy", a)
        for operator, factors in {
                "shift:0.3": lambda k: np.exp(-0.3j * sum(k)),
                "lowpass:0.55": lambda k: sum(x**2 for x in k) <= (0.55 * 2 * np.pi * 3 / lengths[0])**2,
                "gaussian:0.7": lambda k: np.exp(-0.245 * sum(x**2 for x in k)),
                "derivative:-2": lambda k: 1j * k[1],
                "derivative:0:2": lambda k: -k[0]**2,
                "inverse_laplace": lambda k: inverse(sum(x**2 for x in k)),
                "inverse_laplace:second_order": lambda k: inverse(
                    sum((2 / h * np.sin(x * h / 2))**2 for x, h in zip(k, spacing)))}.items():
            wanted = self.applied(a, factors, "r2c", spacing)
            for box in [("--spacing", "2.5,0.5,1"), ("--lengths", ",".join(map(str, lengths)))]:
                with self.subTest(operator=operator, box=box):
                    self.ok("transform", "a.npy", "b.npy", "--apply", operator, *box)
                    self.assert_close(self.load("b.npy"), wanted, f"{operator} in {box}")

    def test_reals_stay_real_unless_another_kind_is_named(self):
        a = self.random.standard_normal((6, 8))
        for dtype, found in [("f8", "f8"), ("f4", "f4"), ("i2", "f8"), ("c16", "c16"), ("c8", "c8")]:
            self.save("a.npy", (10 * a).astype(dtype))
            self.ok("transform", "a.npy", "b.npy", "--apply", "identity")
            self.assertEqual(self.load("b.npy").dtype, np.dtype(found))
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--kind", "c2c", "--apply", "identity")
        self.assertEqual(self.load("b.npy").dtype, np.dtype("c16"))

    def test_boxes_that_are_none(self):
        self.save("a.npy", np.ones((4, 4)))
        for box, saying in {("--spacing", "0"): "the spacing of points is positive and finite; got 0 along axis 0",
                            ("--spacing", "1,-1"): "got -1 along axis 1", ("--spacing", "nan"): "got 'nan'",
                            ("--lengths", "1,0"): "the length of a box is positive and finite; got 0 along axis 1",
                            ("--lengths", "1,1,1"): "a value for each of 2 axes",
                            ("--lengths", "1", "--spacing", "1"): "leave one of them out"}.items():
            for command in [("transform", "a.npy", "b.npy"), ("bench", "--shape", "4x4"),
                            ("explain", "--shape", "4x4")]:
                with self.subTest(box=box, command=command):
                    self.refused(*command, "--apply", "gaussian:1", *box, saying=saying)
        self.refused("transform", "a.npy", "b.npy", "--spacing", "1", saying="got no --apply")

    @needs_launcher
    def test_a_box_that_is_none_is_one_error_on_ranks(self):
        self.save("a.npy", np.ones((4, 4)))
        done = run("transform", "a.npy", "b.npy", "--apply", "gaussian:1", "--spacing", "0", cwd=self.folder, ranks=2)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)

    def test_walls_without_flow_or_value(self):
        a = self.random.standard_normal((8, 6))
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--kinds", "cosine2,sine2", "--apply", "inverse_laplace:second_order")
        u = self.load("b.npy")
        slopes = np.diff(np.concatenate([u[:1], u, u[-1:]]), axis=0)
        values = np.diff(np.concatenate([-u[:, :1], u, -u[:, -1:]], axis=1), axis=1)
        self.assert_close(-64 * np.diff(slopes, axis=0) - 36 * np.diff(values, axis=1), a, "-laplacian of the solution")
        self.refused("transform", "a.npy", "b.npy", "--kinds", "cosine2,sine2", "--apply", "derivative:0",
                     saying="got cosine2 along axis 0")

    @needs_launcher
    def test_equals_numpy_on_ranks(self):
        a = self.random.standard_normal((11, 9, 13))
        for ranks in [2, 3]:
            self.check(a, "gaussian:0.05", lambda k: np.exp(-0.00125 * sum(x**2 for x in k)), "r2c", ranks)

    def test_bench_times_it_beside_forward(self):
        record = self.json("bench", "--shape", "16x12x10", "--apply", "shift:0.1", "--iterations", "2")["apply"]
        self.assertEqual(record["operator"], "shift:0.1")
        self.assertGreater(record["times_forward"], 0)
        self.assertTrue(any(" f " in step for step in record["phases_s"]), record["phases_s"])

    def test_explain_shows_its_sweeps(self):
        said = self.ok("explain", "--shape", "64x64x64", "--ranks", "4", "--apply", "identity").stdout
        self.assertIn("the operator", said)
        self.assertIn("middle", said)

    def test_words_that_are_none(self):
        for words in ["blur", "shift", "shift:x", "derivative:0:1:2", "inverse_laplace:tenth_order"]:
            with self.subTest(words=words):
                self.refused("bench", "--shape", "8x8", "--apply", words, saying=f"got '{words}'")
        self.save("a.npy", np.zeros((4, 4)))
        for more, got in [(["--verify"], "got --verify"), (["--direction", "backward"], "got a transform backward"),
                          (["--output", "slabs:1"], "got --output")]:
            with self.subTest(more=more):
                self.refused("transform", "a.npy", "b.npy", "--apply", "identity", *more, saying=got)
        self.save("a.npy", np.asfortranarray(np.zeros((4, 4))))
        self.refused("transform", "a.npy", "b.npy", "--apply", "identity", saying="got one in Fortran order")


if __name__ == "__main__":
    unittest.main()
