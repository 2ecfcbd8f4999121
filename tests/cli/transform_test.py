"""shardfft transform is numpy.fft, for any type, order, kind, axes and number of ranks."""
import itertools
import os
import unittest

import numpy as np

from program import InFolder, needs_launcher, own_lines, run


def numpy_transform(a, kind="c2c", direction=None, axes=None, norm=None, n=None):
    """What numpy.fft gives, in the precision that NumPy 2 gives (NumPy 1 always computes in double)."""
    wide = np.asarray(a).astype("c16" if np.iscomplexobj(a) else "f8")
    single = a.dtype.newbyteorder("=") in (np.float16, np.float32, np.complex64)
    axes = axes if axes is not None else tuple(range(a.ndim))
    direction = direction or ("backward" if kind == "c2r" else "forward")
    if kind == "c2c":
        out = (np.fft.fftn if direction == "forward" else np.fft.ifftn)(wide, axes=axes, norm=norm)
        return out.astype("c8" if single else "c16")
    if kind == "r2c" and direction == "forward":
        return np.fft.rfftn(wide, axes=axes, norm=norm).astype("c8" if single else "c16")
    shape = [a.shape[x] for x in axes]
    shape[-1] = n or 2 * (shape[-1] - 1)
    return np.fft.irfftn(wide, s=shape, axes=axes, norm=norm).astype("f4" if single else "f8")


class TransformIsNumpy(InFolder):
    def check(self, a, *words, ranks=0, **numpy_words):
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", *words, ranks=ranks)
        what = f"{a.dtype} {a.shape} {words} on {ranks or 1} ranks"
        self.assert_close(self.load("b.npy"), numpy_transform(a, **numpy_words), what)

    def test_every_byte_of_a_bool_but_0_is_true(self):
        """As np.load and numpy.fft count it; c2c, r2c and single precision."""
        a = self.random.integers(0, 4, (6, 35), dtype="u1").view("?")
        self.save("a.npy", a)
        truth = self.load("a.npy") != 0
        self.ok("transform", "a.npy", "b.npy")
        self.assert_close(self.load("b.npy"), np.fft.fftn(truth), "c2c")
        self.ok("transform", "a.npy", "b.npy", "--kind", "r2c")
        self.assert_close(self.load("b.npy"), np.fft.rfftn(truth), "r2c")
        self.ok("transform", "a.npy", "b.npy", "--precision", "f32")
        self.assert_close(self.load("b.npy"), np.fft.fftn(truth).astype("c8"), "f32")

    def test_every_number_type_in_both_byte_orders(self):
        whole = self.random.integers(-100, 100, (6, 5, 7))
        for code in ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]:
            for order in "<>":
                with self.subTest(code=code, order=order):
                    self.check(whole.astype(code).astype(np.dtype(code).newbyteorder(order)))
        for code, order in itertools.product(["c8", "c16"], "<>"):
            with self.subTest(code=code, order=order):
                self.check(self.complexes(6, 5, 7).astype(order + code))

    def test_extreme_numbers_of_each_type_are_read_right(self):
        self.check(np.array([0, 1, 2**63, 2**64 - 1], "u8"))
        self.check(np.array([-2**63, 2**63 - 1, -1, 5], "i8"))
        self.check(np.array([65504, 6e-8, -6.1e-5, -0.0, 1 / 3], "f2"))
        self.check(np.array([True, False, True, True]))

    def test_one_to_five_dimensions_with_primes_and_ones(self):
        for shape in [(1,), (17,), (1000,), (13, 1), (1, 7, 1), (31, 12), (11, 13, 17), (3, 4, 5, 6)]:
            with self.subTest(shape=shape):
                self.check(self.complexes(*shape))
        self.check(self.complexes(2, 3, 4, 3, 5), "--axes", "1,2,3,4", axes=(1, 2, 3, 4))

    def test_fortran_order_and_every_memory_order_numpy_can_write(self):
        a = self.complexes(6, 7, 8)
        for array in [
                np.asfortranarray(a),
                a.transpose(2, 1, 0), a[::2, :, ::-1],
                np.asfortranarray(self.reals(5, 9).astype(">i4"))
        ]:
            self.check(array)

    def test_axes_in_any_number_order_and_sign(self):
        a = self.complexes(4, 5, 6, 7)
        for axes in [(0,), (3,), (-1,), (1, 2), (2, 0), (3, 1, 0), (-1, -3), (0, 1, 2, 3), (3, 2, 1, 0)]:
            with self.subTest(axes=axes):
                text = ",".join(map(str, axes))
                self.check(a, f"--axes={text}", axes=axes)

    def test_axes_that_start_with_a_minus_may_follow_a_blank(self):
        self.check(self.complexes(4, 5), "--axes", "-1", axes=(-1,))

    def test_backward_is_ifftn(self):
        self.check(self.complexes(9, 10, 4), "--direction", "backward", direction="backward")
        self.check(self.reals(9, 10), "--direction", "backward", direction="backward")

    def test_r2c_is_rfftn_for_even_odd_and_one_long_real_axes(self):
        for shape in [(8,), (7,), (1,), (6, 5), (5, 6), (4, 3, 1), (7, 6, 5)]:
            with self.subTest(shape=shape):
                self.check(self.reals(*shape), "--kind", "r2c", kind="r2c")
        self.check(self.reals(5, 6, 7), "--kind", "r2c", "--axes", "2,0", kind="r2c", axes=(2, 0))
        self.check(self.reals(5, 6, 7, dtype="f4"), "--kind", "r2c", "--axes", "1", kind="r2c", axes=(1,))

    def test_c2r_and_r2c_backward_are_irfftn(self):
        for words in [("--kind", "c2r"), ("--kind", "r2c", "--direction", "backward")]:
            for shape in [(5,), (6, 4), (5, 6, 7)]:
                with self.subTest(words=words, shape=shape):
                    half = np.fft.rfftn(self.reals(*shape[:-1], 2 * (shape[-1] - 1)))
                    self.check(half, *words, kind="c2r")
        odd = np.fft.rfftn(self.reals(6, 9))
        self.check(odd, "--kind", "c2r", "--real-length", "9", kind="c2r", n=9)
        self.check(np.fft.rfftn(self.reals(6, 9), axes=(1, 0)), "--kind", "c2r", "--axes", "1,0", kind="c2r",
                   axes=(1, 0))
        self.check(np.array([2.5 + 0j]), "--kind", "c2r", "--real-length", "1", kind="c2r", n=1)

    def test_c2r_forward_is_irfftn_without_its_factor(self):
        half = np.fft.rfftn(self.reals(6, 10))
        self.save("a.npy", half)
        self.ok("transform", "a.npy", "b.npy", "--kind", "c2r", "--direction", "forward")
        self.assert_close(self.load("b.npy"), 60 * np.fft.irfftn(half), "c2r forward")

    def test_norm_words_are_numpys(self):
        a = self.complexes(6, 7)
        for norm in ["backward", "ortho", "forward"]:
            for direction in ["forward", "backward"]:
                self.check(a, "--norm", norm, "--direction", direction, norm=norm, direction=direction)
            self.check(a.real, "--kind", "r2c", "--norm", norm, kind="r2c", norm=norm)
            self.check(np.fft.rfftn(self.reals(6, 8)), "--kind", "c2r", "--norm", norm, kind="c2r", norm=norm)

    def test_precision_can_be_forced(self):
        a = self.complexes(6, 7)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "b.npy", "--precision", "f32")
        self.assert_close(self.load("b.npy"), np.fft.fftn(a).astype("c8"), "f32")
        self.save("a.npy", a.astype("c8"))
        self.ok("transform", "a.npy", "b.npy", "--precision", "f64")
        self.assert_close(self.load("b.npy"), np.fft.fftn(a.astype("c8").astype("c16")), "f64")

    def test_header_versions_2_and_3_are_read(self):
        a = self.complexes(4, 6)
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open(self.path("a.npy"), "wb") as file:
                np.lib.format.write_array(file, a, version=version)
            self.ok("transform", "a.npy", "b.npy")
            self.assert_close(self.load("b.npy"), np.fft.fftn(a), f"version {version}")

    def test_the_output_is_byte_for_byte_what_numpy_would_save(self):
        self.save("a.npy", self.complexes(3, 4, 5))
        self.ok("transform", "a.npy", "b.npy")
        self.save("c.npy", self.load("b.npy"))
        with open(self.path("b.npy"), "rb") as b, open(self.path("c.npy"), "rb") as c:
            self.assertEqual(b.read(), c.read())

    def test_input_and_output_may_be_the_same_file(self):
        a = self.reals(12, 11)
        self.save("a.npy", a)
        self.ok("transform", "a.npy", "a.npy")
        self.assert_close(self.load("a.npy"), np.fft.fftn(a), "in place")

    def test_an_output_that_is_a_link_is_followed_whether_its_file_is_there_or_not(self):
        a = self.random.standard_normal((6, 5))
        self.save("a.npy", a)
        os.mkdir(self.path("far"))
        for there in [False, True]:
            with self.subTest(there=there):
                if not there:
                    os.symlink("far/one.npy", self.path("first.npy"))
                    os.symlink("first.npy", self.path("second.npy"))
                done = run("transform", "a.npy", "second.npy", cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.path.islink(self.path("second.npy")) and os.path.islink(self.path("first.npy")))
                self.assertEqual(os.listdir(self.path("far")), ["one.npy"])
                np.testing.assert_allclose(self.load("far/one.npy"), np.fft.fftn(a), rtol=1e-12, atol=1e-12)

    def test_layouts_of_the_files_do_not_change_the_result(self):
        a = self.complexes(8, 6, 10)
        for layout in ["natural", "slabs:1", "slabs:-1", "pencils:0", "pencils:2", "bricks", "cyclic:1"]:
            with self.subTest(layout=layout):
                self.check(a, "--input", layout, "--output", layout)
        self.check(np.asfortranarray(a), "--input", "pencils:1")

    def test_verify_accepts_a_right_answer_and_reports_it(self):
        self.save("a.npy", self.reals(12, 10, 9))
        record = self.json("transform", "a.npy", "b.npy", "--verify", "--kind", "r2c")
        self.assertLess(0, record["error_rel_l2"])
        self.assertLess(record["error_rel_l2"], record["error_bound"])
        self.assertEqual(record["error_bound"], record["verify_limit"])
        said = run("transform", "a.npy", "b.npy", "--verify", "--kind", "r2c", cwd=self.folder).stdout
        self.assertIn(
            f"(relative L2, by random probes; this run promises at most {record['error_bound']:.2e}): verified", said)
        self.assertNotIn("verify_limit", self.json("transform", "a.npy", "b.npy"))

    def test_verify_refuses_data_with_nan_and_writes_nothing(self):
        a = self.reals(4, 5)
        a[1, 1] = np.nan
        self.save("a.npy", a)
        done = run("transform", "a.npy", "b.npy", "--verify", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NaN", own_lines(done.stderr)[0])
        self.assertEqual(os.listdir(self.folder), ["a.npy"])

    def test_json_tells_the_run(self):
        self.save("a.npy", self.reals(12, 10, 9))
        record = self.json("transform", "a.npy", "b.npy")
        self.assertEqual((record["shape"], record["kind"], record["precision"], record["ranks"]),
                         ([12, 10, 9], "c2c", "f64", 1))
        for key in [
                "recipe", "seconds", "phases_s", "hash", "bytes_moved_memory", "bytes_sent_network", "messages_sent",
                "memory_peak_bytes", "version"
        ]:
            self.assertIn(key, record)

    def test_json_replaces_a_file_as_a_whole(self):
        self.save("a.npy", np.ones(4))
        with open(self.path("t.json"), "w") as file:
            file.write("old")
        os.link(self.path("t.json"), self.path("kept.json"))
        self.assertEqual(run("transform", "a.npy", "b.npy", "--json", "t.json", cwd=self.folder).returncode, 0)
        with open(self.path("kept.json")) as file:
            self.assertEqual(file.read(), "old")
        with open(self.path("t.json")) as file:
            self.assertIn('"command": "transform"', file.read())

    def test_quiet_prints_nothing_and_without_it_there_is_a_table(self):
        self.save("a.npy", self.reals(12, 10))
        self.assertEqual(self.ok("transform", "a.npy", "b.npy", "--quiet").stdout, "")
        self.assertIn("hash", self.ok("transform", "a.npy", "b.npy").stdout)


@needs_launcher
class TransformOnSeveralRanks(InFolder):
    def outputs(self, a, *words):
        self.save("a.npy", a)
        texts = []
        for ranks in [0, 1, 2, 3]:
            record = self.json("transform", "a.npy", f"b{ranks}.npy", *words, ranks=ranks)
            with open(self.path(f"b{ranks}.npy"), "rb") as file:
                texts.append((file.read(), record["hash"]))
            self.assertEqual(record["ranks"], max(ranks, 1))
        return texts

    def test_the_same_bits_for_1_2_and_3_ranks(self):
        cases = [(self.complexes(11, 12, 13), (), numpy_transform),
                 (np.asfortranarray(self.reals(9, 10, 7, dtype=">f4")), ("--kind", "r2c"),
                  lambda a: numpy_transform(a.astype("f4"), kind="r2c")),
                 (self.reals(2, 3, 4, 5, 6), ("--axes", "3,1"), lambda a: numpy_transform(a, axes=(3, 1))),
                 (np.fft.rfftn(self.reals(5, 8)), ("--kind", "c2r"), lambda a: numpy_transform(a, kind="c2r")),
                 (self.complexes(101), (), numpy_transform),
                 (self.complexes(2,
                                 2), ("--direction", "backward"), lambda a: numpy_transform(a, direction="backward"))]
        for a, words, oracle in cases:
            with self.subTest(shape=a.shape, words=words):
                texts = self.outputs(a, *words)
                self.assertEqual(len(set(texts)), 1)
                self.assert_close(self.load("b3.npy"), oracle(a), f"{a.shape} {words}")

    def test_more_ranks_than_points(self):
        self.assertEqual(len(set(self.outputs(self.complexes(1, 2, 1)))), 1)

    def test_layouts_of_the_files_do_not_change_the_bits(self):
        a = self.complexes(8, 6, 10)
        reference = self.outputs(a)[0]
        for layout in ["slabs:2", "pencils:0", "bricks", "cyclic:1", "grid:1x3x1"]:
            self.ok("transform", "a.npy", "c.npy", "--input", layout, "--output", layout, ranks=3)
            self.assert_close(self.load("c.npy"), np.fft.fftn(a), layout)
        self.ok("transform", "a.npy", "c.npy", "--input", "natural", "--output", "pencils:2", ranks=3)
        with open(self.path("c.npy"), "rb") as file:
            self.assertEqual(file.read(), reference[0])

    def test_arrays_dealt_element_by_element_are_read_and_written_in_slabs(self):
        """Thousands of elements a rank, which lie in the file one by one: of every kind, type and order, with ranks
        that do not divide them."""
        long, wide = self.complexes(10007), self.complexes(20, 30, 21)
        cases = [
            (long, "cyclic:0", (), {}),
            (long.astype("c8"), "cyclic:0", ("--direction", "backward"), {"direction": "backward"}),
            (long.real.copy(), "cyclic:0", ("--kind", "r2c"), {"kind": "r2c"}),
            (long.real.astype("f4"), "cyclic:0", ("--kind", "r2c"), {"kind": "r2c"}),
            (long.real.astype(">i2"), "cyclic:0", ("--kind", "r2c"), {"kind": "r2c"}),
            (long, "cyclic:0", ("--kind", "c2r"), {"kind": "c2r"}),
            (wide, "cyclic:2", (), {}),
            (np.asfortranarray(wide), "cyclic:0", (), {}),
            (wide.real.copy(), "cyclic:2", ("--kind", "r2c"), {"kind": "r2c"}),
            (wide, "cyclic:-1", ("--kind", "c2r", "--real-length", "41"), {"kind": "c2r", "n": 41}),
        ]
        for i, (a, layout, words, numpy_words) in enumerate(cases):
            sides = ([*("--input", layout),
                      *("--output", layout)], ["--input", layout], ["--output", layout])[i % 3 if i > 2 else 0]
            with self.subTest(type=a.dtype, shape=a.shape, words=[*sides, *words]):
                self.save("a.npy", a)
                self.ok("transform", "a.npy", "b.npy", *sides, *words, "--verify", ranks=3)
                self.assert_close(self.load("b.npy"), numpy_transform(a, **numpy_words),
                                  f"{a.dtype} {a.shape} {sides} {words}")

    def test_what_the_environment_says_of_transforms_is_not_said_of_reading_and_writing(self):
        a = self.save("a.npy", self.complexes(9000))
        for variables in [{"SHARDFFT_CODEC": "f16"}, {"SHARDFFT_ENGINE": "fftw"},
                          {"SHARDFFT_EFFORT": "model", "SHARDFFT_CHUNKS": "3"}, {"SHARDFFT_TRANSPORT": "mpi_p2p"}]:
            for layout in ("slabs:0", "cyclic:0"):
                done = run("transform", a, f"{layout}.npy", "--input", layout, "--output", layout, ranks=3,
                           cwd=self.folder, variables=variables)
                self.assertEqual(done.returncode, 0, f"{variables}: {done.stderr}")
            self.assert_close(self.load("cyclic:0.npy"), self.load("slabs:0.npy"), str(variables))



class EmptyArrays(InFolder):
    def test_become_empty_ones_where_numpy_makes_them(self):
        """Refused where a transformed axis has no points, as by NumPy."""
        for shape, axes in [((0, 8), (1, )), ((0, 8), (0, 1)), ((8, 0), (0, )), ((3, 0, 4), (2, 0)), ((0, ), (0, )),
                            ((0, 0, 3), (2, ))]:
            for kind, of_numpy in [("c2c", np.fft.fftn), ("r2c", np.fft.rfftn), ("c2r", np.fft.irfftn)]:
                a = self.save("a.npy", np.zeros(shape, "f4"))
                done = run("transform", a, "b.npy", "--kind", kind, f"--axes={','.join(map(str, axes))}", "-q",
                           cwd=self.folder)
                if any(shape[axis] == 0 for axis in axes):
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("at least 1 point along every axis that it transforms", done.stderr)
                else:
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    want, got = of_numpy(np.load(a), axes=axes), self.load("b.npy")
                    self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))

    def test_take_the_words_of_others(self):
        self.save("a.npy", np.zeros((0, 8)))
        for words in [("--verify", ), ("--memory", "1K"), ("--apply", "lowpass:0.5"), ("--input", "cyclic:1"),
                      ("--trace", "t.json"), ("--modes", 3)]:
            record = self.json("transform", "a.npy", "b.npy", "--axes=1", *words)
            self.assertEqual(record["hash"], "0" * 16)
            self.assertEqual(list(self.load("b.npy").shape), record["shape_out"])
        done = run("transform", "a.npy", "b.npy", "--axes=1", "--apply", "lowpas:1", cwd=self.folder)
        self.assertEqual(done.returncode, 2)

    @needs_launcher
    def test_on_several_ranks(self):
        self.save("a.npy", np.zeros((0, 8)))
        self.ok("transform", "a.npy", "b.npy", "--axes=1", "--input", "pencils:1", ranks=2)
        self.assertEqual(self.load("b.npy").shape, (0, 8))


if __name__ == "__main__":
    unittest.main()
