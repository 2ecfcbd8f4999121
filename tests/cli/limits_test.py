"""Limits on threads and memory: the right answer or one clear line, and no file in part."""
import json
import os
import resource
import subprocess
import time
import unittest

import numpy as np

from program import InFolder, LIMIT_S, MPIRUN, PROGRAM, command, environment, needs_launcher, own_lines

GB = 1 << 30


def limited(*words, cwd, variables=None, address_space=None, data=None, stack=None, ranks=0):
    def limit():
        if stack:
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        if data:
            resource.setrlimit(resource.RLIMIT_DATA, (data, data))

    return subprocess.run(command(*words, ranks=ranks), preexec_fn=limit, capture_output=True, text=True,
                          timeout=LIMIT_S, cwd=cwd, env={**environment(), **(variables or {})}, check=False)


def runs_with(address_space):
    return limited("--version", cwd="/", address_space=address_space).returncode == 0


class Threads(InFolder):
    def check(self, variables, *options, status=0, says="", address_space=None):
        """All that the program writes beside the answer is `says`."""
        want = np.fft.fftn(np.load(self.path("a.npy")))
        done = limited("transform", "a.npy", "b.npy", "--no-wisdom", "-q", *options, cwd=self.folder,
                       variables=variables, address_space=address_space)
        self.assertEqual(done.returncode, status, f"{variables} {options}: {done.stderr}")
        self.assertEqual(len(own_lines(done.stderr)), 1 if says else 0, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(self.leftovers(), [])
        if status == 0:
            self.assert_close(self.load("b.npy"), want, str(variables))
            os.remove(self.path("b.npy"))
        else:
            self.assertFalse(os.path.exists(self.path("b.npy")))

    def setUp(self):
        super().setUp()
        self.save("a.npy", self.complexes(32, 32, 32))

    def test_stacks_of_a_size_that_nobody_has_cost_a_line_or_an_error(self):
        self.check({"OMP_STACKSIZE": "100000G"}, says="1 of 2 threads: no more can be started")
        self.check({"OMP_STACKSIZE": "100000G"}, "--threads", 2, status=2, says="got 2, of which 1 could be started")

    def test_stacks_that_are_too_small_leave_one_thread(self):
        for variables in [{"OMP_STACKSIZE": "16K"}, {"OMP_STACKSIZE": " 100 k "}, {"GOMP_STACKSIZE": "65536 B"}]:
            self.check(variables, "--threads", 3, says="1 of 3 threads")

    def test_what_openmp_takes_for_nonsense_is_none_of_our_business(self):
        for variables in [{"OMP_STACKSIZE": "-5"}, {"OMP_STACKSIZE": "12B"}, {"OMP_STACKSIZE": "99999999999999999999"},
                          {"OMP_NUM_THREADS": "abc"}, {"OMP_NUM_THREADS": "2,3"}, {"OMP_PROC_BIND": "nonsense"},
                          {"OMP_PROC_BIND": "true",
                           "OMP_PLACES": "{0}"}, {"OMP_DYNAMIC": "true"}, {"OMP_WAIT_POLICY": "sleepy"}]:
            self.check(variables)

    def test_limits_of_openmp_leave_fewer_threads(self):
        self.check({"OMP_THREAD_LIMIT": "1"}, "--threads", 2, says="1 of 2 threads (OMP_THREAD_LIMIT is 1)")
        self.check({"OMP_MAX_ACTIVE_LEVELS": "0"}, "--threads", 2, says="1 of 2 threads (OpenMP starts no team here")

    def test_threads_without_room_for_their_stacks(self):
        if not runs_with(4 * GB):
            self.skipTest("the program does not run with a limit on memory, as with the address sanitizer")
        self.check({"OMP_STACKSIZE": "1G", "OMP_NUM_THREADS": "16"}, address_space=4 * GB,
                   says="of 16 threads: no more can be started")

    def test_more_threads_than_any_machine_has(self):
        if not runs_with(4 * GB):
            self.skipTest("the program does not run with a limit on memory, as with the address sanitizer")
        if "libomp.so" in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout:
            self.skipTest("OpenMP of LLVM ends programs that are asked for so many threads in so little memory")
        self.check({"OMP_NUM_THREADS": "99999999999", "OMP_STACKSIZE": "64M"}, address_space=4 * GB,
                   says="threads: no more can be started")


class Memory(InFolder):
    def setUp(self):
        super().setUp()
        if not runs_with(4 * GB):
            self.skipTest("the program does not run with a limit on memory, as with the address sanitizer")

    def refused(self, *words, **limits):
        done = limited(*words, cwd=self.folder, **limits)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertRegex(done.stderr, "there is no room for")
        self.assertIn("can be had there", done.stderr)
        self.assertIn("use more nodes", done.stderr)
        return done

    def sparse(self, *shape):
        """An array of zeros that takes no room on the disk."""
        np.lib.format.open_memmap(self.path("large.npy"), "w+", "c16", shape).flush()

    def test_what_takes_no_passes_is_refused_before_anything_is_written_where_memory_is_too_small(self):
        self.sparse(512, 512, 512)
        for limits in [{"address_space": 4 * GB}, {"data": 1 * GB}]:
            self.refused("transform", "large.npy", "b.npy", "--trace", "t.json", **limits)
            self.assertEqual(sorted(os.listdir(self.folder)), ["large.npy"])

    def test_a_file_larger_than_the_machine_is_refused_at_once(self):
        self.sparse(1 << 14, 1 << 14, 1 << 10)
        for ranks in [0, 2] if MPIRUN else [0]:
            self.refused("transform", "large.npy", "b.npy", "--trace", "t.json", ranks=ranks)
            self.assertEqual(sorted(os.listdir(self.folder)), ["large.npy"])

    def test_passes_over_a_file_larger_than_the_disk_are_refused_at_once(self):
        self.sparse(1 << 14, 1 << 14, 1 << 10)
        done = limited("transform", "large.npy", "b.npy", "-q", cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
        self.assertIn("name a file system with more room", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["large.npy"])

    def test_passes_take_no_more_than_they_are_given_of_any_file(self):
        """The system refuses more than --memory and the 22 MB that the program has for itself."""
        a = self.random.integers(-9, 9, (128, 96, 384)).astype("i2")  # 75 MB as complex128, in 20 MB
        self.save("a.npy", a)
        files = ["a.npy"]
        try:
            import h5py
            with h5py.File(self.path("a.h5"), "w") as file:
                file.create_dataset("chunks", data=a, chunks=a.shape, compression="gzip", compression_opts=1)
                file.create_dataset("wide", data=a.astype("f8"), chunks=(32, 32, 32))
            files += ["a.h5:/chunks", "a.h5:/wide"]
        except ImportError:
            pass
        whole = self.json("transform", "a.npy", "b.npy", "-q", "--no-wisdom")["hash"]
        for name, *more in [*([name] for name in files), ["a.npy", "--kind", "r2c"]]:
            done = limited("transform", name, "b.npy", "--no-wisdom", "--json", "-", "--memory", "48M", *more,
                           cwd=self.folder, variables={"OMP_STACKSIZE": "512K"}, data=70 << 20, stack=1 << 20)
            self.assertEqual((done.returncode, done.stderr), (0, ""), (name, *more))
            record = json.loads(done.stdout)
            # Every tile would decompress the one chunk, so a pass that only reads it comes first.
            self.assertEqual(len(record["passes"]), 3 if name.endswith("/chunks") else 2, (name, *more))
            if not more:
                self.assertEqual(record["hash"], whole, name)

    def test_bench_says_it_too(self):
        self.refused("bench", "--shape", "512x512x512", address_space=4 * GB)

    def test_tune_says_why_it_dropped_every_candidate(self):
        """The machine is measured first, which needs less room than the arrays."""
        done = limited("tune", "--shape", "512x512x512", "--seconds", 1, cwd=self.folder, address_space=4 * GB,
                       variables={"SHARDFFT_WISDOM": self.path("w")})
        self.assertEqual(done.returncode, 1, done.stderr)
        line = next(line for line in own_lines(done.stderr) if "not kept" in line)
        self.assertRegex(line, "every candidate was dropped, [1-9][0-9]* of [1-9][0-9]* for this: there is no room for")
        self.assertIn("RLIMIT_AS (ulimit -v)", line)
        self.assertIn("tune a smaller shape", line)

    def test_explain_takes_the_same_for_any_size(self):
        """Primes, batches, cyclic layouts, pencils, and tolerances, up to the largest arrays, in a small part of the
        memory that their tables would take."""
        for words in [("1099511627776", "--ranks", 1024), ("17592186044416", ), ("288230376151711744", "--ranks", 3),
                      ("1099511627689", "--ranks", 1024), ("1000000007x1000", ),
                      ("1099511627689", "--kind", "r2c", "--precision", "f32"),
                      ("1099511627776x16", "--axes", 1, "--ranks", 7), ("2x1099511627776", "--axes", 0, "--ranks", 7),
                      ("1048576x1048576", "--ranks", 1000, "--input", "cyclic:0", "--output", "cyclic:1"),
                      ("1048576x1048576x1024", "--ranks", 1024),
                      ("1000003x1000003", "--ranks", 1000, "--input", "pencils:0", "--output", "pencils:1"),
                      ("1099511627776", "--ranks", 1024, "--tolerance", 1e-6), ("1099511627689", "--engine", "fftw"),
                      ("549755813888", "--kind", "r2c", "--split", 0)]:
            with self.subTest(words):
                done = limited("explain", "--no-wisdom", "--shape", *words, cwd=self.folder, address_space=3 * GB)
                if "fftw" in words and "one of those compiled in" in done.stderr:
                    continue
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)

    def test_explain_of_many_encoded_messages_is_quick_and_small(self):
        for kind, ranks, per_node, guarantee in [("c2r", 64, 4, "worst"), ("r2c", 1024, 8, "certified"),
                                                 ("c2c", 512, 8, "statistical")]:
            with self.subTest(kind):
                start = time.monotonic()
                done = limited("explain", "--no-wisdom", "--shape", "4096x4096x4096", "--ranks", ranks,
                               "--ranks-per-node", per_node, "--tolerance", 1e-3, "--guarantee", guarantee, "--kind",
                               kind, cwd=self.folder, address_space=3 * GB // 2)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, "before encoding, about [0-9.]+ [MG]iB after it")
                self.assertLess(time.monotonic() - start, 30)  # 1 s where the machine is free

    def test_explain_says_its_own_limits(self):
        for words, says in [(("1099511627791", ), "a length must be from 1 to 2^40, got 1099511627791; use"),
                            (("288230376151711745", ), "at most 2^58 elements"),
                            (("2097152x2097152x2097152", ), "at most 2^63 - 1 = 9223372036854775807 elements"),
                            (("8", "--ranks", 1000001), "--ranks must be from 1 to 1000000; got 1000001")]:
            done = limited("explain", "--no-wisdom", "--shape", *words, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(says, done.stderr)


class Peak(InFolder):
    @needs_launcher
    def test_pages_of_peers_count_once(self):
        """Each of two ranks has its half of the array at both ends, in between, and twice for the limit; with those of
        its peer that were 8."""
        shape, words = "128x128x128", ("--iterations", 1, "--no-wisdom", "--threads", 1)
        peak = self.json("bench", "--shape", shape, *words, ranks=2)["memory_peak_bytes"]
        small = self.json("bench", "--shape", "4x4x4", *words, ranks=2)["memory_peak_bytes"]
        self.assertLess(peak - small, 6 * 16 * 128**3 // 2)


class Limit(InFolder):
    @needs_launcher
    def test_bench_keeps_its_results_where_cores_are_too_few_to_know_the_limit(self):
        record = self.json("bench", "--shape", 41, "--threads", 2, "--iterations", 2, "--no-wisdom", ranks=3)
        self.assertTrue(record["verified"])
        self.assertEqual(record["limit"] is None, record["forward_times_limit"] is None)


if __name__ == "__main__":
    unittest.main()
