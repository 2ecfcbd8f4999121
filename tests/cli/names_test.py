"""Mistyped commands, options, words and environment variables: the error or warning says what was probably meant."""
import os
import unittest

import numpy as np

from program import HAS_PEERS, InFolder, needs_launcher, own_lines, run

BENCH = ["bench", "--shape", "8x8x8", "--iterations", 1, "--warmup", 0]


class Names(InFolder):
    def refused(self, meant, *words, ranks=0, variables=None):
        done = run(*words, ranks=ranks, cwd=self.folder, variables=variables)
        lines = own_lines(done.stderr)
        self.assertEqual((done.returncode, len(lines)), (2, 1), f"{words}: {done.stderr}")
        if meant:
            self.assertIn(f"(did you mean '{meant}'?)", lines[0], f"{words}")
        else:
            self.assertNotIn("did you mean", lines[0], f"{words}")

    def test_commands(self):
        close = {
            "trasnform": "transform", "Bench": "bench", "explian": "explain", "hepl": "help", "version": "--version"
        }
        for got, meant in [*close.items(), ("teapot", None)]:
            self.refused(meant, got)
        self.refused("list", "wisdom", "lst")

    def test_options(self):
        close = {"--enginee": "--engine", "--treads": "--threads", "--tolerance_linf": "--tolerance-linf"}
        for got, meant in [*close.items(), ("--teapot", None)]:
            self.refused(meant, *BENCH, got, "1")
        self.refused("--engine", *BENCH, "--engin=native")
        self.refused("--shape", "bench", "--shpae", "8x8")
        self.refused("--verify", "transform", "a.npy", "b.npy", "--verfy")

    def test_words(self):
        self.refused("native", *BENCH, "--engine", "natve")
        self.refused("shared_memory", *BENCH, "--transport", "shared-memory")
        self.refused("block_float", *BENCH, "--codec", "blockfloat", "--tolerance", "1e-3")
        self.refused("certified", *BENCH, "--guarantee", "certifed")
        self.refused("pencil", *BENCH, "--decomposition", "pencils")
        self.refused("measure", *BENCH, "--effort", "mesure")
        self.refused("transposed", *BENCH, "--layout", "transpose")
        self.refused("slabs:1", *BENCH, "--input", "slab:1")
        self.refused("pencils:2", *BENCH, "--output", "pencil:2")
        self.refused("r2c", *BENCH, "--kind", "rc2")
        self.refused("f64", *BENCH, "--precision", "f6")
        self.refused(None, *BENCH, "--engine", "teapot")

    def test_outputs_of_other_formats(self):
        """Never a .npy file that is called otherwise."""
        np.save(self.path("a.npy"), np.ones((4, 4)))
        for name in ["x.nc", "b.zarr", "b.npz", "b.NPZ", "b.mat", "b.csv", "b.tif", "b.zarr/", "c.npz:/a", "x.mat:/y",
                     "a.npy:/x"]:
            done = run("transform", "a.npy", name, cwd=self.folder)
            self.assertEqual(done.returncode, 2, name)
            rule = "the output is written as a .npy file, or HDF5 in a .h5 or .hdf5 file"
            self.assertIn(f"{rule}; got '{name}'", done.stderr)
            for words in [("solve", "poisson", "a.npy", name), ("filter", "a.npy", name, "--laplacian"),
                          ("convolve", "a.npy", "a.npy", name), ("correlate", "a.npy", "a.npy", name)]:
                done = run(*words, cwd=self.folder)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn(f"{rule}; got '{name}'", done.stderr)
            if ":" not in name:
                done = run("navier-stokes", "--shape", "8x8x8", "--reynolds", 10, "--dt", 0.1, "--until", 0.1,
                           "--every", 1, "--checkpoint", name, cwd=self.folder)
                self.assertEqual(done.returncode, 2, name)
                self.assertIn(f"the output is written as a .npy file; got '{name}'", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.npy"])
        for name in ["b", "b.npy", "b.dat", "b.1"]:
            self.ok("transform", "a.npy", name)

    def test_words_of_compare(self):
        close = [("--kinds", "rc2", "r2c"), ("--layouts", "pencil", "pencils")]
        if HAS_PEERS:
            close.append(("--with", "fftw-mpi", "fftw_mpi"))
        for option, got, meant in [*close, ("--call", "bets", "best")]:
            self.refused(meant, "compare", "--shapes", "8", "--ranks", "1x1", option, got)

    def test_a_variable_that_holds_a_mistyped_word(self):
        self.refused("native", *BENCH, variables={"SHARDFFT_ENGINE": "natve"})

    def warnings(self, *words, variables, ranks=0):
        done = run(*words, ranks=ranks, cwd=self.folder, variables=variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return own_lines(done.stderr)

    def test_variables_that_do_not_exist_are_told_of_once(self):
        variables = {"SHARDFFT_THREAD": "1", "SHARDFFT_TEAPOT": "1", "SHARDFFT_TILE": "8", "SHARDFFT_EMPTY": ""}
        lines = self.warnings(*BENCH, variables=variables)
        self.assertEqual(len(lines), 2, lines)
        of_thread, of_teapot = sorted(lines, key=lambda line: "TEAPOT" in line)
        self.assertRegex(of_thread, r"SHARDFFT_THREAD .*\(did you mean 'SHARDFFT_THREADS'\?\)")
        self.assertRegex(of_teapot, "SHARDFFT_TEAPOT (?!.*did you mean)")

    def test_commands_without_a_plan_warn_too(self):
        self.assertEqual(len(self.warnings("info", variables={"SHARDFFT_ENGIN": "fftw"})), 1)

    @needs_launcher
    def test_only_the_first_rank_warns(self):
        self.assertEqual(len(self.warnings(*BENCH, ranks=3, variables={"SHARDFFT_ENGIN": "fftw"})), 1)


if __name__ == "__main__":
    unittest.main()
