"""shardfft report: one page, whole or not at all; bad input is named in one line. The page itself is tested in a
browser: browser_test.py."""
import json
import os
import unittest

import made_up
from program import InFolder, needs_launcher, own_lines, run


class Report(InFolder):
    def setUp(self):
        super().setUp()
        maker = made_up.Maker(seed=self.seed)
        self.results = maker.results([maker.case([64] * 3, peers=("fftw_mpi",))])
        self.write("good.json", self.results)

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def spoilt(self, **changes):
        return {k: v for k, v in {**self.results, **changes}.items() if v is not None}

    def complaint(self, *words):
        """The one line of a run that ends with status 2, leaves no page and none that is half."""
        done = run("report", *words, "--output", "page.html", cwd=self.folder)
        lines = own_lines(done.stderr)
        self.assertEqual((done.returncode, len(lines), done.stdout), (2, 1, ""), done.stderr)
        self.assertFalse(os.path.exists(self.path("page.html")))
        self.assertEqual(self.leftovers(), [])
        return lines[0]

    def test_writes_one_page_that_names_no_other_place(self):
        self.ok("report", "good.json", "--output", "page.html")
        page = self.read("page.html")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertTrue(page.endswith("</html>\n"))
        for word in ["64³ c2c f64 natural", "fftw_mpi", "node-17", "<svg"]:
            self.assertIn(word, page)
        for word in ["http:", "https:", "src=", "@import", "url("]:
            self.assertNotIn(word, page)
        self.assertEqual(self.leftovers(), [])

    def test_a_page_that_cannot_be_written_is_refused_before_anything_is_read(self):
        for name in ["no/such.html", "good.json/x"]:
            done = run("report", "missing.json", "--output", name, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn("cannot be made", done.stderr)
            self.assertNotIn("missing.json", done.stderr)

    def test_the_same_files_give_the_same_page(self):
        self.ok("report", "good.json", "--output", "a.html")
        self.ok("report", "good.json", "--output", "b.html")
        self.assertEqual(self.read("a.html"), self.read("b.html"))

    def test_bad_files_are_named_with_what_is_wrong(self):
        broken = {
            "nothing.json": ("", "empty"), "text.json": ("hello", "holds JSON"),
            "cut.json": (json.dumps(self.results)[:-20], "holds JSON"), "list.json": ([], "shardfft-results"),
            "other.json": (self.spoilt(format="bench"), "shardfft-results"),
            "newer.json": (self.spoilt(format_version=2),
                           "format_version must be 1"), "bare.json": (self.spoilt(cases=None), "'cases'"),
            "hollow.json": (self.spoilt(cases=[]),
                            "at least one case"), "odd.json": (self.spoilt(cases=[{"shape": [4, "x"]}]), "cases[0]")
        }
        for name, (content, words) in broken.items():
            with self.subTest(name=name):
                self.write(name, content)
                said = self.complaint("good.json", name)
                self.assertIn(name, said)
                self.assertIn(words, said)

    def test_files_that_cannot_be_read_are_named(self):
        os.mkdir(self.path("folder"))
        for name in ["missing.json", "folder"]:
            with self.subTest(name=name):
                self.assertIn(name, self.complaint(name))
        self.assertIn("good.json", self.complaint("good.json", "good.json"))

    def test_a_file_that_comes_twice_is_refused_by_whatever_names(self):
        os.mkdir(self.path("sub"))
        os.symlink("good.json", self.path("link.json"))
        os.link(self.path("good.json"), self.path("second.json"))
        for name in ["sub/../good.json", "./good.json", "link.json", "second.json"]:
            with self.subTest(name=name):
                said = self.complaint("good.json", name)
                self.assertIn(name, said)
                self.assertIn("came twice, first as good.json", said)

    def test_its_own_input_is_never_the_page(self):
        os.mkdir(self.path("sub"))
        os.symlink("good.json", self.path("link.json"))
        os.link(self.path("good.json"), self.path("second.json"))
        self.write("other.json", self.results)
        before = self.read("good.json")
        for name in ["good.json", "./sub/../good.json", "link.json", "second.json"]:
            with self.subTest(name=name):
                done = run("report", "other.json", "good.json", "--output", name, cwd=self.folder)
                self.assertEqual((done.returncode, len(own_lines(done.stderr)), done.stdout), (2, 1, ""), done.stderr)
                for word in [name, "good.json", "must not replace", "name another file"]:
                    self.assertIn(word, done.stderr)
                self.assertEqual(self.read("good.json"), before)
                self.assertEqual(self.leftovers(), [])

    def test_words_that_miss_are_asked_for(self):
        self.assertIn("RESULTS", self.complaint())
        done = run("report", "good.json", cwd=self.folder)
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1))
        self.assertIn("--output", done.stderr)

    def test_a_page_that_is_there_stays_until_the_new_one_is_whole(self):
        self.write("page.html", "old")
        self.write("bad.json", "{")
        self.assertEqual(run("report", "bad.json", "--output", "page.html", cwd=self.folder).returncode, 2)
        self.assertEqual(self.read("page.html"), "old")
        self.ok("report", "good.json", "--output", "page.html")
        self.assertIn("fftw_mpi", self.read("page.html"))

    def test_a_place_that_cannot_be_written_is_bad_input(self):
        for place in ["no/such/folder/page.html", ".", "/dev/full", ""]:
            with self.subTest(place=place):
                done = run("report", "good.json", "--output", place, cwd=self.folder)
                self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
                self.assertNotIn(".npy", done.stderr, "a page is none")

    @needs_launcher
    def test_under_a_launcher_one_rank_writes(self):
        self.ok("report", "good.json", "--output", "alone.html")
        self.ok("report", "good.json", "--output", "page.html", ranks=2)
        self.assertEqual(self.read("page.html"), self.read("alone.html"))


if __name__ == "__main__":
    unittest.main()
