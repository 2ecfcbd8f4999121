"""Runs the program shardfft for the tests: alone or under the launcher, in a folder of its own.

Environment, set by tests/CMakeLists.txt: SHARDFFT (the program), SHARDFFT_MPIRUN (tools/mpirun and the launcher,
empty without MPI), SHARDFFT_HAS_BENCHMARKS (1 where the program has the commands compare and report).
"""
import atexit
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import numpy as np

PROGRAM = os.environ["SHARDFFT"]
MPIRUN = os.environ.get("SHARDFFT_MPIRUN", "").split()
LIMIT_S = 120
ABSENT = set() if os.environ["SHARDFFT_HAS_BENCHMARKS"] == "1" else {"compare", "report"}  # commands
WISDOM = tempfile.mkdtemp(prefix="shardfft-wisdom-")  # what was tuned on this machine must not steer the tests
atexit.register(shutil.rmtree, WISDOM, ignore_errors=True)


def command(*words, ranks=0):
    launcher = MPIRUN + [str(ranks)] if ranks else []
    return [*launcher, PROGRAM, *map(str, words)]


def environment():
    """Two threads a rank are enough, and plans must not be steered from outside."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SHARDFFT_") and k != "SHARDFFT"}
    return {**env, "OMP_NUM_THREADS": "2", "SHARDFFT_WISDOM": WISDOM}


def run(*words, ranks=0, cwd=None, variables=None):
    return subprocess.run(command(*words, ranks=ranks), capture_output=True, text=True, timeout=LIMIT_S, cwd=cwd,
                          env={**environment(), **(variables or {})})


def peak_bytes(*words):
    """The most memory that one run of the program held."""
    process = subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise AssertionError(f"{words} ended with status {process.returncode}")
    return 1024 * usage.ru_maxrss


def own_lines(stderr):
    """Lines that the program wrote, without those of the launcher."""
    return [line for line in stderr.splitlines() if line.startswith("shardfft:")]


class InFolder(unittest.TestCase):
    """Each test has an empty folder and a seeded generator whose seed is part of every failure message."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="shardfft-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.seed = int(os.environ.get("SHARDFFT_TEST_SEED", "20261120"))
        self.random = np.random.default_rng(self.seed)

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def load(self, name):
        return np.load(self.path(name))

    def ok(self, *words, ranks=0):
        done = run(*words, ranks=ranks, cwd=self.folder)
        self.assertEqual(done.returncode, 0,
                         f"{' '.join(map(str, words))} (seed {self.seed}): {done.stdout}{done.stderr}")
        return done

    def json(self, *words, ranks=0):
        return json.loads(self.ok(*words, "--json", "-", ranks=ranks).stdout)

    def reals(self, *shape, dtype="f8"):
        return self.random.standard_normal(shape).astype(dtype)

    def complexes(self, *shape, dtype="c16"):
        return (self.random.standard_normal(shape) + 1j * self.random.standard_normal(shape)).astype(dtype)

    def assert_close(self, got, want, what):
        """Same shape, same type, and a relative L2 error that a good transform keeps easily."""
        self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype), what)
        self.assertTrue(got.flags["C_CONTIGUOUS"], what)
        eps = np.finfo(want.dtype).eps
        error = np.linalg.norm((got - want).ravel()) / max(np.linalg.norm(want.ravel()), 1e-300)
        self.assertLess(error, 8 * eps * (1 + np.log2(want.size)), f"{what} (seed {self.seed})")

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if ".partial" in name]

    def ranks(self):
        """Processes of the program that work in this test's folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    words = file.read().split("\0")
            except OSError:
                continue
            if words[0] == PROGRAM and self.path("a.npy") in words:
                found.append(int(pid))
        return sorted(found)


def start(*words, ranks=0, cwd=None, variables=None):
    return subprocess.Popen(command(*words, ranks=ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=cwd, env={**environment(), **(variables or {})})


def scratch_files(*processes):
    """What these processes have open of scratch files, by their places in /proc."""
    found = []
    for process in processes:
        for file in glob.glob(f"/proc/{process}/fd/*"):
            try:
                found += [file] if ".scratch-" in os.readlink(file) else []
            except OSError:  # was closed
                continue
    return found


def wait_for(condition, limit_s=30):
    """True as soon as condition() holds."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.002)
    return False


# Programs of other libraries, which sanitizer builds do not have.
HAS_PEERS = os.path.isdir(os.path.join(os.path.dirname(PROGRAM), "..", "libexec", "shardfft", "peers"))
needs_launcher = unittest.skipUnless(MPIRUN, "built without MPI")
KILL, TERM, INT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT
STOP, CONT = signal.SIGSTOP, signal.SIGCONT
