"""The page of `shardfft report` in Chromium: it is whole, right, readable on a phone, and asks for nothing.

Environment: SHARDFFT (the program); SHARDFFT_SCREENSHOTS, a folder for pictures to look at (optional).
"""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import unittest

import made_up
from browser import CONTRAST, MISPLACED, ON_CELLS, OVERLAPS, Browser

SIZES_AND_SCHEMES = [(1280, "light"), (1280, "dark"), (768, "light"), (360, "light"), (360, "dark"), (320, "light")]


def setUpModule():
    global browser, folder
    folder = tempfile.TemporaryDirectory(prefix="shardfft-browser-")
    browser = Browser()


def tearDownModule():
    browser.close()
    folder.cleanup()


def in_folder(name, text):
    path = pathlib.Path(folder.name) / name
    path.write_text(text, encoding="utf-8")
    return path


def report(name, *results):
    """The page that the program makes of them."""
    files = [in_folder(f"{name}-{i}.json", json.dumps(r)) for i, r in enumerate(results)]
    page = pathlib.Path(folder.name) / f"{name}.html"
    subprocess.run([os.environ["SHARDFFT"], "report", *files, "--output", page], check=True, timeout=120)
    return page


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = made_up.Maker().everything()
        cls.page = report("one", cls.results)
        cls.survey = report("survey", made_up.Maker().survey())
        cls.both = report("both", cls.results, made_up.Maker("node-18", seed=8).everything())

    def test_asks_for_nothing_and_the_console_stays_empty(self):
        for page in [self.page, self.both, self.survey]:
            browser.open(page)
            self.assertEqual(set(browser.requests()) - {"data:,"}, {page.as_uri()})
            self.assertEqual(browser.console(), [])

    def test_never_is_wider_than_the_window(self):
        for page in [self.page, self.both, self.survey]:
            for width, scheme in SIZES_AND_SCHEMES:
                with self.subTest(page=page.name, width=width, scheme=scheme):
                    browser.open(page, width, scheme)
                    self.assertLessEqual(browser.overflow(), 0)
                    self.picture(f"{page.stem}-{width}-{scheme}")

    def picture(self, name):
        if "SHARDFFT_SCREENSHOTS" in os.environ:
            browser.screenshot(pathlib.Path(os.environ["SHARDFFT_SCREENSHOTS"]) / f"{name}.png")

    def test_no_label_lies_on_another_and_nothing_leaves_its_box(self):
        for page in [self.page, self.both, self.survey]:
            for width in (1280, 360):
                with self.subTest(page=page.name, width=width):
                    browser.open(page, width)
                    self.assertEqual(browser.ask(OVERLAPS)[:5], [])
                    self.assertEqual(browser.ask(MISPLACED)[:5], [])

    def test_texts_and_marks_have_contrast_in_both_schemes(self):
        for page in [self.page, self.survey]:
            for scheme in ("light", "dark"):
                with self.subTest(page=page.name, scheme=scheme):
                    browser.open(page, 1280, scheme)
                    self.assertEqual(browser.ask(CONTRAST), [])

    def test_numbers_in_the_map_have_contrast_with_their_cells(self):
        for scheme in ("light", "dark"):
            browser.open(self.survey, 1280, scheme)
            found = browser.ask(ON_CELLS)
            self.assertGreaterEqual(len(found), 4)
            for shade, contrast in found.items():
                with self.subTest(scheme=scheme, shade=shade):
                    self.assertGreaterEqual(contrast, 4.5)

    def test_each_case_has_its_table_with_the_right_numbers_also_without_script(self):
        for script in (True, False):
            browser.open(self.page, script=script)
            tables = browser.ask(
                "return [...document.querySelectorAll('.case table')].map(t => [...t.tBodies[0].rows].map(r => "
                "[...r.cells].map(c => [c.innerText, c.dataset.v ?? null])))"
            )
            self.assertEqual(len(tables), len(self.results["cases"]))
            for case, rows in zip(self.results["cases"], tables):
                self.check_table(case, rows)

    def check_table(self, case, rows):
        self.assertEqual(len(rows), len(case["entries"]))
        by_name = {(row[0][0].split("\n")[0].strip(), row[1][0]): row for row in rows}
        for entry in case["entries"]:
            row = by_name[entry["library"], entry["call"]]
            if entry["status"] == "ok":
                self.check_figures(case, entry, row)
            else:
                self.assertIn(entry["status"], row[2][0])
                self.assertIn(entry["reason"].replace("\u0007", "\ufffd"), row[2][0])

    def check_figures(self, case, entry, row):
        s = entry["summary"]
        value = lambda i: None if row[i][1] is None else float(row[i][1])
        ratio = s["ratio_to_shardfft"]["median"] if s["ratio_to_shardfft"] else 1
        if entry["library"] == "cufft":
            ratio = self.ratio_of_turns(entry, next(e for e in case["entries"] if e["library"] == "shardfft_cuda"))
            self.assertIn("to shardfft_cuda", row[4][0])
        share = None if entry["library"] in made_up.ON_GPUS else case["limit"]["limit_s"] / s["forward_s"]["median"]
        wanted = [s["forward_s"]["median"], s["backward_s"]["median"], ratio, share, s["plan_s"], s["first_call_s"],
                  s["error_rel_l2"], s["memory_peak_bytes"], s["bytes_sent_network"], s["energy_j"]]
        for column, number in enumerate(wanted, start=2):
            if number is None:
                self.assertEqual(row[column][0], "n/a")
            else:
                self.assertAlmostEqual(value(column) / number, 1, places=9)
        for column, times in ((2, s["forward_s"]), (3, s["backward_s"])):
            median, _, least = row[column][0].split("\n")
            for shown, seconds in ((median, times["median"]), (least.removeprefix("min "), times["min"])):
                amount, unit = shown.split(" ")
                self.assertAlmostEqual(float(amount) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit] / seconds, 1, delta=0.006)

    def ratio_of_turns(self, entry, ours):
        medians = [[statistics.median(launch["forward_s"]) for launch in e["launches"]] for e in (entry, ours)]
        return statistics.median(peer / own for peer, own in zip(*medians))

    def test_shardfft_in_other_ways_is_no_peer_and_libraries_on_gpus_stand_against_it_on_one(self):
        browser.open(self.page)
        chart = browser.ask(
            "return [...document.querySelector('.top svg').querySelectorAll('text')].map(t => "
            "[...t.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data).join(''))"
        )
        rows = [i for i, text in enumerate(chart) if text.startswith("96³")]
        self.assertEqual(len(rows), 2)
        self.assertEqual([chart[i].endswith("· shardfft_cuda") for i in rows], [False, True])
        self.assertEqual([chart[i + 2] for i in rows], ["mkl", "cufft"])
        self.assertEqual(sum(text.startswith("shardfft") for text in chart), 0)

    def test_a_case_of_few_launches_says_what_its_intervals_are_and_tells_nothing_apart(self):
        for width in (1280, 320):
            browser.open(self.page, width)
            notes = browser.ask(
                "return [...document.querySelectorAll('.case')].map(s => s.querySelector('.note').innerText)")
            self.assertEqual(set(notes[:-1]), {"The intervals of this case: 94 % interval."})
            self.assertEqual(
                notes[-1],
                "The intervals of this case: least and largest of 3 launches. Launches were too few to tell libraries "
                "apart."
            )
            self.assertIn(
                "not told apart",
                browser.ask(
                    "return [...document.querySelectorAll('.top svg')][0].querySelector('rect.dot.equal').textContent"))
            self.assertEqual(
                browser.ask(
                    "const all = document.querySelectorAll('.case'); return all[all.length - "
                    "1].querySelectorAll('.faster, .slower').length"
                ), 0)

    def test_bars_are_as_long_as_the_times_they_stand_for(self):
        browser.open(self.page)
        charts = browser.ask("""return [...document.querySelectorAll('.case')].map(s =>
        [...s.querySelector('svg').querySelectorAll('rect')]
          .filter(r => !r.classList.contains('second')).map(r => [r.classList[0], r.getBoundingClientRect().width]))""")
        for case, bars in zip(self.results["cases"], charts):
            times = sorted((e["summary"]["forward_s"]["median"], e["library"].startswith("shardfft"))
                           for e in case["entries"]
                           if e["status"] == "ok")
            self.assertEqual(["ours" if ours else "peer" for _, ours in times], [kind for kind, _ in bars])
            for (seconds, _), (_, width) in zip(times, bars):
                self.assertAlmostEqual(width / bars[-1][1], seconds / times[-1][0], delta=0.01)

    def test_each_case_is_drawn_three_times_and_scaling_where_there_is_growth(self):
        browser.open(self.page)
        self.assertEqual(
            set(browser.ask(
                "return [...document.querySelectorAll('.case')].map(s => s.querySelectorAll('svg').length)")), {3})
        titles = browser.ask("return [...document.querySelectorAll('#scaling svg > title')].map(t => t.textContent)")
        self.assertTrue(any(t.startswith("Strong scaling: 512³") for t in titles), titles)
        self.assertTrue(any(t.startswith("Weak scaling: 2\u202f097\u202f152 elements per rank") for t in titles),
                        titles)

    def test_those_who_listen_are_told_what_a_drawing_and_a_table_are(self):
        browser.open(self.page)
        self.assertTrue(
            browser.ask(
                "return [...document.querySelectorAll('svg')].every(s => s.getAttribute('role') === 'img' && "
                "s.children[0].tagName === 'title' && s.children[1].tagName === 'desc')"
            ))
        self.assertTrue(
            browser.ask("return [...document.querySelectorAll('th')].every(h => ['col', 'row'].includes(h.scope))"))
        self.assertTrue(
            browser.ask(
                "return [...document.querySelectorAll('table')].every(t => t.caption && "
                "t.closest('[role=region][tabindex]'))"
            ))

    def test_a_hostile_text_stays_a_text(self):
        browser.open(self.page)
        self.assertEqual(browser.ask("return document.scripts.length"), 1)
        self.assertTrue(browser.ask("return document.body.innerText.includes('<script>alert(\"1 & 2\")</script>')"))

    def test_a_click_on_a_head_sorts_and_leaves_failures_at_the_end(self):
        browser.open(self.page)
        column = """
            const table = document.querySelectorAll('.case table')[2];
            table.tHead.rows[0].cells[arguments[0]].querySelector('button').click();
            const value = row => row.cells[arguments[0]]?.dataset.v ?? row.cells[2].dataset.v ?? null;
            return [...table.tBodies[0].rows].map(value)"""
        for index in (2, 6):
            for reverse in (False, True):
                values = browser.ask(column, index)
                numbers = [float(v) for v in values if v is not None]
                self.assertEqual(numbers, sorted(numbers, reverse=reverse))
                self.assertEqual(values[len(numbers):], [None] * 4)
        names = browser.ask(
            "const t = document.querySelectorAll('.case table')[2]; "
            "t.tHead.rows[0].cells[0].querySelector('button').click(); return [...t.tBodies[0].rows].map(r => "
            "r.cells[0].textContent)"
        )
        self.assertEqual(names, sorted(names))

    def test_two_files_stand_side_by_side_under_their_names(self):
        browser.open(self.both)
        rows = browser.ask(
            "return [...document.querySelectorAll('.case table')[0].tBodies[0].rows].map(r => r.cells[0].innerText)")
        self.assertEqual(len(rows), 2 * len(self.results["cases"][0]["entries"]))
        self.assertEqual(sum("both-0" in r for r in rows), sum("both-1" in r for r in rows))
        self.assertIn("node-18", browser.ask("return document.querySelector('#origin').innerText"))


class TheTestsThemselves(unittest.TestCase):
    """Each of the questions above finds a page that is broken in its way."""

    def broken(self, body, width=1280):
        browser.open(in_folder("broken.html", f"<!DOCTYPE html><body style='background:#fff;color:#000'>{body}</body>"),
                     width)

    def test_see_an_error_on_the_console(self):
        self.broken("<script>throw new Error('oh')</script>")
        self.assertTrue(any("oh" in line for line in browser.console()))

    def test_see_a_request_that_leaves_the_page(self):
        self.broken("<img src='http://127.0.0.1:9/picture.png'>")
        self.assertIn("http://127.0.0.1:9/picture.png", browser.requests())

    def test_see_that_a_page_is_too_wide(self):
        self.broken(
            "<meta name='viewport' content='width=device-width, initial-scale=1'><div "
            "style='width:361px;margin-left:-8px'>x</div><pre style='position:absolute;left:350px;width:100px'>x</pre>",
            360)
        self.assertGreater(browser.overflow(), 0)

    def test_see_labels_that_overlap_and_parts_that_leave_their_box(self):
        self.broken(
            "<div style='width:300px;overflow:hidden'><svg viewBox='0 0 300 100' "
            "style='width:300px'><title>t</title><text x='10' y='50'>first</text>"
            "<text x='20' y='52'>second</text><rect x='290' y='5' width='30' height='9'/></svg></div>")
        self.assertEqual(browser.ask(OVERLAPS), ["t: first | second"])
        self.assertEqual(browser.ask(MISPLACED), ["t: rect  leaves its box"])

    def test_see_a_pale_text(self):
        self.broken("<p style='color:#999'>pale</p><p>strong</p>")
        self.assertEqual(len(browser.ask(CONTRAST)), 1)


if __name__ == "__main__":
    unittest.main()
