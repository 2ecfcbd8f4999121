"""One library, on small odd shapes: each answer is verified, or the library says that it cannot. Usage: library_test.py
LIBRARY"""
import itertools
import sys
import unittest

from peer import InFolder, MPIRUN, about, program, run

LIBRARY = sys.argv.pop(1)
# Some libraries have lengths of small factors only, of which each rank gets as much.
SHAPE = {"ffte": "12x24x48", "swfft": "12x24x36"}.get(LIBRARY, "13x9x10")
# What must be served, not refused, on so many ranks.
EVERY = ("natural", "transposed", "pencils", "bricks")
MUST = {
    "shardfft": (EVERY, (1, 2, 3)), "fftw_mpi": (("natural", "transposed"), (1, 2, 3)), "fftw_threads": (EVERY, (1, )),
    "fftw_mpi+shardfft": (("natural", "transposed"), (1, 2, 3))
}
# What must be known to be sent: a layout, and parts of an array of 8 x 12 x 10 (15360 bytes), of which each exchange
# between two ranks moves a half.
SENDS = {"fftw_mpi": ("natural", (1, 1)), "mkl_cluster": ("natural", (1, 1)), "mpi4py_fft": ("pencils", (0.5, 1))}


class Library(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.executable = program(LIBRARY)
        done = run(cls.executable, "--about")
        # it calls the driver itself, which is not installed here
        if done.returncode == 127 and "libcuda" in done.stderr:
            raise unittest.SkipTest(done.stderr.strip())
        cls.said = about(cls.executable)
        if not cls.said["available"]:
            raise unittest.SkipTest(cls.said["reason"])

    def tasks(self, layouts, call, ranks):
        """Every layout, and in the first one every kind, with one precision after the other. What takes seconds to
        choose is tried with one real-to-real kind, on 1 and 2 ranks with every precision, on more with the first
        one."""
        kinds, precisions = self.said["kinds"], self.said["precisions"]
        if call != "best":
            all_of = list(zip(kinds, itertools.cycle(precisions)))
        else:
            all_of = list(itertools.product(kinds[:3], precisions))[: None if ranks < 3 else 1]
        return [(layouts[0], *task) for task in all_of] + [(layout, *all_of[0]) for layout in layouts[1:]]

    def statuses(self, ranks, call, layouts):
        """(layout, kind, precision) -> status"""
        found = {}
        for layout, kind, precision in self.tasks(layouts, call, ranks):
            with self.subTest(ranks=ranks, layout=layout, kind=kind, precision=precision, call=call):
                record = self.result(self.executable, "--shape", SHAPE, "--kind", kind, "--precision", precision,
                                     "--layout", layout, "--call", call, ranks=ranks if self.launched() else 0)
                self.assertIn(record["status"], ("ok", "unsupported"), record["reason"])
                self.assertTrue(record["status"] == "ok" or record["reason"], "unsupported needs a reason")
                found[layout, kind, precision] = record["status"]
        return found

    def launched(self):
        return bool(self.said["mpi"] and MPIRUN)

    def kind(self, preferred):
        return preferred if preferred in self.said["kinds"] else self.said["kinds"][0]

    def test_it_says_what_it_is(self):
        self.assertEqual(self.said["library"], LIBRARY)
        self.assertTrue(self.said["version"])
        self.assertTrue(self.said["layouts"])

    if LIBRARY in SENDS:
        def test_what_it_sends_is_known(self):
            layout, (least, most) = SENDS[LIBRARY]
            record = self.result(self.executable, "--shape", "8x12x10", "--layout", layout, "--call", "default",
                                 ranks=2)
            self.assertEqual(record["status"], "ok", record["reason"])
            self.assertTrue(least * 15360 <= record["bytes_sent_network"] <= most * 15360, record["bytes_sent_network"])
            self.assertGreaterEqual(record["messages_sent"], 2)

    def test_its_best_call_is_right_or_refused(self):
        must, on = MUST.get(LIBRARY, ((), ()))
        for ranks in (1, 2, 3) if self.launched() else (1,):
            found = self.statuses(ranks, "best", self.said["layouts"][: None if ranks > 1 else 1])
            self.assertIn("ok", found.values(), f"it serves nothing on {ranks} ranks")
            refused = [task for task, status in found.items() if status != "ok" and task[0] in must and ranks in on]
            self.assertEqual(refused, [], f"{ranks} ranks")

    def test_its_default_call_is_right_or_refused(self):
        self.statuses(2 if self.launched() else 1, "default", self.said["layouts"][:1])

    def test_two_dimensions_and_two_threads(self):
        if 2 in self.said["dims"]:
            self.assertEqual(self.result(self.executable, "--shape", "12x15", "--threads", 2)["status"], "ok")

    def assert_right(self, ranks, *words):
        with self.subTest(ranks=ranks, words=words):
            record = self.result(self.executable, *words, ranks=ranks if self.launched() else 0)
            self.assertEqual((record["status"], record["reason"]), ("ok", ""), record)
            return record

    def test_shapes_of_one_to_four_dimensions_of_odd_and_prime_lengths_are_right(self):
        """By the probes of the common part, which know nothing of libraries."""
        shapes = ("64", "1000", "4099", "12x15", "31x2x7", "5x7x3x4")
        calls = itertools.cycle(("best", "default", "best"))
        for (shape, kind), call in zip(itertools.product(shapes, ("c2c", "r2c")), calls):
            if kind in self.said["kinds"] and shape.count("x") + 1 in self.said["dims"]:
                words = ("--shape", shape, "--kind", kind, "--call", call)
                record = self.result(self.executable, *words, ranks=int(self.launched()))
                refuses = self.said["mpi"] and LIBRARY != "shardfft"  # what cannot be cut
                good = ("ok", "unsupported") if refuses else ("ok", )
                self.assertIn(record["status"], good, (words, record["reason"]))

    def test_some_axes_of_an_array_are_transformed_or_it_is_refused(self):
        if not self.said["axes"]:
            record = self.result(self.executable, "--shape", SHAPE, "--axes", "0", ranks=int(self.launched()))
            self.assertEqual((record["status"], record["reason"]), ("unsupported", "transforms all axes"))
            return
        for axes in ("0", "-2", "0,1", "2,0", "0,2,1"):
            for kind, more in (("r2c", ("--batch", 3)), ("c2c", ("--call", "default")), ("r2c", ())):
                words = ("--shape", SHAPE, "--kind", kind, f"--axes={axes}", *more)
                record = self.result(self.executable, *words, ranks=int(self.launched()))
                if record["status"] == "unsupported":  # MKL repeats transforms at one distance only
                    self.assertEqual((LIBRARY, record["reason"]),
                                     ("mkl", "DFTI repeats transforms at one distance; these axes need several"))
                else:
                    self.assertEqual((record["status"], record["reason"]), ("ok", ""), words)

    if LIBRARY == "shardfft":
        def test_the_result_keeps_the_plan_that_ran(self):
            record = self.result(self.executable, "--shape", "16x8", "--call", "default")
            self.assertIn("plan: ", record["plan"])
            self.assertIn("sweep", record["plan"])
            self.assertIn("model", record["plan"])

    def test_all_fields_of_a_batch_are_transformed_or_it_is_refused(self):
        words = ("--shape", SHAPE, "--batch", 3)
        if not self.said["batch"]:
            record = self.result(self.executable, *words, ranks=int(self.launched()))
            self.assertEqual((record["status"], record["reason"]), ("unsupported", "transforms one field at a time"))
            return
        for ranks in (1, 2, 4) if self.launched() else (1,):
            for layout in self.said["layouts"][: None if ranks > 1 else 1]:
                self.assert_right(ranks, *words, "--kind", self.kind("r2c"), "--layout", layout)
            self.assert_right(ranks, *words, "--kind", self.kind("c2c"), "--layout", self.said["layouts"][0], "--call",
                              "default")

    def test_a_grid_of_processes_is_taken_or_refused(self):
        words = ("--shape", SHAPE, "--layout", "pencils", "--kind", self.kind("r2c"), "--grid")
        if not self.said["grid"]:
            record = self.result(self.executable, *words, "1x1", ranks=int(self.launched()))
            self.assertEqual((record["status"], record["reason"]), ("unsupported", "takes no process grid"))
            return
        for grid in ("1x1", "1x2", "1x4", "2x2", "4x1") if self.launched() else ("1x1",):
            rows, columns = map(int, grid.split("x"))
            record = self.assert_right(rows * columns, *words, grid)
            if LIBRARY == "shardfft":
                self.assertIn(f"grid {rows} x {columns} x 1", record["layout_in"])
                self.assertIn(f"grid 1 x {rows} x {columns}", record["layout_out"])
            else:
                self.assertIn(f"{rows} x {columns} processes", record["configuration"])
            if self.said["batch"]:
                self.assert_right(rows * columns, *words, grid, "--batch", 3)
        record = self.result(self.executable, *words, "3x5", ranks=int(self.launched()))
        self.assertEqual(record["status"], "unsupported")
        self.assertIn("multiply to the ranks", record["reason"])

    def test_the_next_launch_takes_what_the_first_one_found(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        words = ("--shape", "16x16x16", "--kind", self.kind("c2c"), "--scratch", scratch, "--layout",
                 self.said["layouts"][0])
        ranks = 2 if self.launched() else 0
        first, second = (self.result(self.executable, *words, ranks=ranks) for _ in range(2))
        self.assertEqual(first["configuration"], second["configuration"])


if __name__ == "__main__":
    unittest.main()
