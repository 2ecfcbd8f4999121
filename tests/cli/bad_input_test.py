"""Bad input: exit status 2, one line on stderr with the rule and what it got, and no file is left."""
import os
import resource
import subprocess
import unittest

import numpy as np

from program import InFolder, LIMIT_S, command, environment, needs_launcher, own_lines, run


class BadInput(InFolder):
    def refused(self, *words, says, ranks=0):
        before = sorted(os.listdir(self.folder))
        done = run(*words, ranks=ranks, cwd=self.folder)
        what = f"{' '.join(map(str, words))}: {done.returncode} {done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, 2, what)
        self.assertEqual(len(own_lines(done.stderr)), 1, what)
        if not ranks:
            self.assertEqual(len(done.stderr.splitlines()), 1, what)
            self.assertEqual(done.stdout, "", what)
        for part in says:
            self.assertIn(part, done.stderr, what)
        self.assertEqual(sorted(os.listdir(self.folder)), before, what)
        return done

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def header(self, text, name="h.npy", version=1):
        body = text.encode() + b"\n"
        self.write(
            name, b"\x93NUMPY" + bytes([version, 0]) + len(body).to_bytes(2 if version == 1 else 4, "little") + body +
            bytes(64))

    def test_the_input_cannot_be_opened(self):
        self.refused("transform", "absent.npy", "b.npy", says=["absent.npy", "No such file", "name a .npy file"])
        self.refused("transform", ".", "b.npy", says=["it is a folder"])
        self.refused("transform", "/dev/null", "b.npy", says=["device"])

    def test_the_input_is_a_pipe_that_nobody_writes_to(self):
        os.mkfifo(self.path("pipe.npy"))
        self.refused("transform", "pipe.npy", "b.npy", says=["pipe.npy", "device or pipe"])

    @needs_launcher
    def test_the_input_of_several_ranks_is_a_pipe(self):
        os.mkfifo(self.path("pipe.npy"))
        self.refused("transform", "pipe.npy", "b.npy", ranks=3, says=["pipe.npy", "device or pipe"])

    def test_figures_have_a_file_of_their_own_that_can_be_written(self):
        """Seen before anything is computed: there is no output either."""
        self.save("a.npy", np.ones(4))
        for option in ["--json", "--trace"]:
            self.refused("transform", "a.npy", "b.npy", option, "no/such.json",
                         says=[option, "no/such.json", "No such file"])
            self.refused("transform", "a.npy", "b.npy", option, ".", says=[option, "it is a folder"])
            self.refused("transform", "a.npy", "b.npy", option, "./b.npy", says=[option, "file of its own", "OUT"])
            self.refused("transform", "a.npy", "b.npy", option, os.path.join(self.folder, "a.npy"),
                         says=[option, "file of its own", "IN"])
            self.refused("bench", "--shape", "4x4", option, "no/such.json",
                         says=[option, "no/such.json", "No such file"])
        os.symlink("a.npy", self.path("link.npy"))
        self.refused("transform", "a.npy", "b.npy", "--json", "link.npy", says=["--json", "IN"])
        self.refused("transform", "a.npy", "b.npy", "--json", "t.json", "--trace", "t.json", says=["--trace", "--json"])
        self.refused("tune", "--shape", "4x4", "--json", "no/such.json",
                     says=["--json", "no/such.json", "No such file"])
        np.testing.assert_array_equal(self.load("a.npy"), np.ones(4))

    def test_standard_output_is_full(self):
        self.save("a.npy", np.ones(4))
        for words in [["info"], ["--version"], ["explain", "--shape", "4x4"],
                      ["explain", "--shape", "4x4", "--json", "-"], ["transform", "a.npy", "b.npy"],
                      ["transform", "--help"]]:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                done = subprocess.run(command(*words), stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S,
                                      cwd=self.folder, env=environment())
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("standard output must take what is printed; it cannot: No space left", done.stderr)

    def test_a_file_may_not_grow_so_long(self):
        """The limit's signal, SIGXFSZ, would end the program without a word, and leave the partial file."""
        self.save("a.npy", np.ones(10000))
        before = sorted(os.listdir(self.folder))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for words, file in [(["transform", "a.npy", "b.npy"], "b.npy"),
                            (["bench", "--shape", "4x4", "--json", "j.json"], "j.json")]:
            with self.subTest(words=words):
                done = subprocess.run(command(*words), preexec_fn=limit, capture_output=True, text=True,
                                      timeout=LIMIT_S, cwd=self.folder, env=environment())
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"'{file}' cannot grow", done.stderr)
                self.assertIn("File too large; raise the limit", done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_the_output_has_no_name_or_is_a_circle_of_links(self):
        self.save("a.npy", np.ones(4))
        self.refused("transform", "a.npy", "", says=["has no name", "name a .npy file"])
        os.symlink("loop.npy", self.path("loop.npy"))
        self.refused("transform", "a.npy", "loop.npy", says=["loop.npy", "circle of links"])

    def test_the_input_is_no_npy_file(self):
        self.write("text.npy", b"hello, world, this is text")
        self.refused("transform", "text.npy", "b.npy", says=["text.npy", "must be a NumPy .npy file", "numpy.save"])
        self.write("empty.npy", b"")
        self.refused("transform", "empty.npy", "b.npy", says=["it is empty"])
        np.savez(self.path("zip.npy"), a=np.ones(3))
        os.rename(self.path("zip.npy.npz"), self.path("zip.npy"))
        self.refused("transform", "zip.npy", "b.npy", says=[".npz"])

    def test_the_input_is_cut_off(self):
        self.save("a.npy", np.ones((10, 10)))
        for size in [7, 11, 50, 128, 500, 927]:
            with open(self.path("a.npy"), "rb") as file:
                self.write("cut.npy", file.read(size))
            self.refused("transform", "cut.npy", "b.npy", says=["cut.npy", "cut off"])

    def test_the_header_is_of_an_unknown_version(self):
        self.write("v.npy", b"\x93NUMPY\x04\x00" + bytes(100))
        self.refused("transform", "v.npy", "b.npy", says=["1.0, 2.0 and 3.0", "got 4.0"])

    def test_the_header_is_malformed(self):
        good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
        for text in [
                "", "{", "[1, 2]", good[:-3], good + " x",
                good.replace("False", "false"),
                good.replace("(2, 2)", "2"),
                good.replace("(2, 2)", "(4)"),
                good.replace("(2, 2)", "[2, 2]"),
                good.replace("(2, 2)", "(02, 2)"),
                good.replace("(2, 2)", "(2, -2)"),
                good.replace("(2, 2)", "(2, 99999999999999999999)"),
                good.replace("'shape'", "'form'"), "{'descr': '<f8'}",
                good.replace("'<f8'", "__import__('os')")
        ]:
            with self.subTest(text=text):
                self.header(text)
                self.refused("transform", "h.npy", "b.npy", says=["h.npy", "malformed .npy header"])

    def test_only_headers_of_python_2_have_long_integers(self):
        self.header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }", version=3)
        self.refused("transform", "h.npy", "b.npy", says=["malformed .npy header"])

    def test_the_header_claims_more_than_can_be(self):
        self.header("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000), }")
        self.refused("transform", "h.npy", "b.npy", says=["2^63"])
        self.header("{'descr': '<c16', 'fortran_order': False, 'shape': (1000000, 1000000, 600000), }")
        self.refused("transform", "h.npy", "b.npy", says=["2^63"])
        self.write("long.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100))
        self.refused("transform", "long.npy", "b.npy", says=["at most", "damaged"])

    def test_elements_that_are_no_numbers(self):
        for array, dtype in [(np.array(["a", "b"]), "<U1"), (np.array([b"a"]), "|S1"),
                             (np.array(["2020-01-01"], "M8[D]"), "M8"), (np.ones(3, np.longdouble), "f16"),
                             (np.ones(3, [("re", "f4"), ("im", "f4")]), "record")]:
            with self.subTest(dtype=dtype):
                self.save("a.npy", array)
                self.refused("transform", "a.npy", "b.npy", says=["'a.npy': elements must be", dtype])

    def test_arrays_without_points_or_with_too_many_dimensions(self):
        self.save("a.npy", np.float64(3))
        self.refused("transform", "a.npy", "b.npy", says=["'a.npy': ", "at least 1 dimension", "0-dimensional"])
        self.save("a.npy", np.ones((3, 0, 2)))
        self.refused("transform", "a.npy", "b.npy", says=["'a.npy': ", "at least 1 point", "3 x 0 x 2"])
        self.save("a.npy", np.ones((1,) * 9))
        self.refused("transform", "a.npy", "b.npy", says=["'a.npy': ", "at most 8 dimensions", "got 9"])

    def test_axes_that_make_no_sense(self):
        self.save("a.npy", np.ones((4, 4, 4)))
        for axes, says in [("0,0", "each axis once"), ("0,-3", "each axis once"), ("3", "from -3 to 2"),
                           ("-4", "from -3 to 2"), ("a", "numbers joined by commas"), ("0,", "numbers joined"),
                           ("0 1", "numbers joined"), ("0,1,2,0,1", "each axis once")]:
            with self.subTest(axes=axes):
                self.refused("transform", "a.npy", "b.npy", f"--axes={axes}", says=["'a.npy': ", says, axes])

    def test_words_that_do_not_exist(self):
        self.save("a.npy", np.ones((4, 4)))
        for option in [
                "--kind", "--precision", "--direction", "--norm", "--transport", "--engine", "--decomposition",
                "--input", "--output", "--ranks-grid"
        ]:
            with self.subTest(option=option):
                self.refused("transform", "a.npy", "b.npy", option, "nonsense", says=["nonsense"])
        self.refused("transform", "a.npy", "b.npy", "--threads", "-3", says=["--threads", "-3"])
        for option, value, says in [("--threads", "65537", "from 0 to 65536"), ("--chunks", "65", "from 0 to 64"),
                                    ("--tile", "257", "from 0 to 256"), ("--fuse", "3", "from -1 to 2")]:
            self.refused("transform", "a.npy", "b.npy", option, value, says=[option, says, value])
        self.refused("transform", "a.npy", "b.npy", "--threads", "two", says=["two"])

    def test_numbers_that_are_none_or_too_large(self):
        """Whichever option it is, with the rule and the remedy."""
        self.save("a.npy", np.ones((4, 4)))
        for command in ["bench", "explain"]:
            for option in ["--threads", "--chunks", "--tile", "--fuse", "--ranks"]:
                for word in ["x", "1.5", "4,5", "4x", "-"]:
                    self.refused(
                        command, "--shape", "4x4", f"{option}={word}", says=[
                            option, f"must be a whole number; got '{word}'; write it in digits", "leave the option out",
                            f"shardfft {command} --help"
                        ])
                for word in ["99999999999", "-99999999999", "99999999999999999999999"]:
                    self.refused(
                        command, "--shape", "4x4", f"{option}={word}",
                        says=[option, f"from -2147483648 to 2147483647; got '{word}'; write one in that range"])
            for option in ["--tolerance", "--tune-seconds"]:
                for word in ["x", "1e", "1,5", "1e-6s"]:
                    self.refused(command, "--shape", "4x4", f"{option}={word}",
                                 says=[option, f"must be a number; got '{word}'; write it in digits"])
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", "99999999999999999999",
                     says=["--real-length", "9223372036854775807; got '99999999999999999999'"])
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", "six",
                     says=["--real-length", "must be a whole number; got 'six'"])
        self.refused("tune", "--shape", "4x4", "--limit", "soon", says=["--limit", "must be a number; got 'soon'"])

    def test_more_threads_than_can_be_started(self):
        """Where the limits are that wide, by a limit on memory, of which every thread's stack takes some."""
        limited_to_4_gb = ["sh", "-c", 'ulimit -v 4000000 && exec "$@"', "-"]
        if subprocess.run([*limited_to_4_gb, *command("--version")], capture_output=True, timeout=LIMIT_S,
                          check=False).returncode != 0:
            self.skipTest("the program does not run with a limit on memory, as with the address sanitizer")
        self.save("a.npy", np.ones((4, 4)))
        for words in [("bench", "--shape", "4x4"), ("transform", "a.npy", "b.npy")]:
            limited = subprocess.run([*limited_to_4_gb, *command(*words, "--threads", 30000)], capture_output=True,
                                     text=True, timeout=LIMIT_S, cwd=self.folder, env=environment())
            self.assertEqual(limited.returncode, 2, limited.stderr)
            self.assertEqual(len(limited.stderr.splitlines()), 1, limited.stderr)
            self.assertRegex(
                limited.stderr,
                r"threads must be as many as a rank can start; got 30000, of which \d+ could be started .*; take "
                r"fewer, or 0"
            )
            self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_an_option_without_its_value(self):
        """Not silently what it would be without the option."""
        self.save("a.npy", np.ones((4, 4)))
        for option in ["--axes", "--kind", "--norm", "--input", "--engine", "--json"]:
            with self.subTest(option=option):
                self.refused("transform", "a.npy", "b.npy", option, "",
                             says=[option, "must have a value; got an empty one; leave the option out"])
                self.refused("transform", "a.npy", "b.npy", f"{option}=", says=[option])
        self.refused("bench", "--shape", "4x4", "--axes", "", says=["--axes", "must have a value"])
        self.refused("transform", "a.npy", "b.npy", "--output", "any", says=["any"])

    def test_options_and_commands_that_do_not_exist(self):
        self.refused(says=["one of transform, bench", "got none", "--help"])
        self.refused("wisdom", says=["one of list, show, forget, merge; got none; see shardfft wisdom --help"])
        self.refused("wisdom", "lst", says=["one of list, show", "got 'lst' (did you mean 'list'?)"])
        self.refused("wisdom", "merge", says=["FILE is required; see shardfft wisdom merge --help"])
        self.refused("wisdom", "list", "--al", says=["got '--al'", "see shardfft wisdom list --help"])
        self.refused("solve", "poison", "a.npy", says=["one of poisson, helmholtz; got 'poison'"])
        self.refused("transfrom", says=["one of transform, bench", "transfrom", "--help"])
        self.refused("transform", "--frobnicate", says=["--frobnicate"])
        self.refused("transform", says=["IN"])
        self.refused("transform", "a.npy", says=["OUT"])
        self.refused("transform", "a.npy", "b.npy", "c.npy", says=["c.npy"])
        self.refused("info", "--frobnicate", says=["--frobnicate", "shardfft info --help"])

    def test_real_transforms_of_what_is_not_real(self):
        self.save("a.npy", np.ones((4, 4), "c16"))
        self.refused("transform", "a.npy", "b.npy", "--kind", "r2c", says=["real", "complex128", "--kind c2c"])

    def test_half_spectra_that_do_not_fit(self):
        self.save("a.npy", np.ones((4, 5), "c16"))
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", "7",
                     says=["'a.npy': ", "8 or 9", "got 7"])
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", "-2", says=["-2"])
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", "0", says=["8 or 9", "got 0"])
        self.refused("transform", "a.npy", "b.npy", "--real-length", "0", says=["--real-length", "c2c"])
        self.refused("transform", "a.npy", "b.npy", "--real-length", "8", says=["--real-length", "c2c"])
        self.save("a.npy", np.ones((4, 1), "c16"))
        self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", says=["'a.npy': ", "--real-length 1"])
        for length in ["0", "2"]:
            self.refused("transform", "a.npy", "b.npy", "--kind", "c2r", "--real-length", length,
                         says=[f"got --real-length {length}", "pass --real-length 1"])

    def test_the_output_cannot_be_made(self):
        self.save("a.npy", np.ones((4, 4)))
        self.refused("transform", "a.npy", "absent/b.npy", says=["absent/b.npy", "No such file"])
        os.mkdir(self.path("folder"))
        self.refused("transform", "a.npy", "folder", says=["folder", "must be a file"])
        self.refused("transform", "a.npy", "/dev/full", says=["/dev/full", "must be a file"])
        self.refused("transform", "a.npy", "/proc/b.npy", says=["/proc/b.npy"])

    def test_the_output_does_not_fit_on_the_disk(self):
        """A file full of holes stands for an array that is larger than the disk. Where the disk is all of memory, it is
        larger than that, too, and that may be what is told."""
        self.header("{'descr': '<c8', 'fortran_order': False, 'shape': (%d, 1000000), }" %
                    self.elements_beyond_the_disk())
        try:
            os.truncate(self.path("h.npy"), 8 * 1000000 * self.elements_beyond_the_disk() + 4096)
        except OSError:
            self.skipTest("the file system makes no files larger than the disk")
        done = self.refused("transform", "h.npy", "b.npy", "--axes", "1", says=[])
        fits_memory = 8 * 1000000 * self.elements_beyond_the_disk() <= self.memory()
        no_disk, no_memory = "b.npy.*more room", "no room for arrays of .* use more nodes"
        self.assertRegex(done.stderr, no_disk if fits_memory else f"{no_disk}|{no_memory}")

    def memory(self):
        with open("/proc/meminfo") as file:
            return sum(1024 * int(line.split()[1]) for line in file if line.startswith(("MemTotal:", "SwapTotal:")))

    def elements_beyond_the_disk(self):
        disk = os.statvfs(self.folder)
        return disk.f_blocks * disk.f_frsize // 8000000 + 1000

    def test_the_json_file_cannot_be_written(self):
        done = run("info", "--json", "absent/x.json", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(own_lines(done.stderr)), 1)
        self.assertIn("absent/x.json", done.stderr)

    def test_shapes_of_bench_and_explain_that_make_no_sense(self):
        for command in ["bench", "explain"]:
            self.refused(command, says=["--shape"])
            for shape in ["", "0x4", "4x", "x4", "4*4", "-4x4", "4x4.5", "1x1x1x1x1x1x1x1x1", "99999999999999999999"]:
                with self.subTest(command=command, shape=shape):
                    self.refused(command, f"--shape={shape}", says=["--shape"])
            self.refused(command, "--shape", "4x4", "--layout", "sideways", says=["sideways", "transposed"])
            self.refused(command, "--shape", "4", "--layout", "transposed", says=["2 dimensions"])
        self.refused("bench", "--shape", "4x4", "--iterations", "0", says=["--iterations"])
        self.refused("explain", "--shape", "4x4", "--ranks", "0", says=["--ranks", "got 0"])
        self.refused("explain", "--shape", "4x4", "--ranks", "2", "--rank", "2", says=["--rank", "got 2"])
        self.refused("explain", "--shape", "4000000000x4000000000", says=["2^63"])

    @needs_launcher
    def test_every_rank_ends_with_status_2_and_one_of_them_speaks(self):
        self.save("a.npy", np.ones((4, 4)))
        self.refused("transform", "absent.npy", "b.npy", ranks=3, says=["absent.npy"])
        self.refused("transform", "a.npy", "absent/b.npy", ranks=2, says=["absent/b.npy"])
        self.refused("transform", "a.npy", "b.npy", "--axes", "7", ranks=2, says=["--axes"])
        self.refused("transform", "a.npy", "b.npy", "--frobnicate", ranks=3, says=["--frobnicate"])
        self.refused("bench", "--shape", "4x4", "--engine", "nonsense", ranks=2, says=["nonsense"])


if __name__ == "__main__":
    unittest.main()
