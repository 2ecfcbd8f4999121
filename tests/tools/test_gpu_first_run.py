"""tools/gpu_first_run with stand-ins for the programs: what is run, what is told of failures and hangs, and what is
left when all of it is killed."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/gpu_first_run"

INFO = "shardfft 0.1.0 on a stand-in\ndevice      cuda:0 stand-in, 1.0 GiB, 1.0 GiB free"
BENCH = """forward            2.70 ms   4.11 ms  40.57 ms  320.0 KiB
backward           2.69 ms   3.94 ms   7.34 ms  320.0 KiB
limit 2.6 us (two passes at 99.9 GB/s): forward 1568.01, backward 1502.22 times the limit"""
LINK = BENCH.replace("limit", """through the device     link  to device   kernels  from device  staging  exchanges
forward             1.0 MiB    7.00 ms  8.00 ms      9.00 ms     0 s    0 s
  sweep axes 2 1    1.0 MiB    7.00 ms  8.00 ms      9.00 ms     0 s    0 s
limit""", 1)
RESULT = '{\\n "status": "ok",\\n "forward_s": [\\n 0.002,\\n 0.001,\\n 0.003\\n ],\\n "error_rel_l2": 4e-17,\\n}'
NCU = ('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\\n'
       '"0","fft","dram__bytes_read.sum","byte","2,147,483,648"\\n'
       '"0","fft","dram__bytes_write.sum","byte","2,147,483,648"\\n')
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
        folder = tempfile.TemporaryDirectory(prefix="shardfft-gpu-first-run-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bundle, self.out = self.folder / "bundle", self.folder / "out"
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; bench) echo '{BENCH}' ;; esac")
        for name in TESTS:
            self.program(f"bin/{name}", GREEN)
        for name in ("two_pass_experiment", "occupy"):
            self.program(f"bin/{name}", "echo holds 1 GiB")
        for name in ("shardfft_cuda", "cufft"):
            self.program(f"peers/peer_{name}",
                         f'while [ $# -gt 1 ]; do [ $1 != --result ] || printf \'{RESULT}\' >"$2"; shift; done')
        self.program("first/compute-sanitizer", GREEN)
        self.program("first/ncu", f"printf '{NCU}'")
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

    def run_first(self, *words, **variables):
        where = () if "--bundle" in words else ("--from", self.bundle)
        return subprocess.run([TOOL, *map(str, (*where, *words))], capture_output=True, text=True, check=False,
                              env={**self.variables(), **variables})

    def calls(self):
        return (self.folder / "calls").read_text(encoding="utf-8").splitlines()

    def written(self, name):
        return (self.out / name).read_text(encoding="utf-8")


class FirstRun(StandIns):
    def test_the_smoke_test_comes_first_then_tests_of_the_device_then_every_measurement(self):
        done = self.run_first()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, self.written("table.txt"))
        headings = [line for line in done.stdout.splitlines() if line.startswith("== ")]
        self.assertEqual([" ".join(line.split()[1:3]) for line in headings],
                         ["smoke test", "tests on", "beside cuFFT's", "choices on", "two passes", "bytes over",
                          "the large", "arrays of", "arrays of", "two ranks", "a flow", "tests on", "all right"])
        self.assertRegex(done.stdout, r"any_device_tests[^ ]* +ok 3 tests\.")
        self.assertRegex(done.stdout, r"512\^3 c2c f64, cufft +forward 2\.000 ms  error 4e-17")
        self.assertRegex(done.stdout, r"512\^3 c2c f32 --fuse 3 +1\.00 times the array a run")
        calls = self.calls()
        self.assertIn("bench --device cuda --shape 16x16x16", [call for call in calls if " bench " in call][0])
        self.assertIn("any_device_tests --gtest_filter=*/cuda_*", calls)
        benches = "\n".join(call for call in calls if " bench " in call)
        for words in ("--fuse 2 --streams 2 --tile 1953", "--fuse 2 --streams 1 --tile 2929", "--engine fused",
                      "--shape 1024x1024x1024 --precision f32", "--arrays host --fuse 2 --tile 4096 --streams 3",
                      "--ranks 2 --transport peer_kernel", "--encode-near --codec lossless"):
            self.assertIn(words, benches)
        self.assertNotIn("compute-sanitizer", "\n".join(calls))

    def test_every_test_of_the_longest_program_is_run_once(self):
        self.run_first("--only", "tests,more")
        first, rest = [call.split("=")[1] for call in self.calls() if call.startswith("device_plan_test")]
        self.assertEqual(rest, f"*-{first}:DLPack.*")

    def test_a_failure_ends_the_measurements_and_is_repeated_alone_under_both_sanitizers(self):
        self.program("bin/any_device_tests", RED)
        done = self.run_first()
        self.assertEqual(done.returncode, 1)
        self.assertIn("any_device_test.cpp:12: Failure", done.stdout)
        self.assertIn("SOMETHING FAILED", done.stdout)
        self.assertEqual(self.written("failed.txt"), "any_device_tests:Here/AnyDevice.CopiesRows/cuda_0\n")
        calls = self.calls()
        self.assertEqual([call for call in calls if call.startswith("peer_")], [])
        sanitized = [call for call in calls if call.startswith("compute-sanitizer")]
        self.assertEqual(len(sanitized), 2)
        for call, tool in zip(sanitized, ("memcheck", "racecheck")):
            self.assertIn(f"--tool {tool}", call)
            self.assertTrue(call.endswith("any_device_tests --gtest_filter=Here/AnyDevice.CopiesRows/cuda_0"), call)

    def test_a_smoke_test_that_fails_is_taken_apart(self):
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; *) echo 'no kernel image'; exit 2 ;; esac")
        done = self.run_first()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"smoke test, 16\^3 +FAILED \(status 2\): no kernel image")
        self.assertRegex(done.stdout, r"16\^3 c2c f64, cufft +forward 2\.000 ms")
        self.assertRegex(done.stdout, r"any_device_tests[^ ]* +ok 3 tests")
        self.assertEqual(len([call for call in self.calls() if call.startswith("compute-sanitizer")]), 1)
        self.assertNotIn("choices", done.stdout)

    def test_a_hang_costs_its_own_limit_and_is_named(self):
        self.program("bin/any_device_tests", HANGS)
        done = self.run_first("--only", "tests", SHARDFFT_GPU_STEP="5")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"any_device_tests[^ ]* +FAILED: ended after 5s")
        self.assertRegex(done.stdout, r"device_codec_tests[^ ]* +ok")
        self.assertEqual(self.written("failed.txt"), "any_device_tests:Here/AnyDevice.WaitsForever/cuda_0\n")

    def test_tests_for_which_there_is_no_time_have_not_failed(self):
        self.program("bin/any_device_tests",
                     'for i in 1 2 3; do echo "[       OK ] A.B$i (1500 ms)"; done; exec sleep 60')
        done = self.run_first("--only", "tests", SHARDFFT_GPU_STEP="5")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"any_device_tests[^ ]* +ok 3 tests, no time for the others")

    def test_what_there_is_no_time_for_is_named(self):
        done = self.run_first("--only", "tests", "--seconds", 11)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"device_codec_tests[^ ]* +not run: no time left")

    def test_what_was_found_survives_a_kill(self):
        self.program("bin/device_codec_tests", HANGS)
        words = [TOOL, "--from", self.bundle, "--only", "tests"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=self.variables(),
                              start_new_session=True) as process:
            until = time.monotonic() + 60
            while time.monotonic() < until and not (
                    (self.out / "now.txt").exists() and "WaitsForever" in self.written("now.txt")):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
        self.assertRegex(self.written("table.txt"), r"any_device_tests[^ ]* +ok 3 tests\.")
        self.assertRegex(self.written("now.txt"), r"^device_codec_tests[^ ]*: \d+ s at most")
        self.assertIn("=== any_device_tests", self.written("log.txt"))

    def test_without_a_device_it_says_so_and_runs_nothing(self):
        self.program("bin/shardfft", "echo '  device    cuda: no driver'")
        done = self.run_first("--only", "tests")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cuda: no driver", done.stdout)
        self.assertIn("no device of kind cuda", done.stderr)
        self.assertEqual([call for call in self.calls() if call.startswith(TESTS)], [])

    def test_the_link_is_told_apart_from_the_medians(self):
        self.program("bin/shardfft", f"case $1 in info) echo '{INFO}' ;; bench) echo '{LINK}' ;; esac")
        done = self.run_first("--only", "streams")
        self.assertRegex(done.stdout, r"--tile 1024 --streams 2 +forward 4\.11 ms  backward 3\.94 ms  \(two")
        self.assertIn("    forward: to device 7.00 ms, kernels 8.00 ms, back 9.00 ms, staging 0 s, exchanges 0 s\n",
                      done.stdout)
        self.assertNotIn("    sweep", done.stdout)

    def test_a_bundle_is_unpacked_with_and_without_xz(self):
        packed = self.folder / "bundle.tar.xz"
        subprocess.run(["tar", "-C", self.bundle, "-cJf", packed, "."], check=True)
        (self.bundle / "first/python3").unlink()
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("bash", "env", "timeout", "mkdir", "mktemp", "dirname", "tee", "sed", "awk", "grep", "cat",
                     "rm", "tail", "cut", "sleep", "ldd", "sort", "tr", "head", "nvidia-smi"):
            (tools / name).symlink_to(shutil.which(name, path=self.variables()["PATH"]))
        (tools / "python3").symlink_to(pathlib.Path(sys.executable).resolve())
        for path in (self.variables()["PATH"], str(tools)):
            done = self.run_first("--bundle", packed, "--only", "smoke", PATH=path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"smoke test, 16\^3 +ok")

    def test_wrong_words_are_refused(self):
        for words, rule in ((("--only", "speed"), "--only takes"), (("--seconds", "0"), "--seconds is"),
                            (("--from",), "--from lacks"), (("--fast",), "takes options and tests"),
                            (("--bundle", self.folder / "none.tar.xz"), "tools/gpu_first_run --make")):
            done = self.run_first(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(rule, done.stderr)


if __name__ == "__main__":
    unittest.main()
