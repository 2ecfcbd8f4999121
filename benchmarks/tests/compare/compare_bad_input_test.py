"""Bad input of compare: exit status 2, one line that says the rule, what it got and the remedy; no file is left."""
import json
import os
import unittest

from fake_run import WithFakePeers


class BadInput(WithFakePeers):
    def refused(self, *words, says, **more):
        before = sorted(os.listdir(self.folder))
        done = self.compare(*words, **more)
        what = f"{' '.join(words)}: {done.returncode} {done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, 2, what)
        self.assertEqual(len([line for line in done.stderr.splitlines() if not line.startswith("left out: ")]), 1, what)
        self.assertEqual(done.stdout, "", what)
        for part in says:
            self.assertIn(part, done.stderr, what)
        self.assertEqual(sorted(os.listdir(self.folder)), before, what)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_words_that_mean_nothing(self):
        for option, word, says in [("--shapes", "8x", "--shapes"), ("--shapes", "8,,9", "joined by commas"),
                                   ("--shapes", "0", "--shapes"),
                                   ("--shapes", "8^9", "got '8^9'"),
                                   ("--axes", "3", "--axes"), ("--axes", "0,0", "each axis once"),
                                   ("--axes", "first", "write for example --axes 0,1,2"),
                                   ("--kinds", "c2r", "c2c, r2c"),
                                   ("--precisions", "f16", "f64, f32"),
                                   ("--layouts", "sideways", "natural, transposed, pencils, bricks"),
                                   ("--ranks", "2x1x1", "ranks x threads"), ("--ranks", "0", "ranks x threads"),
                                   ("--call", "worst", "best, default"), ("--with", "nonsense", "fftw_mpi"),
                                   ("--launches", "0", "--launches"), ("--launches", "many", "many"),
                                   ("--iterations", "0", "--iterations"), ("--warmup", "-1", "--warmup"),
                                   ("--time-limit", "0", "--time-limit"), ("--seed", "0", "--seed"),
                                   ("--seed", "-1", "from 1 to 9223372036854775807"),
                                   ("--seed", "18446744073709551615", "--seed"),
                                   ("--batches", "0", "write for example --batches 1,3"),
                                   ("--batches", "2x2", "write for example --batches 1,3"),
                                   ("--grids", "3x3", "multiply to the ranks"), ("--grids", "1", "two numbers"),
                                   ("--nodes", "0", "nodes"),
                                   ("--nodes", "2", "--nodes must be at most the ranks, here 1"),
                                   ("--max-nodes", "0", "--max-nodes"), ("--gate-by", "luck", "auto, times or ratios"),
                                   ("--frobnicate", "1", "--frobnicate")]:
            with self.subTest(option=option, word=word):
                usual = {"--shapes": "8", "--ranks": "1x1", option: word}
                self.refused(*(f"{name}={value}" for name, value in usual.items()), says=[says])

    def test_options_that_contradict_each_other(self):
        self.write("c.toml", "[[cases]]\nshapes=[8]\nranks=[1]\n")
        self.refused(says=["--shapes", "--cases"])
        self.refused("--cases", "c.toml", "--shapes", "8", says=["--cases and --shapes", "leave one out"])
        self.refused("--cases", "c.toml", "--nodes", "2", says=["--cases and --nodes"])
        self.refused("--cases", "c.toml", "--axes", "0", says=["--cases and --axes"])
        self.refused("--shapes", "8", "--study", "mine", says=["--study", "got no --cases"])
        self.write("studies.toml", "".join(f"[[cases]]\nstudy='{name}'\nshapes=[8]\nranks=[1]\n"
                                           for name in ("one", "two")))
        self.refused("--cases", "studies.toml", "--study", "tow", says=["one; two; got 'tow'", "two"])
        self.refused("--shapes", "8", "--resume", says=["--resume", "--json"])
        self.refused("--shapes", "8", "--json", "r.json", "--retry", says=["--retry", "--resume"])
        self.refused("--shapes", "8", "--json", "-", says=["--json must name a file"])
        self.refused("--shapes", "8", "results.json", says=["results.json", "--gate"])
        self.refused("--shapes", "8", "--gate-missing-ok", says=["--gate-missing-ok", "got no --gate"])

    def test_options_of_a_run_say_nothing_where_two_files_are_compared(self):
        self.results_in("b.json")
        for option in (["--launches", "3"], ["--iterations", "3"], ["--warmup", "3"], ["--plan-seconds",
                                                                                       "3"], ["--time-limit", "3"],
                       ["--seed", "1"], ["--call", "best"], ["--oversubscribe"], ["--with", "slow"], ["--shapes", "8"]):
            with self.subTest(option=option):
                self.refused("--gate", "b.json", *option, "b.json",
                             says=["with two files measures nothing", option[0], "leave it out"])

    def results_in(self, name, **change):
        """A results file of a short comparison, with what is to be changed in it."""
        done = self.compare("--with", "shardfft", "--shapes", "8", "--ranks", "1x1", "--launches", "1", "--iterations",
                            "1", "--json", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write(name, json.dumps({**self.results(name), **change}))

    def test_folders_are_no_files(self):
        os.mkdir(self.path("folder"))
        self.results_in("b.json")
        self.refused("--shapes", "8", "--ranks", "1x1", "--json", "folder", "--resume",
                     says=["--json", "'folder' cannot: it is a folder"])
        self.refused("--gate", "folder", "--shapes", "8", says=["--gate", "'folder': Is a directory"])
        self.refused("--gate", "b.json", "folder", says=["the results for --gate", "'folder': Is a directory"])
        self.refused("--cases", "folder", says=["--cases", "'folder': Is a directory"])

    def test_results_files_with_values_that_mean_nothing(self):
        self.results_in("b.json", machine=3)
        self.refused("--gate", "b.json", "b.json", says=["b.json", "damaged: machine must be an object"])

    def test_a_launcher_that_cannot_be_run_is_refused_before_anything_is_launched(self):
        for launcher in ("/nonexist/mpirun", "nonexist-mpirun -n", self.folder):
            with self.subTest(launcher=launcher):
                self.refused("--with", "slow", "--shapes", "8", "--ranks", "2x1", "--oversubscribe", "--json", "r.json",
                             SHARDFFT_MPIRUN=launcher,
                             says=["2 ranks need a launcher",
                                   launcher.split()[0], "SHARDFFT_MPIRUN"])

    def test_case_files_that_are_none(self):
        self.refused("--cases", "absent.toml", says=["absent.toml", "No such file"])
        for text, says in [("[[cases]\n", "line 1"), ("shapes = [8]\n", "line 1: the key must be one of"),
                           ("[[cases]]\nshapes = [8]\nranks = [1]\ncolour = 3\n", "colour"),
                           ("[[cases]]\nshapes = ['8x']\nranks = [1]\n", "shapes must be"),
                           ("[[cases]]\nranks = [1]\n", "needs shapes")]:
            with self.subTest(text=text):
                self.write("c.toml", text)
                self.refused("--cases", "c.toml", says=["c.toml", says])

    def test_results_files_that_are_none_or_are_there_already(self):
        self.write("r.json", "precious")
        self.refused("--shapes", "8", "--ranks", "1x1", "--json", "r.json", says=["r.json", "--resume", "remove it"])
        self.refused("--shapes", "8", "--ranks", "1x1", "--json", "r.json", "--resume", says=["r.json", "is not one"])
        self.refused("--shapes", "8", "--ranks", "1x1", "--json", "absent/r.json", says=["absent/r.json"])
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_gate_files_that_are_none(self):
        self.refused("--gate", "absent.json", says=["--gate", "absent.json", "No such file"])
        self.write("b.json", json.dumps({"format": "shardfft-results", "format_version": 9}))
        self.refused("--gate", "b.json", says=["b.json", "format 9"])
        self.write("b.json", json.dumps({"command": "bench"}))
        self.refused("--gate", "b.json", "b.json", says=["b.json", "is not one"])

    def test_no_peers_and_no_room(self):
        self.refused("--shapes", "8", "--ranks", "1x1", says=["SHARDFFT_PEERS", "peer_shardfft"],
                     SHARDFFT_PEERS=self.folder)
        self.refused("--shapes", "8", "--ranks", "1x4096", says=["left out: 8x8x8", "--oversubscribe"])
        self.refused("--shapes", "8", "--ranks", "2x1", "--nodes", "2",
                     says=["left out: 8x8x8 c2c f64 natural 2x1 on 2 nodes: needs 2 nodes, there is 1", "--max-nodes"])
        self.refused("--shapes", "8", "--ranks", "4096x1048576",
                     says=["left out: 8x8x8 c2c f64 natural 4096x1048576: needs 4294967296 cores"])

    def test_it_is_not_started_by_a_launcher(self):
        self.refused("--shapes", "8", says=["launcher"], PMI_RANK="0", PMI_SIZE="1")


if __name__ == "__main__":
    unittest.main()
