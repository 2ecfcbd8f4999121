"""The packages of packaging/ agree with the CMake project: its version, the names of its shared libraries, its options,
what it needs; and with each other: where releases are, and their hash."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
DEBIAN = PACKAGING / "debian"
RECIPES = {"conda": PACKAGING / "conda" / "recipe.yaml",
           "spack": next(PACKAGING.glob("spack/**/package.py")),
           "easybuild": next(PACKAGING.glob("easybuild/*.eb"))}
# What the CMake project needs, as each kind of package calls it.
NEEDED = {"fmt": ("libfmt-dev", "fmt", "fmt", "fmt"),
          "hwy": ("libhwy-dev", "libhwy", "highway", "Highway"),
          "xxhash": ("libxxhash-dev", "xxhash", "xxhash", "xxHash"),
          "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json", "nlohmann-json", "nlohmann_json"),
          "CLI11": ("libcli11-dev", "cli11", "cli11", "CLI11")}


def text(path):
    return path.read_text(encoding="utf-8")


VERSION = re.search(r"project\(shardfft VERSION ([0-9.]+)", text(ROOT / "CMakeLists.txt"))[1]
MAJOR_MINOR = VERSION.rpartition(".")[0]  # cmake/install.cmake: SOVERSION


class Packaging(unittest.TestCase):
    def test_all_have_the_version_of_the_project(self):
        found = {"debian": re.match(r"shardfft \(([^-]+)-", text(DEBIAN / "changelog"))[1],
                 "conda": re.search(r'^  version: "(.*)"', text(RECIPES["conda"]), re.M)[1],
                 "spack": re.search(r'^    version\("(.*?)"', text(RECIPES["spack"]), re.M)[1],
                 "easybuild": re.search(r"^version = '(.*)'", text(RECIPES["easybuild"]), re.M)[1],
                 "name of easybuild's file": RECIPES["easybuild"].name.split("-")[1],
                 "archive of spack": re.search(r"shardfft-([0-9.]+)[.]tar", text(RECIPES["spack"]))[1]}
        self.assertEqual(found, {name: VERSION for name in found})

    def test_packages_of_shared_libraries_have_the_number_in_the_names_of_those(self):
        packages = re.findall(r"^Package: (.*)$", text(DEBIAN / "control"), re.M)
        numbered = [name for name in packages if name.startswith("lib") and not name.endswith("-dev")]
        self.assertEqual(numbered, [f"libshardfft{MAJOR_MINOR}", f"libshardfft-fftw3-mpi{MAJOR_MINOR}"])
        for name in numbered:
            self.assertTrue((DEBIAN / f"{name}.install").exists(), name)

    def test_each_shared_library_is_in_one_package(self):
        built = set()
        for path in [ROOT / "CMakeLists.txt", ROOT / "solvers" / "CMakeLists.txt",
                     *sorted((ROOT / "bindings").glob("*/CMakeLists.txt"))]:
            cmake = text(path)
            for target in re.findall(r"^add_library\((\w+)(?: SHARED\b|\)|\n| [a-z_/]+[.]cpp)", cmake, re.M):
                name = re.search(r"set_target_properties\(" + target + r"\s[^)]*?OUTPUT_NAME (\w+)", cmake)
                built.add("lib" + (name[1] if name else target) + ".so.*")
        packed = [line.rpartition("/")[2] for path in sorted(DEBIAN.glob("lib*[0-9].install"))
                  for line in text(path).split()]
        self.assertEqual(len(packed), len(set(packed)))
        self.assertLessEqual({"libshardfft.so.*", "libshardfft_cpp.so.*"}, set(packed))
        self.assertEqual(set(packed), built)

    def test_each_folder_among_the_libraries_is_in_the_package_of_headers(self):
        files = [ROOT / "CMakeLists.txt", *(path for folder in ("cmake", "src", "bindings", "solvers", "apps")
                                            for path in (ROOT / folder).rglob("*")
                                            if path.name == "CMakeLists.txt" or path.suffix == ".cmake")]
        folders = {name for path in files for name in re.findall(r"\{CMAKE_INSTALL_LIBDIR\}/(\w+)", text(path))}
        packed = set(re.findall(r"^usr/lib/\*/(\w+)$", text(DEBIAN / "libshardfft-dev.install"), re.M))
        self.assertEqual(folders, packed)

    def test_options_are_those_of_the_project(self):
        options = set(re.findall(r"^(?:option|set)\((SHARDFFT_\w+)", text(ROOT / "cmake" / "options.cmake"), re.M))
        self.assertGreater(len(options), 10)
        for path in [DEBIAN / "rules", *RECIPES.values()]:
            used = set(re.findall(r"(?:-D|\b)(SHARDFFT_[A-Z0-9_]+)\b", text(path)))
            self.assertLessEqual(used, options, path)
            self.assertIn("SHARDFFT_WITH_FFTW", used, path)

    def test_each_names_what_the_project_needs(self):
        for names in NEEDED.values():
            for name, path in zip(names, [DEBIAN / "control", *RECIPES.values()]):
                self.assertRegex(text(path), rf"""(?m)^ *(-|depends_on\("|\('|) ?{re.escape(name)}\b""", path)

    def test_releases_are_at_one_place_with_one_hash(self):
        hashes = {re.search(r"\b[0-9a-f]{64}\b", text(path))[0] for path in RECIPES.values()}
        self.assertEqual(len(hashes), 1)
        places = {place for path in [*RECIPES.values(), DEBIAN / "watch", DEBIAN / "control", DEBIAN / "copyright"]
                  for place in re.findall(r"https://shardfft[^/\s'\"]*", text(path))}
        self.assertEqual(len(places), 1)

    def test_tests_of_the_debian_packages_are_there_and_run_by_check_debian(self):
        names = " ".join(re.findall(r"^Tests: (.*)$", text(DEBIAN / "tests" / "control"), re.M)).split()
        self.assertEqual(sorted(names), sorted(path.name for path in (DEBIAN / "tests").iterdir()
                                               if path.name != "control"))
        self.assertIn(f"tests=({' '.join(names)})", text(ROOT / "tools/packages/check_debian"))

    def test_scripts_are_sound(self):
        for path in [PACKAGING / "build_debian", ROOT / "tools/packages/check_debian", *(DEBIAN / "tests").iterdir()]:
            if path.name != "control":
                done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.stderr, "", path)
                self.assertTrue(path.stat().st_mode & 0o100, path)


if __name__ == "__main__":
    unittest.main()
