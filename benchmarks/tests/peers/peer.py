"""Starts peers for the tests. Environment, set by benchmarks/tests/peers/CMakeLists.txt: SHARDFFT_PEERS (their folder),
SHARDFFT_PEER_DFT (the peer of the tests),
SHARDFFT_MPIRUN (tools/mpirun and the launcher, empty without MPI)."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

FOLDER = pathlib.Path(os.environ["SHARDFFT_PEERS"])
DFT = os.environ["SHARDFFT_PEER_DFT"]
MPIRUN = os.environ.get("SHARDFFT_MPIRUN", "").split()
LIMIT_S = 300

needs_launcher = unittest.skipUnless(MPIRUN, "built without MPI")


def program(library):
    """The program of a library, None where it was not built."""
    return next((str(path) for path in (FOLDER / f"peer_{library}", FOLDER / f"peer_{library}.py") if path.exists()),
                None)


def libraries():
    return sorted(path.stem.removeprefix("peer_") for path in FOLDER.glob("peer_*") if path.is_file())


# This one makes C's standard output unbuffered in Python, so that what is never flushed comes out all the same.
USERS_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(executable, *words, ranks=0, **environment):
    launcher = [*MPIRUN, str(ranks)] if ranks else []
    return subprocess.run([*launcher, executable, *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S,
                          check=False, env={**USERS_ENVIRONMENT, "OMP_NUM_THREADS": "1", **environment})


def about(executable):
    done = run(executable, "--about")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class InFolder(unittest.TestCase):
    """Each test has an empty folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shardfft-peers-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.file = self.folder / "result.json"

    def result(self, executable, *words, ranks=0, **environment):
        """What the peer wrote; its exit status must be 0 and nothing else must be left in the folder."""
        self.file.unlink(missing_ok=True)
        done = run(executable, *words, "--iterations", 2, "--warmup", 1, "--plan-seconds", 4, "--result", self.file,
                   ranks=ranks, **environment)
        self.assertEqual(done.returncode, 0, f"{executable} {words}: {done.stdout}{done.stderr}")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_file()], ["result.json"])
        return json.loads(self.file.read_text())
