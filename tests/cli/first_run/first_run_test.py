"""The rehearsal of tools/gpu_first_run with the programs of this build, on the device that SHARDFFT_TEST_DEVICE names:
every part runs, or says why not, and numbers appear where they are to be read."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["BUILD_FOLDER"])
DEVICE = os.environ["SHARDFFT_TEST_DEVICE"]
# All devices are measured: SYCL's, which take longer, in their own rehearsal alone.
HIDDEN = {} if DEVICE == "sycl" else {"ONEAPI_DEVICE_SELECTOR": "level_zero:gpu"}


class Rehearsal(unittest.TestCase):
    def test_every_part_runs_or_says_why_not(self):
        with tempfile.TemporaryDirectory(prefix="shardfft-first-run-") as name:
            folder = pathlib.Path(name)
            (folder / "bin").symlink_to(BUILD / "bin")
            (folder / "peers").symlink_to(BUILD / "libexec/shardfft/peers")
            done = subprocess.run([ROOT / "tools/gpu_first_run", "--from", folder, "--out", folder / "out"],
                                  capture_output=True, text=True, check=False, env={**os.environ, **HIDDEN})
            table = (folder / "out/table.txt").read_text(encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual((folder / "out/failed.txt").read_text(encoding="utf-8"), "")
        for row in (r"device +{d}:0 ", r"smoke test, 16\^3 +ok", r"any_device_tests\S+ +ok 1 test",
                    r"device_plan_test\S+ +ok 1 test", r"measured +{d}: ", r"16\^3 c2c f64 --fuse 3 +{times}",
                    r"16\^3 c2c f64 --fuse 2 --streams 2 --tile \d+ +{times}", r"ncu +not run: ",
                    r"24\^3 c2c f32 --warmup 1 +{times}", r"24x24x16 c2c f32, larger than the memory left +{times}",
                    r"    forward: to device \d", r"8\^3 c2c f32 --arrays host --fuse 2 --tile 32 --streams 1 +{times}",
                    r"16\^3 c2c f64 --ranks 2 --transport peer_kernel +{times}", r"--transport via_host +{times}",
                    r"flow, 8\^3 f64 +ok", r"== all right after \d+s"):
            pattern = row.format(d=DEVICE, times=r"forward [\d.]+ \S+  backward [\d.]+ \S+  \(")
            self.assertTrue(re.search(f"^.*{pattern}", table, re.MULTILINE), f"{pattern} in:\n{table}")


if __name__ == "__main__":
    unittest.main()
