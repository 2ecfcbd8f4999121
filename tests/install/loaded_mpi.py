"""One program under the launchers of Open MPI and MPICH: loaded_mpi.py PROGRAM. It was built without MPI, and takes
the plug-in beside its library."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

PROGRAM = Path(sys.argv.pop(1)).absolute()
MPIRUN = Path(__file__).absolute().parents[2] / "tools" / "mpirun"
LAUNCHERS = {"openmpi": shutil.which("mpiexec.openmpi"), "mpich": shutil.which("mpiexec.mpich")}


def started(launcher, *words, program=PROGRAM, **variables):
    """On two ranks."""
    return subprocess.run([MPIRUN, launcher, "2", program, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **variables})


class LoadedMpi(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.input, self.output, self.record = (self.folder / name for name in ("in.npy", "out.npy", "record.json"))
        self.values = np.random.default_rng(1).standard_normal((12, 10, 8)).astype(np.complex128)
        np.save(self.input, self.values)
        self.words = ("transform", self.input, self.output, "--json", self.record)

    def each(self):
        """The launchers that are installed and have a plug-in."""
        found = [(name, launcher) for name, launcher in LAUNCHERS.items()
                 if launcher and any(PROGRAM.parents[1].rglob(f"shardfft_mpi_{name}.so"))]
        return found or self.skipTest("no launcher, or no plug-in for it")

    def test_its_ranks_give_what_one_process_gives_under_each_launcher(self):
        subprocess.run([PROGRAM, *self.words], check=True, capture_output=True, timeout=120)
        alone = json.loads(self.record.read_text())
        self.assertLess(np.abs(np.load(self.output) - np.fft.fftn(self.values)).max(), 1e-11)
        for _, launcher in self.each():
            done = started(launcher, *self.words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            record = json.loads(self.record.read_text())
            self.assertEqual((record["ranks"], record["hash"]), (2, alone["hash"]))

    def test_bad_input_ends_all_ranks_with_one_error(self):
        for _, launcher in self.each():
            done = started(launcher, "transform", self.folder / "absent.npy", self.output)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("absent.npy"), 1, done.stderr)

    def test_it_says_which_library_of_the_mpi_is_missing(self):
        fakes = self.folder / "fakes"
        fakes.mkdir()
        for name in ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12"):
            (fakes / name).write_text("no library")
        for name, launcher in self.each():
            # Only the program sees them: a launcher needs its own libraries.
            done = started(launcher, f"LD_LIBRARY_PATH={fakes}", PROGRAM, *self.words, program="env")
            self.assertEqual(done.returncode, 2, done.stderr)
            said = [line for line in done.stderr.splitlines() if line.startswith("shardfft:")]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertRegex(said[0], f"{name} need libmpi.*LD_LIBRARY_PATH")

    def test_it_says_which_plug_in_is_missing(self):
        place = self.folder / "moved"
        shutil.copytree(PROGRAM.parents[1], place, symlinks=True)
        program = place / PROGRAM.relative_to(PROGRAM.parents[1])
        for name, launcher in self.each():
            other = {"openmpi": "mpich", "mpich": "openmpi"}[name]
            plugin = next(place.rglob(f"shardfft_mpi_{name}.so"))
            hidden = plugin.rename(self.folder / plugin.name)
            done = started(launcher, *self.words, program=program)
            hidden.rename(plugin)
            self.assertEqual(done.returncode, 2, done.stderr)
            said = [line for line in done.stderr.splitlines() if line.startswith("shardfft:")]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertRegex(said[0], f"part for {name}; this shardfft was built for {other}|without MPI")


if __name__ == "__main__":
    unittest.main()
