"""filter and spectrum are NumPy's, in people's units, and the same on any number of ranks."""
import csv
import unittest

import numpy as np

from program import MPIRUN, InFolder, needs_launcher, own_lines, run


class Answers(InFolder):
    def refused(self, *words, saying, ranks=0):
        done = run(*words, cwd=self.folder, ranks=ranks)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn(saying, done.stderr)
        return done


class Filter(Answers):
    def test_words_are_numpys_products(self):
        a, spacing = self.reals(11, 9, 13), [2, 0.5, 0.5]
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n, h) for n, h in zip(a.shape, spacing)), indexing="ij")
        k2 = sum(x**2 for x in k)
        self.save("a.npy", a)
        for words, factor in {
                "--low-pass 1.6um --edge hard": k2 <= (2 * np.pi / 1.6)**2,
                "--low-pass 1500nm --edge gaussian": 0.5**(k2 / (2 * np.pi / 1.5)**2),
                "--high-pass k=1.1 --edge hard": k2 > 1.1**2,
                "--band 1.6,6 --edge hard": (k2 <= (2 * np.pi / 1.6)**2) & (k2 > (2 * np.pi / 6)**2),
                "--low-pass f=0.4 --edge butterworth:3": 1 / np.sqrt(1 + (k2 / (0.8 * np.pi)**2)**3),
                "--gaussian 0.7": np.exp(-0.245 * k2),
                "--gaussian 1,0,0.3um": np.exp(-0.5 * k[0]**2 - 0.045 * k[2]**2),
                "--derivative 1": 1j * k[1],
                "--derivative 0:2,2": -1j * k[0]**2 * k[2],
                "--laplacian": -k2,
                "--shift 1,0.25,-3um": np.exp(-1j * (k[0] + 0.25 * k[1] - 3 * k[2]))}.items():
            with self.subTest(words=words):
                self.ok("filter", "a.npy", "b.npy", *words.split(), "--spacing", "2,0.5,0.5um")
                self.assert_close(self.load("b.npy"), np.fft.ifftn(np.fft.fftn(a) * factor).real, words)

    def test_cutoffs_are_told_in_three_units(self):
        self.save("a.npy", self.reals(8, 8))
        text = self.ok("filter", "a.npy", "b.npy", "--low-pass", "10um", "--spacing", "2um").stdout
        self.assertIn("low pass: length 10 um, k = 0.628319 rad/um, f = 0.1 cycles/um\n", text)
        told = self.json("filter", "a.npy", "b.npy", "--band", "k=0.5,k=2")
        self.assertEqual((told["command"], told["apply"]), ("filter", "band k=0.5,k=2"))
        self.assertEqual((told["filter"]["high_pass"]["k"], told["filter"]["low_pass"]["k"]), (0.5, 2))

    def test_types_stay(self):
        for dtype, found in [("f4", "f4"), ("c8", "c8"), ("i2", "f8")]:
            self.save("a.npy", (10 * self.reals(6, 8)).astype(dtype))
            self.ok("filter", "a.npy", "b.npy", "--gaussian", "1")
            self.assertEqual(self.load("b.npy").dtype, np.dtype(found))

    @needs_launcher
    def test_the_same_bits_on_ranks(self):
        self.save("a.npy", self.reals(11, 9, 13))
        words = ["--band", "3,9", "--derivative", "0"]
        self.ok("filter", "a.npy", "b.npy", *words)
        for ranks in (2, 3):
            self.ok("filter", "a.npy", "c.npy", *words, ranks=ranks)
            np.testing.assert_array_equal(self.load("b.npy"), self.load("c.npy"))

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8))
        for words, saying in {
                "": "got 'none of these'", "--low-pass 10um": "in the unit of --spacing, which names none",
                "--low-pass x": "got 'x'", "--low-pass 0": "positive", "--low-pass k=-1": "positive",
                "--low-pass 3 --edge soft": "got 'soft'", "--edge butterworth:0 --low-pass 3": "from 1 to 16",
                "--band 3": "two cutoffs", "--band 3,4 --low-pass 2": "leave these out",
                "--derivative 2": "from -2 to 1", "--derivative x": "AXIS:ORDER", "--derivative 0:0": "order of 1",
                "--gaussian 1,2,3": "a value for each of 2 axes", "--gaussian 1 --spacing 0": "positive numbers",
                "--shift 1,z": "names none", "--shift z,1": "a length", "--low-pass 3s --spacing 1um": "another one of metres"}.items():
            with self.subTest(words=words):
                self.refused("filter", "a.npy", "b.npy", *words.split(), saying=saying)
        self.save("a.npy", np.asfortranarray(self.reals(6, 8)))
        self.refused("filter", "a.npy", "b.npy", "--laplacian", saying="filter takes arrays in C order")
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.load("b.npy")


class Spectrum(Answers):
    def rows(self, name="p.csv"):
        with open(self.path(name), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(lines)]

    def test_shells_are_numpys(self):
        a, b = self.reals(12, 10, 8), self.reals(12, 10, 8)
        b += a
        self.save("a.npy", a), self.save("b.npy", np.asfortranarray(b))
        self.ok("spectrum", "a.npy", "--cross", "b.npy", "--csv", "p.csv", "--spacing", "1,1,2nm")
        k = np.sqrt(sum(x**2 for x in np.meshgrid(
            *(2 * np.pi * np.fft.fftfreq(n, h) for n, h in zip(a.shape, (1, 1, 2))), indexing="ij")))
        width, volume = 2 * np.pi / 10, 12 * 10 * 16
        shell = np.floor(k / width + 1e-9).astype(int)
        first, second = np.fft.fftn(a) / a.size, np.fft.fftn(b) / a.size
        for s, row in enumerate(self.rows()):
            of = shell == s
            power, other = np.abs(first[of])**2, np.abs(second[of])**2
            cross = (first[of] * second[of].conj()).sum()
            wanted = {"shell": s, "k_lo": s * width, "k_hi": (s + 1) * width, "k_mean": k[of].mean(),
                      "length": 2 * np.pi / k[of].mean(), "modes": of.sum(),
                      "power": volume * power.mean(), "stderr": volume * power.mean() * np.sqrt(2 / of.sum()),
                      "beyond_nyquist": (s + 1) * width > np.pi / 2 + 1e-9, "power_b": volume * other.mean(),
                      "cross_re": volume * cross.real / of.sum(),
                      "correlation": cross.real / np.sqrt(power.sum() * other.sum())}
            for name, number in wanted.items():
                np.testing.assert_allclose(row[name], number, rtol=1e-12, err_msg=f"{name} of shell {s}")
        self.assertEqual(len(self.rows()), shell.max() + 1)

    def test_the_json_and_the_table_say_the_same(self):
        self.save("a.npy", self.reals(8, 8))
        told = self.json("spectrum", "a.npy", "--normalize", "sum", "--centred")
        self.ok("spectrum", "a.npy", "--normalize", "sum", "--centred", "--csv", "p.csv")
        self.assertEqual([row["power"] for row in told["shells"]], [row["power"] for row in self.rows()])
        np.testing.assert_allclose(sum(row["power"] for row in told["shells"]), np.mean(self.load("a.npy")**2))
        self.assertIn("modes", self.ok("spectrum", "a.npy").stdout)

    @needs_launcher
    def test_one_csv_on_any_number_of_ranks(self):
        for dtype in ("f4", "f8", "c8"):
            self.save("a.npy", self.reals(12, 9, 10).astype(dtype)), self.save("b.npy", self.reals(12, 9, 10))
            texts = set()
            for ranks in (0, 2, 3):
                self.ok("spectrum", "a.npy", "--cross", "b.npy", "--csv", "p.csv", "--spacing", "0.3,1,0.7",
                        ranks=ranks)
                with open(self.path("p.csv"), encoding="utf-8") as file:
                    texts.add(file.read())
            self.assertEqual(len(texts), 1, dtype)

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8)), self.save("b.npy", self.reals(6, 7)), self.save("e.npy", np.ones((0, 3)))
        for words, saying in {"--cross b.npy": "of the same shape", "--normalize p": "got 'p'", "--shells 0": "positive",
                              "--shells x": "--shells", "--csv a.npy": "a file of its own",
                              "--spacing 1,2,3": "for each of 2 axes", "--shells 1e-9": "make them wider"}.items():
            with self.subTest(words=words):
                self.refused("spectrum", "a.npy", *(["--csv", "p.csv"] if "--csv" not in words else []),
                             *words.split(), saying=saying)
        self.refused("spectrum", "e.npy", saying="an array with elements")
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.rows()


def fourier_shift(a, by):
    k = np.meshgrid(*map(np.fft.fftfreq, a.shape), indexing="ij")
    return np.fft.ifftn(np.fft.fftn(a) * np.exp(-2j * np.pi * sum(f * s for f, s in zip(k, by)))).real


class Correlate(Answers):
    def test_shifts_are_found_in_points_and_in_units(self):
        a = self.reals(15, 21, 17)
        self.save("a.npy", a), self.save("b.npy", fourier_shift(a, (1.4, -3, 0.7)))
        for ranks in (0, 2, 3) if MPIRUN else (0,):
            told = self.json("correlate", "a.npy", "b.npy", "--upsample", 10, "--spacing", "2,0.5,0.5um", ranks=ranks)
            np.testing.assert_allclose(told["shift"], (-1.4, 3, -0.7), atol=1e-9)
            np.testing.assert_allclose(told["shift_length"], (-2.8, 1.5, -0.35), atol=1e-9)
        said = self.ok("correlate", "a.npy", "b.npy", "--upsample", 10, "--spacing", "2,0.5,0.5um").stdout
        self.assertIn("moved by [-1.4, 3, -0.7] points, [-2.8, 1.5, -0.35] um", said)

    def test_the_correlation_is_numpys(self):
        a, b = self.reals(12, 10), self.reals(12, 10)
        self.save("a.npy", a), self.save("b.npy", b)
        product = np.fft.fftn(a) * np.fft.fftn(b).conj()
        for normalize, factor in [("phase", 1 / np.abs(product)), ("none", 1)]:
            self.ok("correlate", "a.npy", "b.npy", "c.npy", "--normalize", normalize)
            self.assert_close(self.load("c.npy"), np.fft.ifftn(product * factor).real, normalize)

    def test_what_is_wrong_is_one_line(self):
        self.save("a.npy", self.reals(6, 8)), self.save("b.npy", self.reals(6, 7))
        for words, saying in {"b.npy": "have one shape", "a.npy --upsample 0": "from 1 to 1000",
                              "a.npy --normalize x": "got 'x'", "a.npy --spacing 1,2,3": "for each of 2 axes"}.items():
            with self.subTest(words=words):
                self.refused("correlate", "a.npy", *words.split(), saying=saying)


class Convolve(Answers):
    def direct(self, a, k, mode):
        """Sums of shifted arrays."""
        full = np.zeros([n + m - 1 for n, m in zip(a.shape, k.shape)], np.result_type(a, k))
        for at in np.ndindex(k.shape):
            full[tuple(slice(i, i + n) for i, n in zip(at, a.shape))] += k[at] * a
        if mode == "same":
            return np.ascontiguousarray(full[tuple(slice((m - 1) // 2, (m - 1) // 2 + n)
                                                   for n, m in zip(a.shape, k.shape))])
        if mode == "circular":
            return sum(k[at] * np.roll(a, at, tuple(range(a.ndim))) for at in np.ndindex(k.shape))
        return full

    def test_each_way_is_the_sum_of_products(self):
        for shape, kernel in [((40, 30, 280), (3, 4, 5)), ((150, 600), (5, 2)), ((9000,), (31,))]:
            for dtype in ("f8", "f4", "c16"):
                a, k = self.reals(*shape).astype(dtype), self.reals(*kernel).astype(dtype)
                self.save("a.npy", a), self.save("k.npy", k)
                for mode in ("same", "full", "circular"):
                    for method in ("tiles", "spectrum"):
                        with self.subTest(shape=shape, dtype=dtype, mode=mode, method=method):
                            self.ok("convolve", "a.npy", "k.npy", "b.npy", "--mode", mode, "--method", method)
                            self.assert_close(self.load("b.npy"), self.direct(a, k, mode), f"{shape} {mode} {method}")

    def test_the_way_is_chosen_by_cost_and_told(self):
        self.save("a.npy", self.reals(64, 64, 256))
        self.save("small.npy", self.reals(3, 3, 3)), self.save("large.npy", self.reals(50, 50, 50))
        self.assertEqual(self.json("convolve", "a.npy", "small.npy", "b.npy")["method"], "tiles")
        self.assertEqual(self.json("convolve", "a.npy", "large.npy", "b.npy")["method"], "spectrum")
        self.assertIn("in tiles of 36 x 36 x 270", self.ok("convolve", "a.npy", "small.npy", "b.npy").stdout)

    @needs_launcher
    def test_the_same_bits_on_ranks(self):
        self.save("a.npy", self.reals(40, 30, 280)), self.save("k.npy", self.reals(3, 4, 5))
        for words in (["--method", "tiles"], ["--method", "spectrum"], ["--mode", "full", "--method", "spectrum"]):
            self.ok("convolve", "a.npy", "k.npy", "b.npy", *words)
            for ranks in (2, 3):
                self.ok("convolve", "a.npy", "k.npy", "c.npy", *words, ranks=ranks)
                np.testing.assert_array_equal(self.load("b.npy"), self.load("c.npy"))

    def test_deconvolution(self):
        psf = np.exp(-0.5 * (np.arange(-2, 3)[:, None]**2 + np.arange(-1, 2)**2))
        psf /= psf.sum()
        a = np.abs(self.reals(24, 20))
        self.save("a.npy", a), self.save("psf.npy", psf)
        spread = np.zeros(a.shape)
        spread[:5, :3] = psf
        h = np.fft.fftn(np.roll(spread, (-2, -1), (0, 1)))
        k = np.meshgrid(*(2 * np.pi * np.fft.fftfreq(n) for n in a.shape), indexing="ij")
        laplace = sum(2 - 2 * np.cos(x) for x in k)
        self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", "--balance", 0.01)
        self.assert_close(self.load("b.npy"),
                          np.fft.ifftn(np.fft.fftn(a) * h.conj() / (np.abs(h)**2 + 0.01 * laplace**2)).real, "Wiener")
        wanted = np.full(a.shape, 0.5)
        for _ in range(5):
            wanted *= self.direct(a / (self.direct(wanted, psf, "same") + 1e-12), psf[::-1, ::-1], "same")
        self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", "--iterations", 5)
        self.assertLess(np.max(np.abs(self.load("b.npy") - wanted)), 1e-12)

    @needs_launcher
    def test_deconvolution_on_ranks(self):
        self.save("a.npy", np.abs(self.reals(24, 20, 7))), self.save("psf.npy", np.abs(self.reals(5, 3, 3)))
        for words in (["--balance", 0.1], ["--iterations", 3]):
            self.ok("deconvolve", "a.npy", "psf.npy", "b.npy", *words)
            self.ok("deconvolve", "a.npy", "psf.npy", "c.npy", *words, ranks=3)
            np.testing.assert_allclose(self.load("c.npy"), self.load("b.npy"), rtol=1e-9)

    def test_what_is_wrong_is_one_line_and_leaves_nothing(self):
        self.save("a.npy", self.reals(6, 8)), self.save("k.npy", self.reals(3)), self.save("c.npy", self.complexes(3, 3))
        self.save("long.npy", self.reals(7, 3)), self.save("f.npy", np.asfortranarray(self.reals(6, 8)))
        for words, saying in {"convolve a.npy k.npy b.npy": "as many axes", "convolve f.npy a.npy b.npy": "C order",
                              "convolve a.npy long.npy b.npy --mode circular": "no longer than the array",
                              "convolve a.npy a.npy b.npy --mode x": "got 'x'",
                              "convolve a.npy a.npy b.npy --method x": "got 'x'",
                              "deconvolve a.npy c.npy b.npy": "are real", "deconvolve a.npy long.npy b.npy": "no longer",
                              "deconvolve a.npy a.npy b.npy --iterations=-1": "got -1",
                              "deconvolve a.npy a.npy b.npy --balance=-1": "got -1"}.items():
            with self.subTest(words=words):
                self.refused(*words.split(), saying=saying)
        self.assertEqual(self.leftovers(), [])
        with self.assertRaises(OSError):
            self.load("b.npy")


class CompareFiles(Answers):
    def test_differences_are_numpys(self):
        for dtype in ("f4", "f8", "c16", "i4"):
            a = (100 * self.reals(7, 30, 11)).astype(dtype)
            b = a.copy()
            b[2, 3, 4] += 5
            b[6, 0, 1] -= 3
            self.save("a.npy", a), self.save("b.npy", np.asfortranarray(b)), self.save("same.npy", a.copy())
            same = self.json("compare-files", "a.npy", "same.npy")
            self.assertEqual((same["equal"], same["max"], same["where"]), (True, 0, []))
            told = self.json("compare-files", "a.npy", "b.npy")
            self.assertEqual((told["equal"], told["where"]), (False, [2, 3, 4]))
            difference = (b - a).astype("c16")
            for name, number in {"max": np.abs(difference).max(), "rms": np.sqrt(np.mean(np.abs(difference)**2)),
                                 "relative": np.linalg.norm(difference) / np.linalg.norm(a.astype("c16"))}.items():
                np.testing.assert_allclose(told[name], number, rtol=1e-12, err_msg=name)
            self.assertIn("at [2, 3, 4]", self.ok("compare-files", "a.npy", "b.npy").stdout)

    def test_the_tolerance_decides_the_status(self):
        a = self.reals(9, 8)
        self.save("a.npy", a), self.save("b.npy", a * (1 + 1e-6))
        self.ok("compare-files", "a.npy", "b.npy", "--tolerance", "1.1e-6")
        self.assertEqual(run("compare-files", "a.npy", "b.npy", "--tolerance", "9e-7", cwd=self.folder).returncode, 1)
        self.refused("compare-files", "a.npy", "b.npy", "--tolerance=-1", saying="got -1")
        self.save("c.npy", a[1:])
        self.refused("compare-files", "a.npy", "c.npy", saying="have one shape")

    def test_the_hash_is_that_of_transform(self):
        self.save("a.npy", self.reals(9, 8))
        told = self.json("transform", "a.npy", "b.npy")
        self.assertEqual(self.json("compare-files", "b.npy", "b.npy")["hashes"], [told["hash"]] * 2)

    @needs_launcher
    def test_the_same_on_ranks(self):
        self.save("a.npy", self.reals(12, 9, 10)), self.save("b.npy", self.reals(12, 9, 10))
        alone = self.json("compare-files", "a.npy", "b.npy")
        for ranks in (2, 3):
            self.assertEqual(self.json("compare-files", "a.npy", "b.npy", ranks=ranks), alone)


if __name__ == "__main__":
    unittest.main()
