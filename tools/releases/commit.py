"""The commit that becomes a release: its version, time and changes, and whether it may."""
import dataclasses
import pathlib
import re
import subprocess

# Files that name the version. Python's package and the program read it from CMakeLists.txt.
HOMES = {
    "CMakeLists.txt": re.compile(r"^project\(\w+ VERSION ([0-9.]+)", re.M),
    "CITATION.cff": re.compile(r"^version: (\S+)", re.M),
    "CHANGELOG.md": re.compile(r"^## (\S+) \(", re.M),  # its newest section
}
SECTION = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]*)\)\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)


class Refused(Exception):
    """The rule, what it got, and the remedy."""


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout.strip()


@dataclasses.dataclass
class Commit:
    root: pathlib.Path
    version: str
    hash: str
    time: int  # seconds since 1970; the time of all that is made of it

    @property
    def name(self):
        return f"shardfft-{self.version}"

    @property
    def tag(self):
        return f"v{self.version}"

    def section(self):
        """(date, text) of its section of CHANGELOG.md."""
        text = (self.root / "CHANGELOG.md").read_text(encoding="utf-8")
        found = next(found for found in SECTION.finditer(text) if found["version"] == self.version)
        return found["date"], found["text"].strip() + "\n"


def checked_out(root, version):
    """The commit that is checked out at `root`; refused if files differ from it or if it is not of this version."""
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        raise Refused(f"a release is made of a commit; {len(changed)} files differ from it, such as "
                      f"{changed[0][2:].strip()}; commit them, or remove them")
    for name, pattern in HOMES.items():
        found = pattern.search((root / name).read_text(encoding="utf-8"))
        got = found[1] if found else "none"
        if got != version:
            raise Refused(f"every home of the version says the one that is released, {version}; {name} says {got}; "
                          f"correct it, or release {got}")
    return Commit(root, version, git(root, "rev-parse", "HEAD"), int(git(root, "show", "-s", "--format=%ct", "HEAD")))


def may_tag(commit):
    """Refuses without the date of the release, and if the tag exists."""
    date, _ = commit.section()
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise Refused(f"a tagged release has a date, as in `## {commit.version} (2026-12-31)`; CHANGELOG.md says "
                      f"({date}); write it there and commit it")
    if git(commit.root, "tag", "--list", commit.tag):
        raise Refused(f"a tag is made once; {commit.tag} exists; raise the version, or remove the tag by hand")


def make_tag(commit):
    message = f"{commit.name}\n\n{commit.section()[1]}"
    git(commit.root, "tag", "--annotate", "--cleanup=verbatim", "--message", message, commit.tag, commit.hash)
