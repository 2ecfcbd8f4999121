"""tools/documents/site makes one site of all pages. It fails at links that lead nowhere, and at pages that none leads
to."""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "tools/documents/site"
sys.path.insert(0, str(ROOT / "tools"))
from documents import markdown, site_pages

FILES = {
    "CMakeLists.txt": "project(small VERSION 1.2.3 LANGUAGES CXX)\n",
    "README.md": "# Small\n\n[Documents](docs/index.md), [code](src/a.cpp)\n",
    "docs/index.md": "# Documents\n\nThe [words](words.md).\n\n## Start\n\n| you | read |\n|---|---|\n"
                     "| go | [first](guide/first.md), [home](../README.md) |\n\n## More\n\n[examples](../examples)\n"
                     "[again](guide/first.md) [second](second.md#what-it-says-1)\n",
    "docs/words.md": "# Words\n\n*pencil*: a line of numbers\n",
    "docs/guide/first.md": "# First\n\n[Second](../second.md)\n",
    "docs/second.md": "# Second\n\n## What it says: 1\n\nA rare word: xylophone.\n",
    "src/a.cpp": "int a;\n", "examples/b.cpp": "int b;\n",
}


class Pages(unittest.TestCase):
    """What goes into a site, without making it."""

    def test_the_navigation_of_this_repository_has_every_page_of_docs_but_decisions(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = pathlib.Path(folder)
            self.assertEqual(site_pages.stage(ROOT, pages), [])
            inside = list(site_pages.navigated(site_pages.navigation(pages / "docs/index.md", pages)))
        there = {str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")
                 if page.parent.name != "decisions"}
        self.assertGreater(len(there), 50)
        self.assertEqual(there - set(inside), set())
        self.assertEqual(len(inside), len(set(inside)))

    def test_headings_have_the_anchors_that_links_use(self):
        self.assertEqual(markdown.slug("What `a` says: 1 - and 2"), "what-a-says-1---and-2")


@unittest.skipUnless(importlib.util.find_spec("mkdocs"), "no mkdocs; tools/setup site installs it")
class Site(unittest.TestCase):
    def site(self, files=(), *words):
        """Exit status, what it says, and the files of the site by name."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**FILES, **dict(files)}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            (root / "build/site/1.2.2").mkdir(parents=True)
            done = subprocess.run([sys.executable, SITE, *words, root], capture_output=True, text=True, check=False)
            made = {str(file.relative_to(root / "build/site")): file.read_text(encoding="utf-8")
                    for file in (root / "build/site").rglob("*") if file.suffix in (".html", ".json", ".cpp")}
        return done.returncode, done.stdout + done.stderr, made

    def test_holds_pages_code_and_search_beside_other_releases(self):
        status, said, made = self.site()
        self.assertEqual(status, 0, said)
        for page in ("", "docs/", "docs/words/", "docs/guide/first/", "docs/second/", "examples/"):
            self.assertIn(f"1.2.3/{page}index.html", made)
        self.assertEqual(made["1.2.3/src/a.cpp"], "int a;\n")
        self.assertEqual(made["1.2.3/examples/b.cpp"], "int b;\n")
        found = [entry["location"] for entry in json.loads(made["1.2.3/search/search_index.json"])["docs"]
                 if "xylophone" in entry["text"]]
        self.assertEqual(found, ["docs/second/#what-it-says-1"])
        self.assertEqual([entry["version"] for entry in json.loads(made["versions.json"])], ["1.2.3", "1.2.2"])
        self.assertIn("url=1.2.3/", made["index.html"])
        order = re.findall(r'href="(?:docs/)?(guide/first|second|words)/" class="md-nav__link"',
                           made["1.2.3/index.html"])
        self.assertEqual(order, ["guide/first", "second", "words"])

    def test_fails_at_a_link_that_leads_nowhere(self):
        for link in ("none.md", "second.md#no-such-heading", "../src/none.cpp"):
            with self.subTest(link=link):
                status, said, _ = self.site({"docs/words.md": f"# Words\n\n[a]({link})\n"})
                self.assertEqual(status, 1, said)
                self.assertIn(link, said)

    def test_fails_at_a_page_that_none_leads_to(self):
        status, said, _ = self.site({"docs/lost.md": "# Lost\n"})
        self.assertEqual(status, 1, said)
        self.assertIn("none leads to docs/lost.md; put it into docs/index.md", said)

    def test_fails_at_a_page_that_the_index_leaves_out(self):
        status, said, _ = self.site({"docs/words.md": "# Words\n\n[a](more.md)\n", "docs/more.md": "# More\n"})
        self.assertEqual(status, 1, said)
        self.assertIn("docs/more.md", said)

    def test_takes_another_name_of_the_release(self):
        status, said, made = self.site((), "--version", "next")
        self.assertEqual((status, "next/index.html" in made), (0, True), said)


if __name__ == "__main__":
    unittest.main()
