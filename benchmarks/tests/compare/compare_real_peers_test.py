"""shardfft compare with the programs of shardfft and FFTW, found where the build puts them."""
import os
import unittest

from fake_run import WithFakePeers
from program import needs_launcher

PEERS = os.path.join(os.path.dirname(os.path.dirname(os.environ["SHARDFFT"])), "libexec", "shardfft", "peers")


class RealPeers(WithFakePeers):
    def environment(self, **more):
        env = super().environment(**more)
        del env["SHARDFFT_PEERS"]
        return env

    def measured(self, *words, **more):
        return super().measured("--plan-seconds", "1", *words, **more)

    @needs_launcher
    def test_shardfft_and_fftw_give_right_answers_side_by_side(self):
        results = self.measured("--with", "fftw_mpi", "--shapes", "16", "--ranks", "2x1", "--kinds", "c2c,r2c",
                                "--layouts", "transposed", "--launches", "1", "--iterations", "2", "--warmup", "1",
                                "--oversubscribe")
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
        results = self.measured("--with", "fftw_threads", "--shapes", "16", "--ranks", "1x1", "--batches", "1,2",
                                "--launches", "1", "--iterations", "2", "--warmup", "1")
        self.assertEqual([case["batch"] for case in results["cases"]], [1, 2])
        for case in results["cases"]:
            self.assertEqual([(e["library"], e["status"]) for e in case["entries"]], [("shardfft", "ok"),
                                                                                      ("fftw_threads", "ok")], case)
        # one rank alone
        self.assertEqual([e["summary"]["bytes_sent_network"] for case in results["cases"] for e in case["entries"]],
                         [0] * 4)

    @needs_launcher
    def test_shardfft_on_an_emulated_device_is_a_contestant_like_others(self):
        names = [
            "shardfft+device=emulated", "shardfft+device=emulated+transport=via_host",
            "shardfft+device=emulated+arrays=host"
        ]
        results = self.measured("--with", ",".join(names), "--shapes", "16", "--ranks", "2x1", "--call", "default",
                                "--launches", "1", "--iterations", "2", "--warmup", "1", "--oversubscribe")
        entries = self.entries(results["cases"][0])
        self.assertEqual({name: (entry["status"], entry["reason"]) for name, entry in entries.items()},
                         {name: ("ok", "") for name in ("shardfft", *names)})
        self.assertNotIn("device", entries["shardfft"]["configuration"])
        for name, arrays in zip(names, ("there", "there", "of the host")):
            self.assertIn(f"device emulated, arrays {arrays}", entries[name]["configuration"])

    def test_a_library_whose_device_is_missing_is_named_with_the_reason(self):
        case = self.measured("--with", "shardfft+device=emulated", "--shapes", "16", "--ranks", "1x1", "--launches",
                             "1", "--iterations", "1", SHARDFFT_EMULATED_DEVICES="0")["cases"][0]
        entry = self.entries(case)["shardfft+device=emulated"]
        self.assertEqual((entry["status"], entry["reason"]),
                         ("unsupported", "no device of emulated: SHARDFFT_EMULATED_DEVICES is 0"))

    def test_libraries_on_gpus_run_or_say_what_is_missing(self):
        present = [
            name for name in ("shardfft_cuda", "cufft", "cufftxt")
            if os.path.exists(os.path.join(PEERS, f"peer_{name}"))
        ]
        if not present:
            self.skipTest("built without CUDA")
        case = self.measured("--with", ",".join(present), "--shapes", "32", "--ranks", "1x1", "--launches", "1",
                             "--iterations", "1")["cases"][0]
        for name in present:
            entry = self.entries(case)[name]
            self.assertIn(entry["status"], ("ok", "unsupported"), entry)
            if entry["status"] == "unsupported":
                self.assertRegex(entry["reason"],
                                 "^(no device of cuda: CUDA|needs 2 GPUs or more in one process; there )")

    @needs_launcher
    def test_shardfft_uses_the_process_grids_that_are_named(self):
        results = self.measured("--shapes", "16", "--ranks", "4x1", "--layouts", "pencils", "--grids", "1x4,2x2",
                                "--launches", "1", "--iterations", "2", "--warmup", "1", "--oversubscribe")
        launches = [case["entries"][0]["launches"][0] for case in results["cases"]]
        self.assertEqual([launch["status"] for launch in launches], ["ok", "ok"], launches)
        for launch, grid in zip(launches, ("1 x 4 x 1", "2 x 2 x 1")):
            self.assertIn(grid, launch["layout_in"])


if __name__ == "__main__":
    unittest.main()
