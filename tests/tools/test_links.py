"""Documents lead somewhere: their relative links, the headings behind #, and the files that pages, comments and errors
name."""
import functools
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
# Names of files that are in no clone: those of installations, of other libraries, and of made-up sources of tests.
ELSEWHERE = ("include/heffte-compat", "include/shardfft/fftw3", "include/shardfft/fortran", "include/shardfft-ranks",
             "examples/spectral_dns_solver.py")
MAKES_NAMES_UP = {"tests/tools/test_check_includes.py", "tests/tools/test_house.py", "tests/tools/test_links.py",
                  "tests/tools/test_release.py", "tests/tools/test_site.py", "tools/check_layers.py",
                  "tools/proofs/check_fftw_mpi.py", "tools/proofs/check_heffte"}


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


@functools.cache
def named():
    """(what a path of this repository looks like, all files and folders there are)."""
    files = [path.relative_to(ROOT) for path in sources()]
    there = {str(name) for file in files for name in (file, *file.parents)}
    rooms = sorted({file.parts[0] for file in files if len(file.parts) > 1})
    path = rf"(?<![\w./<>${{}}*-])(?:\./)?((?:{'|'.join(map(re.escape, rooms))})/[\w./*-]*[\w*])"
    return re.compile(path), there


def missing_files(path, text):
    """Files and folders that `text` names and that are neither in this repository nor beside `path`, nor the first part
    of a name that is."""
    pattern, there = named()
    wrong = []
    for name in pattern.findall(text):
        beside = {name, str((path.parent / name).relative_to(ROOT)), f"tests/{name}"}
        begins = name.split("*")[0].rstrip(".-")
        if not (beside & there or any(one.startswith(begins) for one in there) and is_abbreviated(name, begins, there)
                or name.startswith(ELSEWHERE)):
            wrong.append(name)
    return sorted(set(wrong))


def is_abbreviated(name, begins, there):
    """Whether a name means several files (`a/b_*.cpp`), a numbered decision, or a file without its suffix."""
    return "*" in name or begins in {one.rpartition(".")[0] for one in there} or bool(re.search(r"/\d{3}$", begins))


class Links(unittest.TestCase):
    def test_of_documents_lead_somewhere(self):
        documents = [p for p in sources() if p.suffix == ".md"]
        self.assertGreater(len(documents), 10)
        for path in documents:
            with self.subTest(document=str(path.relative_to(ROOT))):
                self.assertEqual(dead_links(path, path.read_text()), [])

    def test_documents_that_files_name_exist(self):
        for path in sources():
            if str(path.relative_to(ROOT)) in MAKES_NAMES_UP:
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertEqual(missing_documents(path, text), set())

    def test_files_that_pages_comments_and_errors_name_exist(self):
        looked = 0
        for path in sources():
            name = str(path.relative_to(ROOT))
            if name in MAKES_NAMES_UP or name.startswith("tests/fuzz/corpus/"):
                continue
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            looked += len(named()[0].findall(text))
            with self.subTest(file=name):
                self.assertEqual(missing_files(path, text), [])
        self.assertGreater(looked, 400)

    def test_files_that_are_named_wrongly_are_found(self):
        page = ROOT / "docs" / "guide" / "page.md"
        self.assertEqual(missing_files(page, "Run `tools/setup_peers`, then ./tools/setup."), ["tools/setup_peers"])
        self.assertEqual(missing_files(page, 'throw Error("see docs/decisions/007; tests/plan/none_*.cpp")'),
                         ["tests/plan/none_*.cpp"])
        self.assertEqual(missing_files(page, "benchmarks/setup_peers, docs/guide, src/engine/nativ"),
                         ["src/engine/nativ"])

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
