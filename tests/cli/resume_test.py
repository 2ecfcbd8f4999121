"""A transform in passes that was killed goes on with --resume, to the same bits; and is given up where it cannot."""
import glob
import os
import subprocess
import tempfile
import time
import unittest

import numpy as np

from program import INT, KILL, TERM, InFolder, needs_launcher, own_lines, run, start, wait_for

SHAPE = (96, 100, 104)  # 16 MB, in 12 and 13 tiles
KILLS = int(os.environ.get("SHARDFFT_TEST_PROBLEMS", "5"))


class Resume(InFolder):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SHARDFFT_TEST_SEED", time.time_ns() % 10**9))
        self.random = np.random.default_rng(self.seed)
        self.save("a.npy", self.complexes(*SHAPE))
        self.hash = self.json("transform", "a.npy", "whole.npy", "--no-wisdom", "-q")["hash"]
        self.whole = self.load("whole.npy").tobytes()
        os.unlink(self.path("whole.npy"))

    memory = "5M"

    def words(self, *more):
        return ["transform", self.path("a.npy"), "b.npy", "--no-wisdom", "--memory", self.memory, "--resume", "-q",
                *more]

    def tiles(self):
        """Lines of tiles that are done."""
        lines = 0
        for file in glob.glob(self.path("b.npy.resume-*/tiles.*")):
            with open(file) as text:
                lines += len(text.readlines())
        return lines

    def killed(self, *more, after=2, signal=KILL, ranks=0):
        """A run that is killed when so many tiles more are done; false if it was faster."""
        before = self.tiles()
        process = start(*self.words(*more), ranks=ranks, cwd=self.folder)
        self.assertTrue(wait_for(lambda: process.poll() is not None or self.tiles() >= before + after))
        for pid in self.ranks() if ranks else []:
            os.kill(pid, signal)
        process.send_signal(signal)
        stderr = process.communicate(timeout=60)[1]
        self.assertIn(process.returncode, [-signal, 0] if not ranks else range(-64, 256), stderr)
        self.assertTrue(wait_for(lambda: not self.ranks()))
        if os.path.exists(self.path("b.npy")):
            self.assertEqual(self.load("b.npy").tobytes(), self.whole, f"seed {self.seed}")
        return not os.path.exists(self.path("b.npy"))

    def finish(self, *more, ranks=0):
        record = self.json(*self.words(*more), ranks=ranks)
        self.assertEqual(record["hash"], self.hash, f"seed {self.seed}")
        self.assertEqual(self.load("b.npy").tobytes(), self.whole, f"seed {self.seed}")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])
        return record["tiles_done_before"], sum(p["tiles"] for p in record["passes"])

    def given_up(self, says, *more):
        """Status 2, one line, an older output as it was, and nothing left."""
        self.save("b.npy", np.arange(5.0))
        done = run(*self.words(*more), cwd=self.folder)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])
        np.testing.assert_array_equal(self.load("b.npy"), np.arange(5.0))


class GoesOn(Resume):
    def test_to_the_same_bits_after_kills_at_random_points(self):
        total, kills = 25, 0
        while kills < KILLS:
            self.assertEqual(self.tiles(), 0)
            for _ in range(int(self.random.integers(1, 4))):  # of one transform
                if not self.killed(after=int(self.random.integers(0, total // 2))):
                    break
                kills += 1
            else:
                done, total = self.finish()
                self.assertLessEqual(done, total, f"seed {self.seed}")
            os.unlink(self.path("b.npy"))

    def test_in_any_pass_without_doing_again_what_is_done(self):
        for after in [1, 14]:
            self.assertTrue(self.killed("--verify", after=after))
            noted = self.tiles()
            done, total = self.finish("--verify")
            self.assertTrue(after <= done == noted < total, (after, done, noted, total))
            os.unlink(self.path("b.npy"))

    def test_after_signals_too_and_a_fresh_run_leaves_nothing(self):
        for signal in [TERM, INT]:
            self.assertTrue(self.killed(signal=signal))
            self.assertGreaterEqual(self.finish()[0], 2)
            os.unlink(self.path("b.npy"))
        self.assertEqual(self.finish()[0], 0)

    def test_with_an_operator_unless_that_is_another_one(self):
        first, second = ("--apply", "gaussian:0.1"), ("--apply", "gaussian:0.2")
        for words in [second, first]:
            self.hash = self.json("transform", "a.npy", "b.npy", "--no-wisdom", "-q", *words)["hash"]
            self.whole = self.load("b.npy").tobytes()
            os.unlink(self.path("b.npy"))
        for after in [2, 14, 28]:  # in each pass
            self.assertTrue(self.killed(*first, after=after))
            self.assertGreaterEqual(self.finish(*first)[0], after)
            os.unlink(self.path("b.npy"))
        self.assertTrue(self.killed(*first))
        self.assertEqual(self.json(*self.words(*second))["tiles_done_before"], 0)

    def test_with_scratch_files_in_several_folders(self):
        disks = [tempfile.mkdtemp(prefix="shardfft-disk-") for _ in range(2)]
        for disk in disks:
            self.addCleanup(os.rmdir, disk)
        self.assertEqual(self.finish("--scratch", ",".join(disks))[0], 0)
        os.unlink(self.path("b.npy"))
        self.assertTrue(self.killed("--scratch", ",".join(disks)))
        sizes = [os.path.getsize(f) for disk in disks for f in glob.glob(f"{disk}/*/scratch-0")]
        self.assertEqual(len(sizes), 2)
        self.assertLess(max(sizes), 0.7 * sum(sizes))
        self.assertGreaterEqual(self.finish("--scratch", ",".join(disks))[0], 2)

    @needs_launcher
    def test_on_other_numbers_of_ranks(self):
        for ranks, then in [(3, 2), (1, 3)]:
            self.memory = f"{5 * ranks}M"
            self.assertTrue(self.killed(after=4, ranks=ranks))
            self.memory = f"{5 * then}M"  # as much for each
            self.assertGreaterEqual(self.finish(ranks=then)[0], 4)
            os.unlink(self.path("b.npy"))


class IsGivenUp(Resume):
    def folder_left(self):
        return glob.glob(self.path("b.npy.resume-*"))

    def test_where_the_scratch_is_lost_or_cut_off(self):
        for harm in [os.unlink, lambda path: os.truncate(path, 4096)]:
            self.assertTrue(self.killed(after=13))
            harm(os.path.join(*self.folder_left(), "scratch-0"))
            self.given_up("run it again, which begins anew")
            self.assertEqual(self.finish()[0], 0)
            os.unlink(self.path("b.npy"))

    def test_where_data_of_the_scratch_are_damaged(self):
        self.assertTrue(self.killed(after=4))
        with open(os.path.join(*self.folder_left(), "scratch-0"), "r+b") as file:
            file.seek(64)
            byte = file.read(1)
            file.seek(64)
            file.write(bytes([byte[0] ^ 1]))
        self.given_up("must give back what was written to it")

    def test_where_the_begun_output_is_lost(self):
        self.assertTrue(self.killed(after=14))
        os.unlink(os.path.join(*self.folder_left(), "out"))
        self.given_up("is lost; run it again")

    def test_and_another_input_or_problem_begins_anew(self):
        self.assertTrue(self.killed())
        first = self.folder_left()
        os.utime(self.path("a.npy"))
        record = self.json(*self.words())
        self.assertEqual((record["hash"], record["tiles_done_before"]), (self.hash, 0))
        self.assertEqual(self.folder_left(), first)
        self.assertEqual(self.json(*self.words("--norm", "ortho"))["tiles_done_before"], 0)

    def test_while_another_run_works_there(self):
        process = start(*self.words(), cwd=self.folder)
        self.assertTrue(wait_for(lambda: self.tiles() > 0))
        os.kill(process.pid, 19)  # STOP
        done = run(*self.words(), cwd=self.folder)
        os.kill(process.pid, 18)
        process.communicate(timeout=60)
        self.assertEqual((done.returncode, process.returncode), (2, 0), done.stderr)
        self.assertIn("is in use by another run", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy"])

    def test_where_somebody_planted_a_link(self):
        self.assertTrue(self.killed())
        left, = self.folder_left()
        subprocess.run(["rm", "-r", left], check=True)
        elsewhere = self.path("elsewhere")
        os.mkdir(elsewhere)
        os.symlink(elsewhere, left)
        done = run(*self.words(), cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot be made: Not a directory", done.stderr)
        self.assertEqual(os.listdir(elsewhere), [])

    def test_and_leaves_alone_a_folder_that_others_may_write_to(self):
        disk = self.path("disk")
        os.mkdir(disk)
        self.assertTrue(self.killed("--scratch", disk))
        left, = self.folder_left()
        theirs = os.path.join(disk, os.path.basename(left))
        os.chmod(theirs, 0o777)
        done = run(*self.words("--scratch", disk), cwd=self.folder)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn("which cannot be made: Permission denied", done.stderr)
        self.assertEqual((os.listdir(theirs), self.folder_left()), (["scratch-0"], []))


if __name__ == "__main__":
    unittest.main()
