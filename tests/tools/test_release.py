"""tools/release gives the same bytes for the same commit wherever and whenever it runs, and refuses what is no release.

The oracles are git, tarfile and the files themselves."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "tools/release"
sys.path.insert(0, str(ROOT / "tools"))
from releases import sbom

FILES = {
    "CMakeLists.txt": "project(shardfft VERSION 1.2.3 LANGUAGES CXX)\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
    "CHANGELOG.md": "# Changes\n\n## 1.2.3 (2026-11-30)\n\n- It is new.\n\n## 1.2.2 (2026-11-01)\n\n- It was old.\n",
    "pyproject.toml": 'requires = ["nanobind>=3.1"]\ndependencies = ["numpy>=2"]\n',
    "tools/requirements.txt": "# pinned\nnumpy==2.1.3\nsix==1.16.0\n",
    "src/b.cpp": "int b;\n", "src/a.cpp": "int a;\n", ".gitignore": "/build/\n",
}
TIME = 1800000000
NAMES = ["SHA256SUMS", "shardfft-1.2.3-changes.md", "shardfft-1.2.3-source.tar.gz", "shardfft-1.2.3.spdx.json"]


def git(root, *words, **environment):
    subprocess.run(["git", "-C", root, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                   capture_output=True, env={**os.environ, **environment})


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "repository"
        for name, text in FILES.items():
            self.write(name, text)
        git(self.root, "init", "-q")
        self.commit()

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def commit(self):
        git(self.root, "add", ".")
        date = f"{TIME} +0000"
        git(self.root, "commit", "-q", "-m", "a", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)

    def release(self, *words, root=None, version="1.2.3", **environment):
        return subprocess.run([sys.executable, RELEASE, "--root", root or self.root, version, *words],
                              capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def made(self, name, **environment):
        """Name and bytes of each file of a release of a clone of its own."""
        clone, output = self.folder / name, self.folder / f"{name}.out"
        subprocess.run(["git", "clone", "-q", self.root, clone], check=True, umask=environment.pop("umask", 0o022))
        done = self.release("--output", output, root=clone, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {file.name: file.read_bytes() for file in sorted(output.iterdir())}

    def refusal(self, *words, **options):
        done = self.release("--output", self.folder / "none", *words, **options)
        self.assertEqual((done.returncode, (self.folder / "none").exists()), (2, False), done.stdout)
        return done.stderr

    def test_made_twice_has_the_same_bytes(self):
        first = self.made("here", TZ="UTC")
        again = self.made("there", TZ="Asia/Tokyo", LC_ALL="C", umask=0o077)
        self.assertEqual(list(first), NAMES)
        self.assertEqual(first, again)
        self.write("src/a.cpp", "int c;\n")
        self.commit()
        other = self.made("changed")
        self.assertEqual([name for name in NAMES if first[name] != other[name]],
                         [name for name in NAMES if "changes" not in name])

    def test_the_archive_holds_what_git_tracks_at_the_time_of_the_commit(self):
        self.write("build/ignored.txt", "no")
        self.assertEqual(self.release("--output", self.folder / "out").returncode, 0)
        with tarfile.open(self.folder / "out" / NAMES[2]) as archive:
            files = [member for member in archive if member.isfile()]
            self.assertEqual([member.name for member in files], sorted(f"shardfft-1.2.3/{name}" for name in FILES))
            self.assertEqual({member.mtime for member in archive}, {TIME})
            self.assertEqual(archive.extractfile("shardfft-1.2.3/src/b.cpp").read(), b"int b;\n")

    def test_the_changes_are_those_of_this_version_and_the_sums_are_right(self):
        made = self.made("here")
        self.assertEqual(made[NAMES[1]], b"- It is new.\n")
        lines = [line.split("  ") for line in made["SHA256SUMS"].decode().splitlines()]
        self.assertEqual(lines, [[hashlib.sha256(made[name]).hexdigest(), name] for name in NAMES[1:]])

    def test_refuses_files_that_are_not_committed(self):
        for name in ("src/a.cpp", "src/new.cpp"):
            self.write(name, "int d;\n")
            self.assertRegex(self.refusal(), rf"made of a commit; 1 files differ from it, such as {name}; commit them")
            git(self.root, "stash", "-u")

    def test_refuses_another_version_in_each_of_its_homes(self):
        self.assertIn("CMakeLists.txt says 1.2.3; correct it, or release 1.2.3", self.refusal(version="1.3.0"))
        for name in ("CITATION.cff", "CHANGELOG.md"):
            self.write(name, FILES[name].replace("1.2.3", "1.2.4"))
            self.commit()
            self.assertIn(f"released, 1.2.3; {name} says 1.2.4", self.refusal())
            self.write(name, FILES[name])

    def test_tags_only_when_asked_once_and_with_a_date(self):
        tags = lambda: subprocess.run(["git", "-C", self.root, "tag", "-n9"], capture_output=True, text=True).stdout
        self.assertEqual(self.release("--output", self.folder / "out").returncode, 0)
        self.assertEqual(tags(), "")
        self.assertEqual(self.release("--output", self.folder / "out", "--tag",
                                      GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b").returncode, 0)
        self.assertRegex(tags(), r"v1.2.3 +shardfft-1.2.3\s+- It is new.")
        self.assertIn("a tag is made once; v1.2.3 exists", self.refusal("--tag"))
        self.write("CHANGELOG.md", FILES["CHANGELOG.md"].replace("2026-11-30", "unreleased"))
        self.commit()
        self.assertIn("a tagged release has a date", self.refusal("--tag"))

    def test_other_tools_fill_their_folders_at_the_time_of_the_commit(self):
        self.assertIn("this part needs tools/packages/check_wheel; the commit has none", self.refusal("wheel"))
        tools = {"packages/check_wheel": 'echo "$1 $SOURCE_DATE_EPOCH" > "$2/a.whl"',
                 "packages/check_debian": "mkdir -p build/debian/trixie; echo deb > build/debian/trixie/a.deb"}
        for name, line in tools.items():
            self.write(f"tools/{name}", f"#!/bin/sh\ncd {self.root}\n{line}\n")
            (self.root / "tools" / name).chmod(0o755)
        self.commit()
        output = self.folder / "out"
        done = self.release("wheel", "debian", "--output", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((output / "python/a.whl").read_text(), f"--all {TIME}\n")
        self.assertEqual((output / "debian/a.deb").read_text(), "deb\n")
        self.assertRegex((output / "SHA256SUMS").read_text(), r"^\w{64}  debian/a.deb\n\w{64}  python/a.whl\n$")

    def test_the_parts_are_those_of_the_lists(self):
        made = json.loads(self.made("here")[NAMES[3]])
        purls = [reference["referenceLocator"] for package in made["packages"]
                 for reference in package.get("externalRefs", [])]
        self.assertEqual(purls, ["pkg:pypi/nanobind", "pkg:pypi/numpy@2.1.3", "pkg:pypi/six@1.16.0"])
        self.assertEqual(made["creationInfo"]["created"], "2027-01-15T08:00:00Z")
        ids = {package["SPDXID"] for package in made["packages"]}
        self.assertEqual(len(ids), len(made["packages"]))
        self.assertEqual({entry["spdxElementId"] for entry in made["relationships"]} - ids, {"SPDXRef-DOCUMENT"})


class Parts(unittest.TestCase):
    """Of this repository."""

    def test_every_pinned_package_is_a_part(self):
        pinned = {line.strip() for file in sorted((ROOT / "tools").rglob("requirements*.txt"))
                  for line in file.read_text().splitlines() if "==" in line and not line.startswith("#")}
        self.assertGreater(len(pinned), 40)
        parts = {f"{part.name}=={part.version}" for part in sbom.parts(ROOT) if part.version}
        self.assertEqual(pinned - parts, set())

    def test_every_library_that_cmake_needs_is_a_part(self):
        own = {"shardfft", "Threads", "PkgConfig", "Python", "Python3", "Heffte", "nanobind"}
        found = set()
        for folder in ("src", "cmake", "apps", "bindings", "solvers"):
            for file in (ROOT / folder).rglob("*"):
                if file.name == "CMakeLists.txt" or file.suffix == ".cmake":
                    found.update(re.findall(r"^\s*(?:find_package|pkg_check_modules)\((\w+)", file.read_text(), re.M))
        self.assertGreater(len(found - own), 8)
        self.assertEqual(found - own - {"FFTW3F"} - set(sbom.LIBRARIES), set())


if __name__ == "__main__":
    unittest.main()
