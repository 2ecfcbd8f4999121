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
LIBRARIES = {"openmpi": ["libmpi.so.40"], "mpich": ["libmpi.so.12", "libmpich.so.12"]}
# Those of a launcher that says nothing of its MPI are guessed from; these make the guess wrong.
MISLEADING = {"mpich": ["OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0"],
              "openmpi": ["-u", "OMPI_COMM_WORLD_SIZE", "-u", "OMPI_COMM_WORLD_RANK", "PMI_SIZE=2", "PMI_RANK=0"]}
LAUNCHERS = {"openmpi": shutil.which("mpiexec.openmpi"), "mpich": shutil.which("mpiexec.mpich")}


def started(launcher, *words, program=PROGRAM, **variables):
    """On two ranks."""
    return subprocess.run([MPIRUN, launcher, "2", program, *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **variables})


def library_of(mpi):
    """The path of an MPI that the system's loader finds."""
    for name in LIBRARIES[mpi]:
        code = f"import ctypes; ctypes.CDLL('{name}'); print(*open('/proc/self/maps'))"
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        for word in found.stdout.split():
            if word.startswith("/") and Path(word).name.startswith(name):
                return Path(word)
    raise unittest.SkipTest(f"the loader finds no {mpi}")


def complaints(done):
    return [line for line in done.stderr.splitlines() if line.startswith("shardfft:")]


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

    def no_libraries(self):
        """A folder for LD_LIBRARY_PATH in which no MPI can be loaded."""
        fakes = self.folder / "fakes"
        fakes.mkdir()
        for name in sum(LIBRARIES.values(), []):
            (fakes / name).write_text("no library")
        return fakes

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
        fakes = self.no_libraries()
        for name, launcher in self.each():
            # Only the program sees them: a launcher needs its own libraries.
            done = started(launcher, f"LD_LIBRARY_PATH={fakes}", PROGRAM, *self.words, program="env")
            self.assertEqual(done.returncode, 2, done.stderr)
            said = complaints(done)
            self.assertEqual(len(said), 1, done.stderr)
            self.assertRegex(said[0], f"{name} need libmpi.*LD_LIBRARY_PATH")

    def test_in_a_virtual_environment_it_finds_the_mpi_there(self):
        fakes, environment = self.no_libraries(), self.folder / "environment"
        package = environment / "lib" / "python3" / "site-packages" / "shardfft"
        shutil.copytree(PROGRAM.parent, package / "bin")
        for library in [*PROGRAM.parents[1].rglob("*.so*")]:
            shutil.copy(library, package)
        for name, launcher in self.each():
            (environment / "lib" / LIBRARIES[name][0]).symlink_to(library_of(name))
            done = started(launcher, f"LD_LIBRARY_PATH={fakes}", package / "bin" / PROGRAM.name, *self.words,
                           program="env")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(json.loads(self.record.read_text())["ranks"], 2)

    def test_a_variable_says_which_mpi_it_is_where_the_launcher_misleads(self):
        for name, launcher in self.each():
            for value in (name, library_of(name)):
                done = started(launcher, *MISLEADING[name], f"SHARDFFT_MPI={value}", PROGRAM, *self.words,
                               program="env")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(json.loads(self.record.read_text())["ranks"], 2)
            wrong = started(launcher, *MISLEADING[name], PROGRAM, *self.words, program="env")
            self.assertEqual(wrong.returncode, 2, wrong.stderr)

    def test_a_wrong_value_of_that_variable_is_one_error(self):
        for _, launcher in self.each():
            for value, why in (("lam", "this is neither"), ("/nowhere/libmpi.so.12", "cannot open"),
                               (np.random.mtrand.__file__, "no MPI_Init|undefined symbol")):
                done = started(launcher, *self.words, SHARDFFT_MPI=value)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(complaints(done)), 1, done.stderr)
                self.assertRegex(complaints(done)[0], f"SHARDFFT_MPI is openmpi, mpich, abi, or .*({why}).*; unset it")

    def test_without_hdf5_its_files_are_one_error(self):
        for _, launcher in self.each():
            for words in ([f"{self.input}:/x", self.output], [self.input, f"{self.folder}/b.h5:/x"]):
                done = started(launcher, "transform", *words)
                self.assertEqual((done.returncode, len(complaints(done))), (2, 1), done.stderr)
                self.assertIn("need HDF5, which this build has not", complaints(done)[0])
            self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def test_an_error_of_one_rank_ends_all(self):
        words = [str(word) for word in self.words]
        absent = [word.replace("in.npy", "absent.npy") for word in words]
        for _, launcher in self.each():
            for bad in (["env", "SHARDFFT_MPI=lam", PROGRAM, *words], [PROGRAM, *absent],
                        ["sh", "-c", "kill -9 $$"]):
                for first, second in ((bad, [PROGRAM, *words]), ([PROGRAM, *words], bad)):
                    done = subprocess.run([MPIRUN, launcher, "1", *first, ":", "-n", "1", *second], timeout=60,
                                          capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
                    self.assertNotEqual(done.returncode, 0, done.stderr)
                    if bad[0] != "sh":
                        self.assertEqual((done.returncode, len(complaints(done))), (2, 1), done.stderr)

    def test_it_says_which_plug_in_is_missing(self):
        place = self.folder / "moved"
        shutil.copytree(PROGRAM.parents[1], place, symlinks=True)
        program = place / PROGRAM.relative_to(PROGRAM.parents[1])
        for abi in place.rglob("shardfft_mpi_abi.so"):  # it would serve for the missing one
            abi.unlink()
        for name, launcher in self.each():
            other = {"openmpi": "mpich", "mpich": "openmpi"}[name]
            plugin = next(place.rglob(f"shardfft_mpi_{name}.so"))
            hidden = plugin.rename(self.folder / plugin.name)
            done = started(launcher, *self.words, program=program)
            hidden.rename(plugin)
            self.assertEqual(done.returncode, 2, done.stderr)
            said = complaints(done)
            self.assertEqual(len(said), 1, done.stderr)
            self.assertRegex(said[0], f"part for {name}; this shardfft was built for {other}|without MPI")


if __name__ == "__main__":
    unittest.main()
