"""shardfft compare with the programs of shardfft and FFTW, found where the build puts them."""
import unittest

from fake_run import WithFakePeers
from program import needs_launcher


class RealPeers(WithFakePeers):
    def environment(self, **more):
        env = super().environment(**more)
        del env["SHARDFFT_PEERS"]
        return env

    @needs_launcher
    def test_shardfft_and_fftw_give_right_answers_side_by_side(self):
        results = self.measured("--with", "fftw_mpi", "--shapes", "16", "--ranks", "2x1", "--kinds", "c2c,r2c", "--layouts", "transposed", "--launches", "1",
                                "--iterations", "2", "--warmup", "1", "--oversubscribe")
        self.assertEqual(len(results["cases"]), 2)
        for case in results["cases"]:
            self.assertEqual([e["library"] for e in case["entries"]], ["shardfft", "fftw_mpi"])
            for entry in case["entries"]:
                self.assertEqual(entry["status"], "ok", entry)
                summary = entry["summary"]
                self.assertGreater(summary["ratio_to_shardfft"]["median"], 0)
                self.assertLess(summary["error_rel_l2"], 1e-14)
                self.assertGreater(summary["memory_peak_bytes"], 0)

    def test_the_fields_of_a_batch_are_transformed_in_one_call(self):
        results = self.measured("--with", "fftw_threads", "--shapes", "16", "--ranks", "1x1", "--batches", "1,2", "--launches", "1", "--iterations", "2",
                                "--warmup", "1")
        self.assertEqual([case["batch"] for case in results["cases"]], [1, 2])
        for case in results["cases"]:
            self.assertEqual([(e["library"], e["status"]) for e in case["entries"]], [("shardfft", "ok"), ("fftw_threads", "ok")], case)

    @needs_launcher
    def test_shardfft_uses_the_process_grids_that_are_named(self):
        results = self.measured("--shapes", "16", "--ranks", "4x1", "--layouts", "pencils", "--grids", "1x4,2x2", "--launches", "1", "--iterations", "2",
                                "--warmup", "1", "--oversubscribe")
        launches = [case["entries"][0]["launches"][0] for case in results["cases"]]
        self.assertEqual([launch["status"] for launch in launches], ["ok", "ok"], launches)
        for launch, grid in zip(launches, ("1 x 4 x 1", "2 x 2 x 1")):
            self.assertIn(grid, launch["layout_in"])


if __name__ == "__main__":
    unittest.main()
