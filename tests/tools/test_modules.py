"""Each module of src, a folder directly below it, says in a README what lives there, what to read first and what it
may include. Its folders have none of their own."""
import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"


class Modules(unittest.TestCase):
    def modules(self):
        return sorted(path for path in SOURCES.iterdir() if path.is_dir())

    def test_each_module_has_a_readme_of_at_most_30_lines(self):
        self.assertGreater(len(self.modules()), 10)
        for module in self.modules():
            text = (module / "README.md").read_text(encoding="utf-8")
            self.assertLessEqual(len(text.splitlines()), 30, module)
            self.assertTrue(text.startswith(f"# {module.relative_to(SOURCES.parent)}\n"), module)
            for part in ["\nRead first: ", "\nMay include: "]:
                self.assertIn(part, text, module)

    def test_what_is_to_be_read_first_is_there(self):
        for module in self.modules():
            text = (module / "README.md").read_text(encoding="utf-8")
            for name in re.findall(r"`([\w/-]+\.(?:hpp|h|cpp|cu|cuh))`", text):
                self.assertTrue((module / name).exists() or (SOURCES / name).exists(), f"{module}: {name}")

    def test_each_folder_with_sources_is_named_in_the_readme_of_its_module(self):
        for module in self.modules():
            text = (module / "README.md").read_text(encoding="utf-8")
            folders = {path.parent for path in module.rglob("*") if path.suffix in {".hpp", ".h", ".cpp", ".cu"}}
            for folder in sorted(folders - {module}):
                self.assertRegex(text, rf"\b{folder.name}\b", folder)

    def test_there_is_one_readme_for_a_module(self):
        self.assertEqual(sorted(SOURCES.rglob("README.md")), [module / "README.md" for module in self.modules()])


if __name__ == "__main__":
    unittest.main()
