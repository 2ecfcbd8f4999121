"""Documents lead somewhere: their relative links, the headings behind #, and the documents that sources name."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from documents import markdown

ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|/")
DOCUMENT = re.compile(r"\bdocs/[\w./-]*\.(?:md|svg)\b")


def dead_links(path, document):
    """The relative links of `document`, which lies at `path`, that lead nowhere."""
    dead = []
    for _, link in markdown.links(document):
        if ABSOLUTE.match(link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            dead.append(link)
        elif anchor and anchor not in markdown.anchors(document if target == path else target.read_text()):
            dead.append(link)
    return dead


def sources():
    """What git knows and what it would add; without git, all files but those of builds."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    return [p for p in ROOT.rglob("*") if p.is_file() and not {"build", ".git"} & set(p.relative_to(ROOT).parts)]


def missing_documents(path, text):
    """Documents that `text` names and that lie neither in this repository nor beside `path`."""
    return {name for name in DOCUMENT.findall(text) if not (ROOT / name).exists() and not (path.parent / name).exists()}


class Links(unittest.TestCase):
    def test_of_documents_lead_somewhere(self):
        documents = [p for p in sources() if p.suffix == ".md"]
        self.assertGreater(len(documents), 10)
        for path in documents:
            with self.subTest(document=str(path.relative_to(ROOT))):
                self.assertEqual(dead_links(path, path.read_text()), [])

    def test_documents_that_files_name_exist(self):
        for path in sources():
            if path.resolve() == pathlib.Path(__file__).resolve():
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertEqual(missing_documents(path, text), set())

    def test_are_found_dead_if_they_are(self):
        here = ROOT / "README.md"
        self.assertEqual(dead_links(here, "[a](README.md) [b](https://example.org/x.md) `[c](none.md)`"), [])
        self.assertEqual(dead_links(here, "[a](none.md) ![b](docs/none.svg) [c](docs/index.md#no-such-heading)"),
                         ["none.md", "docs/none.svg", "docs/index.md#no-such-heading"])
        document = "# A heading, with `code`: 1\n[a](#a-heading-with-code-1) [b](#another)"
        self.assertEqual(dead_links(here, document), ["#another"])
        self.assertEqual(missing_documents(here, "// docs/index.md, docs/none.md"), {"docs/none.md"})


if __name__ == "__main__":
    unittest.main()
