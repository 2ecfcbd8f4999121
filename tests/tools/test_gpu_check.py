"""tools/gpu_check and tools/gpu_first_run with stand-ins for the programs: what is run, what is told of failures and
hangs, and what is left when all of it is killed."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

INFO = "shardfft 0.1.0 on a stand-in\ndevice      cuda:0 stand-in, 1.0 GiB, 1.0 GiB free"
BENCH = """forward            2.70 ms   4.11 ms  40.57 ms  320.0 KiB
backward           2.69 ms   3.94 ms   7.34 ms  320.0 KiB
limit 2.6 us (two passes at 99.9 GB/s): forward 1568.01, backward 1502.22 times the limit"""
LINK = BENCH.replace("limit", """through the device     link  to device   kernels  from device  staging  exchanges
forward             1.0 MiB    7.00 ms  8.00 ms      9.00 ms     0 s    0 s
  sweep axes 2 1    1.0 MiB    7.00 ms  8.00 ms      9.00 ms     0 s    0 s
limit""", 1)
RESULT = '{\\n "status": "ok",\\n "forward_s": [\\n 0.002,\\n 0.001,\\n 0.003\\n ],\\n "error_rel_l2": 4e-17,\\n}'
GREEN = 'echo "[  PASSED  ] 3 tests."'
RED = """echo "[ RUN      ] Here/AnyDevice.CopiesRows/cuda_0"
echo "any_device_test.cpp:12: Failure"
echo "[  FAILED  ] Here/AnyDevice.CopiesRows/cuda_0, where GetParam() = cuda:0 (12 ms)"
exit 1"""
HANGS = 'echo "[ RUN      ] Here/AnyDevice.WaitsForever/cuda_0"; exec sleep 60'

TESTS = ("any_device_tests", "device_transport_test", "device_codec_tests", "device_plan_test",
         "plan_random_test", "plan_approximate_test")


class StandIns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shardfft-gpu-check-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bundle, self.out = self.folder / "bundle", self.folder / "out"
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; bench) echo '{BENCH}' ;; esac")
        for name in TESTS:
            self.program(f"bin/{name}", GREEN)
        for name in ("shardfft_cuda", "cufft"):
            self.program(f"peers/peer_{name}",
                         f'while [ $# -gt 1 ]; do [ $1 != --result ] || printf \'{RESULT}\' >"$2"; shift; done')
        self.program("first/compute-sanitizer", GREEN)
        self.program("first/nvidia-smi", "echo a stand-in")
        self.program("first/python3", "echo /nowhere")

    def program(self, name, script):
        """A stand-in of the bundle, which also writes down how it was called."""
        path = self.bundle / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "{path.name} $*" >>"{self.folder}/calls"\n{script}\n', encoding="utf-8")
        path.chmod(0o755)

    def variables(self):
        return {**os.environ, "SHARDFFT_TEST_DEVICE": "cuda", "OUT": str(self.out),
                "PATH": f"{self.bundle}/first:{os.environ['PATH']}"}

    def check(self, *words, **variables):
        return self.run_tool("gpu_check", "--from", self.bundle, *words, **variables)

    def run_tool(self, name, *words, **variables):
        return subprocess.run([ROOT / "tools" / name, *map(str, words)], capture_output=True, text=True, check=False,
                              env={**self.variables(), **variables})

    def calls(self):
        return (self.folder / "calls").read_text(encoding="utf-8").splitlines()

    def written(self, name):
        return (self.out / name).read_text(encoding="utf-8")


class Check(StandIns):
    def test_only_tests_of_the_device_are_run_and_the_peers_come_next(self):
        done = self.check("--only", "tests,peers")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, self.written("table.txt"))
        self.assertRegex(done.stdout, r"any_device_tests +ok 3 tests\.")
        self.assertRegex(done.stdout, r"512\^3 c2c f64, cufft +forward 2\.000 ms  error 4e-17")
        calls = self.calls()
        self.assertIn("any_device_tests --gtest_filter=*/cuda_*", calls)
        last_test = max(i for i, call in enumerate(calls) if call.startswith(TESTS))
        first_peer = min(i for i, call in enumerate(calls) if call.startswith("peer_"))
        self.assertLess(last_test, first_peer)

    def test_every_group_of_the_longest_program_is_run_once_and_the_rest_too(self):
        self.check("--only", "tests")
        filters = [call.split("=")[1] for call in self.calls() if call.startswith("device_plan_test")]
        rest = [words for words in filters if words.startswith("*-")]
        self.assertEqual(rest, ["*-DLPack.*:" + ":".join(words for words in filters if words not in rest)])

    def test_peers_start_with_little_time_left(self):
        done = self.check("--only", "peers", "--seconds", 40)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("no time left", done.stdout)
        self.assertEqual(len([call for call in self.calls() if call.startswith("peer_cufft")]), 8)

    def test_a_failure_is_named_so_that_it_can_be_run_alone(self):
        self.program("bin/any_device_tests", RED)
        done = self.check("--only", "tests")
        self.assertEqual(done.returncode, 1)
        self.assertIn("any_device_test.cpp:12: Failure", done.stdout)
        self.assertIn("SOMETHING FAILED", done.stdout)
        self.assertEqual(self.written("failed.txt"), "any_device_tests:Here/AnyDevice.CopiesRows/cuda_0\n")

    def test_a_hang_costs_its_own_limit_and_is_named(self):
        self.program("bin/any_device_tests", HANGS)
        done = self.check("--only", "tests", SHARDFFT_GPU_CHECK_STEP="6")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"any_device_tests +FAILED: ended after 6s")
        self.assertRegex(done.stdout, r"device_codec_tests +ok")
        self.assertEqual(self.written("failed.txt"), "any_device_tests:Here/AnyDevice.WaitsForever/cuda_0\n")

    def test_what_there_is_no_time_for_is_named(self):
        done = self.check("--only", "tests", "--seconds", 6)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"device_codec_tests +not run: no time left")
        self.assertEqual(self.written("failed.txt"), "")

    def test_what_was_found_survives_a_kill(self):
        self.program("bin/device_codec_tests", HANGS)
        words = [ROOT / "tools/gpu_check", "--from", self.bundle, "--only", "tests"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=self.variables(),
                              start_new_session=True) as process:
            until = time.monotonic() + 60
            while time.monotonic() < until and not (
                    (self.out / "now.txt").exists() and "WaitsForever" in self.written("now.txt")):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
        self.assertRegex(self.written("table.txt"), r"any_device_tests +ok 3 tests\.")
        self.assertRegex(self.written("now.txt"), r"^device_codec_tests: \d+ s at most")
        self.assertIn("=== any_device_tests", self.written("log.txt"))

    def test_without_a_device_it_says_so_and_runs_nothing(self):
        self.program("bin/shardfft", "echo '  device    cuda: no driver'")
        done = self.check("--only", "tests")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cuda: no driver", done.stdout)
        self.assertIn("no device of kind cuda", done.stderr)
        self.assertEqual([call for call in self.calls() if call.startswith(TESTS)], [])

    def test_the_ways_to_do_a_cube_are_all_timed(self):
        done = self.check("--only", "cubes,ranks,streams")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        benches = "\n".join(call for call in self.calls() if " bench " in call)
        for words in ("--engine fused", "--fuse 2", "--fuse 1", "--tile 512", "--fuse 2 --streams 2",
                      "--fuse 2 --streams 1", "--ranks 4 --transport staged",
                      "--transport via_host --chunks 8", "--arrays host --fuse 2 --tile 16384 --streams 2"):
            self.assertIn(words, benches)

    def test_the_link_is_told_apart_from_the_medians(self):
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; bench) echo '{LINK}' ;; esac")
        done = self.check("--only", "streams")
        self.assertRegex(done.stdout, r"4 planes a tile, 2 streams +forward 4\.11 ms  backward 3\.94 ms  \(two")
        self.assertIn("    forward: to device 7.00 ms, kernels 8.00 ms, back 9.00 ms, staging 0 s, exchanges 0 s\n",
                      done.stdout)
        self.assertNotIn("    sweep", done.stdout)

    def test_a_flow_is_told_with_the_parts_of_its_step_batched_and_not(self):
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; *) echo 'products 1 ms 20 %' ;; esac")
        done = self.check("--only", "flow")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        flows = [call for call in self.calls() if " navier-stokes " in call]
        self.assertEqual([call.split()[-1] for call in flows], ["yes", "no"] * 2)
        self.assertEqual(done.stdout.count("products 1 ms"), 4)

    def test_words_that_it_does_not_know_are_refused(self):
        for words, rule in ((("--only", "speed"), "--only takes"), (("--seconds", "0"), "--seconds is"),
                            (("--from",), "--from lacks"), (("--fast",), "no option called")):
            done = self.run_tool("gpu_check", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(rule, done.stderr)


class FirstRun(StandIns):
    def packed(self):
        packed = self.folder / "bundle.tar.xz"
        subprocess.run(["tar", "-C", self.bundle, "-cJf", packed, "."], check=True)
        return packed

    def test_call_a_has_cufft_beside_and_the_tests(self):
        done = self.run_tool("gpu_first_run", "a", "--bundle", self.packed())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertLess(done.stdout.index("== beside cuFFT"), done.stdout.index("== tests"))

    def test_call_red_has_the_failing_test_alone_under_both_sanitizers(self):
        test = "any_device_tests:Here/AnyDevice.CopiesRows/cuda_0"
        done = self.run_tool("gpu_first_run", "red", test, "--bundle", self.packed())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [call for call in self.calls() if call.startswith("compute-sanitizer")]
        self.assertEqual(len(calls), 2)
        for call, tool in zip(calls, ("memcheck", "racecheck")):
            self.assertIn(f"--tool {tool}", call)
            self.assertTrue(call.endswith("any_device_tests --gtest_filter=Here/AnyDevice.CopiesRows/cuda_0"), call)

    def test_without_a_bundle_it_says_how_to_make_one(self):
        done = self.run_tool("gpu_first_run", "a", "--bundle", self.folder / "none.tar.xz")
        self.assertEqual(done.returncode, 2)
        self.assertIn("tools/gpu_check --bundle", done.stderr)


if __name__ == "__main__":
    unittest.main()
