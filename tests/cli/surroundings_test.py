"""Standard streams that are closed, full or broken, names of every kind, side files, and signals of batch systems."""
import json
import os
import resource
import signal
import subprocess
import threading
import unittest

import numpy as np

from program import HAS_PEERS, LIMIT_S, MPIRUN, InFolder, command, environment, needs_launcher
from program import own_lines, run, start, wait_for

EXPLAIN = ["explain", "--shape", "4x4"]


def with_streams(*words, cwd, before=None, ranks=0, **streams):
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(command(*words, ranks=ranks), preexec_fn=before, timeout=LIMIT_S, cwd=cwd, env=environment(),
                          **given)


def closing(*descriptors):
    return lambda: [os.close(fd) for fd in descriptors]


def broken_pipe():
    read, write = os.pipe()
    os.close(read)
    return write


class OutOfCoreBuffers(InFolder):
    def setUp(self):
        super().setUp()
        self.save("a.npy", np.ones((4, 4)))

    def commands(self):
        yield from (["info"], ["--version"], ["--help"], EXPLAIN, [*EXPLAIN, "--json", "-"], ["wisdom", "list"],
                    ["transform", "a.npy", "b.npy"], ["bench", "--shape", "4x4", "--iterations", "1"])

    def test_results_that_reach_nobody_are_an_error(self):
        for words in self.commands():
            with self.subTest(words=words):
                done = with_streams(*words, cwd=self.folder, before=closing(1))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(b"standard output must take what is printed", done.stderr)
                pipe = broken_pipe()
                done = with_streams(*words, cwd=self.folder, stdout=pipe)
                os.close(pipe)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(b"standard output must take what is printed; it cannot: Broken pipe", done.stderr)

    def test_nothing_that_is_asked_for_needs_no_standard_output(self):
        done = with_streams("transform", "a.npy", "b.npy", "--quiet", cwd=self.folder, before=closing(0, 1, 2))
        self.assertEqual(done.returncode, 0)
        self.assert_close(self.load("b.npy"), np.fft.fftn(np.ones((4, 4))), "all streams closed")

    def test_files_never_get_the_number_of_a_closed_stream(self):
        """What is printed would end up in them."""
        with_streams("transform", "a.npy", "b.npy", cwd=self.folder, before=closing(0, 1, 2))
        self.assert_close(self.load("b.npy"), np.fft.fftn(np.ones((4, 4))), "all streams closed")
        self.assertEqual(self.load("a.npy").sum(), 16)

    def test_an_error_told_in_vain_has_status_2(self):
        for words in [["transform", "absent.npy", "b.npy"], ["frobnicate"], ["bench", "--shape", "0"],
                      ["report", "absent.json", "--output", "r.html"], ["compare", "--shapes", "nonsense"]]:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                pipe = broken_pipe()
                self.assertEqual(with_streams(*words, cwd=self.folder, stderr=full).returncode, 2)
                self.assertEqual(with_streams(*words, cwd=self.folder, stderr=pipe).returncode, 2)
                self.assertEqual(with_streams(*words, cwd=self.folder, before=closing(1, 2)).returncode, 2)
                os.close(pipe)

    def test_lost_results_told_in_vain_have_status_2(self):
        for words in self.commands():
            with self.subTest(words=words), open("/dev/full", "w") as full:
                self.assertEqual(with_streams(*words, cwd=self.folder, stdout=full, stderr=full).returncode, 2)

    def test_notices_told_in_vain_change_nothing(self):
        with open("/dev/full", "w") as full:
            done = with_streams("transform", "a.npy", "b.npy", cwd=self.folder, stderr=full)
        self.assertEqual(done.returncode, 0)


class Names(InFolder):
    def setUp(self):
        super().setUp()
        self.array = self.complexes(4, 6)
        self.save("a.npy", self.array)

    def transformed(self, *words, name):
        """`name` may be bytes."""
        done = subprocess.run([*command("transform", "a.npy"), name, *words], capture_output=True, timeout=LIMIT_S,
                              cwd=self.folder, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(os.fsencode(self.folder), os.fsencode(name)), "rb") as file:
            self.assert_close(np.load(file), np.fft.fftn(self.array), str(name))
        self.assertEqual(self.leftovers(), [])
        return done

    def refused(self, *words, says):
        before = sorted(os.listdir(self.folder))
        done = run(*words, cwd=self.folder)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_names_that_are_no_utf_8(self):
        self.transformed(b"--json", b"\xe9t\xe9.json", b"--trace", b"\xe9.trace", name=b"b\xe9.npy")
        with open(os.path.join(os.fsencode(self.folder), b"\xe9t\xe9.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["out"], "b\ufffd.npy")
        self.transformed(b"--json", b"-", name=b"b\xe9.npy")

    def test_messages_show_bytes_that_a_terminal_would_obey(self):
        self.refused("transform", "\x1b[2J\n.npy", "b.npy", says=r"\x1b[2J\n.npy")
        done = self.transformed(name=b"b\x1b[2J\xe9.npy")
        self.assertIn(rb"b\x1b[2J\xe9.npy", done.stdout)

    def test_names_as_long_as_the_file_system_allows(self):
        longest = os.pathconf(self.folder, "PC_NAME_MAX")
        for length in [longest - 25, longest - 24, longest]:
            self.transformed("--json", "j" * length, name="b" * length)
            with open(self.path("j" * length), encoding="utf-8") as file:
                json.load(file)
        too_long = "b" * (longest + 1)
        self.refused("transform", "a.npy", too_long, says="File name too long")
        self.refused("transform", "a.npy", "b.npy", "--json", too_long, says="File name too long")
        self.refused("transform", too_long, "b.npy", says="File name too long")

    def test_names_that_begin_with_a_dash(self):
        self.transformed(name="./-b.npy")
        self.refused("transform", "a.npy", "-", says="no place for a file")
        self.refused("transform", "-", "b.npy", says="'-'")
        self.refused("transform", "a.npy", "b.npy", "--trace", "-", says="--trace")

    def test_links_lead_to_the_file_that_is_written(self):
        os.symlink("there.npy", self.path("second.npy"))
        os.symlink("second.npy", self.path("first.npy"))
        self.transformed(name="first.npy")
        self.assertTrue(os.path.islink(self.path("first.npy")) and os.path.isfile(self.path("there.npy")))

    def test_a_file_named_twice_is_seen_through_links(self):
        os.symlink("b.npy", self.path("dangling"))
        os.link(self.path("a.npy"), self.path("hard"))
        for name in ["dangling", "hard", "./b.npy"]:
            for option in ["--json", "--trace"]:
                self.refused("transform", "a.npy", "b.npy", option, name, says="file of its own")
        os.symlink("t.json", self.path("other"))
        self.refused("transform", "a.npy", "b.npy", "--json", "t.json", "--trace", "other", says="file of its own")


class SideFiles(InFolder):
    def setUp(self):
        super().setUp()
        self.save("a.npy", np.ones((4, 4)))

    def all_of(self):
        yield from (["transform", "a.npy", "b.npy", "--json"], ["transform", "a.npy", "b.npy", "--trace"],
                    [*EXPLAIN, "--json"], ["info", "--json"], ["wisdom", "list", "--json"],
                    ["bench", "--shape", "4x4", "--iterations", "1", "--trace"])
        if HAS_PEERS:
            yield ["compare", "--shapes", "4x4x4", "--with", "fftw_threads", "--json"]

    def test_what_cannot_be_written_is_refused_before_anything_is_printed_or_made(self):
        os.symlink("loop", self.path("loop"))
        for words in self.all_of():
            for name in ["no/such.json", "a.npy/x", "loop", "/proc/x.json"]:
                with self.subTest(words=words, name=name):
                    before = sorted(os.listdir(self.folder))
                    done = run(*words, name, cwd=self.folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertIn(words[-1], done.stderr)
                    self.assertEqual(sorted(os.listdir(self.folder)), before)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_pipes_take_figures_where_somebody_reads(self):
        os.mkfifo(self.path("pipe"))
        for option in ["--json", "--trace"]:
            read = []
            reader = threading.Thread(target=lambda: read.append(self.read("pipe")))
            reader.start()
            self.ok("transform", "a.npy", "b.npy", "--quiet", option, "pipe")
            reader.join(LIMIT_S)
            json.loads(read[0])

    def test_a_pipe_that_nobody_reads_is_refused(self):
        os.mkfifo(self.path("pipe"))
        done = run("transform", "a.npy", "b.npy", "--json", "pipe", cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("nobody reads from the pipe", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "pipe"])

    def test_an_output_that_cannot_be_written_is_refused_before_anything_is_planned(self):
        """The plan itself would be refused, but OUT is looked at first."""
        os.symlink("loop", self.path("loop"))
        for name, says in [("no/such.npy", "cannot be made"), ("a.npy/x", "cannot be made"),
                           ("loop", "circle of links"), (".", "must be a file"), ("-", "no place for a file")]:
            for ranks in [0, 2] if MPIRUN else [0]:
                with self.subTest(name=name, ranks=ranks):
                    done = run("transform", "a.npy", name, "--decomposition", "nonsense", "--quiet", ranks=ranks,
                               cwd=self.folder)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
                    self.assertIn(says, done.stderr)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "loop"])

    def test_a_read_only_output_is_replaced_and_stays_read_only(self):
        self.save("b.npy", np.zeros(3))
        os.chmod(self.path("b.npy"), 0o444)
        self.ok("transform", "a.npy", "b.npy")
        self.assertEqual(os.stat(self.path("b.npy")).st_mode & 0o777, 0o444)
        self.assertEqual(self.load("b.npy").shape, (4, 4))


class Signals(InFolder):
    def setUp(self):
        super().setUp()
        self.save("a.npy", self.complexes(96, 128, 160))

    def killed_by(self, number, ranks=0):
        process = start("transform", "a.npy", "b.npy", "--quiet", "--verify", ranks=ranks, cwd=self.folder)
        self.assertTrue(wait_for(self.leftovers))
        process.send_signal(number)
        process.communicate(timeout=60)
        self.assertTrue(wait_for(lambda: not self.leftovers()))
        return process.returncode

    def test_signals_of_batch_systems_leave_no_partial_file(self):
        for name in "HUP INT QUIT ABRT USR1 USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO".split():
            with self.subTest(signal=name):
                number = getattr(signal, f"SIG{name}")
                self.assertEqual(self.killed_by(number), -number)
                self.assertFalse(os.path.exists(self.path("b.npy")))
        self.assertEqual(self.killed_by(signal.SIGRTMIN), -signal.SIGRTMIN)

    @needs_launcher
    def test_a_rank_that_is_ended_by_a_signal_leaves_no_partial_file(self):
        for number in [signal.SIGUSR1, signal.SIGXCPU]:
            process = start("transform", self.path("a.npy"), "b.npy", "--quiet", "--verify", ranks=2, cwd=self.folder)
            self.assertTrue(wait_for(lambda: self.leftovers() and len(self.ranks()) == 2))
            os.kill(self.ranks()[0], number)
            process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            self.assertTrue(wait_for(lambda: not self.leftovers()))
            self.assertFalse(os.path.exists(self.path("b.npy")))

    def test_ignored_signals_stay_ignored(self):
        ignored = [signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU, signal.SIGPIPE]
        process = subprocess.Popen(command("transform", "a.npy", "b.npy",
                                           "--quiet"), cwd=self.folder, env=environment(),
                                   preexec_fn=lambda: [signal.signal(n, signal.SIG_IGN) for n in ignored],
                                   restore_signals=False)
        self.assertTrue(wait_for(self.leftovers))
        for number in ignored:
            process.send_signal(number)
        self.assertEqual(process.wait(LIMIT_S), 0)
        self.assertEqual(self.load("b.npy").shape, (96, 128, 160))

    def test_a_limit_of_processor_time_leaves_no_partial_file(self):
        process = subprocess.Popen(
            command("bench", "--shape", "128x128x128", "--iterations", "1000", "--json",
                    "j.json"), cwd=self.folder, env=environment(), stdout=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 10)))
        self.assertEqual(process.wait(LIMIT_S), -signal.SIGXCPU)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])


if __name__ == "__main__":
    unittest.main()
