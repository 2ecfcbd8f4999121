"""fpm.toml says what the project and the module's CMakeLists.txt say. tests/install/check_fpm builds with it."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bindings" / "fortran"


class Manifest(unittest.TestCase):
    def setUp(self):
        self.manifest = (ROOT / "fpm.toml").read_text(encoding="utf-8")

    def test_the_version_is_the_projects(self):
        project = re.search(r"^project\(shardfft VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                            re.MULTILINE)
        self.assertIn(f'version = "{project[1]}"', self.manifest)

    def test_the_folder_has_no_source_that_cmake_does_not_compile(self):
        listed = set(re.findall(r"\b\w+\.(?:f90|F90|inc|c)\b", (FOLDER / "CMakeLists.txt").read_text(encoding="utf-8")))
        there = {path.name for path in FOLDER.iterdir()} - {"CMakeLists.txt", "README.md"}
        self.assertEqual(listed, there)

    def test_modules_of_others_are_named(self):
        used = {module for path in FOLDER.glob("*.[fF]90")
                for module in re.findall(r"^ *use (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)}
        others = sorted(module for module in used if not module.startswith("shardfft"))
        self.assertIn(f"external-modules = {others}".replace("'", '"'), self.manifest)


if __name__ == "__main__":
    unittest.main()
