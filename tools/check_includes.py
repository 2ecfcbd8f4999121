#!/usr/bin/env python3
"""Fails where a file uses a name of a precompiled header that it includes neither itself nor through headers of ours.

check_includes.py [ROOT]    exit status 1 and one line per finding: file: what it uses, and the header to include

A compiler that has them precompiled (cmake/precompile.cmake) misses none. Without them, or with another standard
library, it stops.
"""
import functools
import pathlib
import re
import subprocess
import sys

# Patterns of names, by header. A name of several headers needs one of them.
NAMES = {
    "algorithm":
        r"sort stable_sort max min clamp fill fill_n copy copy_n equal any_of all_of none_of find find_if "
        r"count count_if transform max_element min_element minmax_element lower_bound upper_bound "
        r"partial_sort nth_element reverse rotate unique remove_if is_sorted swap_ranges generate mismatch "
        r"binary_search lexicographical_compare set_intersection set_difference includes for_each "
        r"next_permutation",
    "array": r"array",
    "atomic": r"atomic\w* memory_order\w*",
    "chrono": r"chrono",
    "cmath":
        r"sqrt abs sin cos exp log log2 log10 pow floor ceil round lround llround isfinite isnan isinf "
        r"ldexp frexp hypot fma fabs nextafter cbrt ilogb scalbn trunc fmod atan2 remainder signbit "
        r"copysign",
    "complex": r"complex conj norm polar abs",
    "cstdlib": r"abs",  # not precompiled, but it has abs() of integers
    "functional": r"function hash ref cref reference_wrapper less greater plus multiplies minus invoke",
    "map": r"map multimap",
    "memory":
        r"unique_ptr shared_ptr weak_ptr make_unique make_shared addressof construct_at destroy_at "
        r"enable_shared_from_this",
    "optional": r"optional nullopt make_optional",
    "random": r"mt19937 mt19937_64 uniform_\w+_distribution normal_distribution random_device",
    "span": r"span as_bytes as_writable_bytes dynamic_extent",
    "string": r"string to_string stoi stod stoul getline",
    "vector": r"vector",
}
FOLDERS = ["include", "src", "apps", "solvers", "bindings", "benchmarks", "tests", "examples"]
SOURCES = {".hpp", ".h", ".cpp", ".cu", ".cuh", ".inl"}
# From where headers of ours are included, besides the folder of the file: as CMake's targets say.
ROOTS = ["include", "src", "apps/cli", "apps", "solvers", "bindings/c", "bindings", "bindings/heffte/include",
         "bindings/kokkos/include", "benchmarks", "tests", "."]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
WORDS = re.compile(r'"(?:\\.|[^"\\\n])*"')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
FMT = re.compile(r"\bfmt::(format|format_to|join|formatter|memory_buffer|runtime)\b")
USED = re.compile(r"\bstd::(\w+)")


@functools.cache
def headers_of(name):
    """The headers in NAMES that have std::name."""
    return {header for header, names in NAMES.items() if re.fullmatch(f"(?:{'|'.join(names.split())})", name)}


class Tree:
    """Files of a checkout, and what they include."""

    def __init__(self, root):
        self.root = root

    @functools.cache
    def code(self, path):
        """Without comments."""
        return COMMENT.sub("", (self.root / path).read_text(errors="replace"))

    @functools.cache
    def ours(self, path, header):
        """The file of ours that `path` includes by this name, or None."""
        for folder in [pathlib.PurePath(path).parent, *ROOTS]:
            if (self.root / folder / header).is_file():
                return (self.root / folder / header).resolve().relative_to(self.root).as_posix()
        return None

    @functools.cache
    def foreign(self, path):
        """Headers of others that `path` includes, also through headers of ours."""
        seen, left, found = {path}, [path], set()
        while left:
            here = left.pop()
            for header in INCLUDE.findall(self.code(here)):
                other = self.ours(here, header)
                if other is None:
                    found.add(header)
                elif other not in seen:
                    seen.add(other)
                    left.append(other)
        return found

    def findings(self, path):
        code = WORDS.sub('""', INCLUDE.sub("", self.code(path)))
        missing = {}
        for name in USED.findall(code):
            headers = headers_of(name)
            if headers and not headers & self.foreign(path):
                missing.setdefault(min(headers), f"std::{name}")
        used = FMT.search(code)
        if used and not self.foreign(path) & {"fmt/format.h", "fmt/ranges.h"}:
            missing["fmt/format.h"] = used.group()
        for header, name in sorted(missing.items()):
            yield f"{path}: uses {name}, so it must include <{header}>, itself or through a header of ours"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    listed = subprocess.run(["git", "-C", root, "ls-files", *FOLDERS], capture_output=True, text=True, check=False)
    paths = listed.stdout.split("\n") if listed.returncode == 0 else [
        path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob("*")]
    tree = Tree(root)
    found = [line for path in paths if pathlib.PurePath(path).suffix in SOURCES and (root / path).is_file()
             for line in tree.findings(path)]
    print("\n".join(found) if found else "every file includes what it uses")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
