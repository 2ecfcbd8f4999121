"""Each folder of src says in a README what lives there, what to read first and what it may include."""
import pathlib
import re
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"


class Rooms(unittest.TestCase):
    def folders(self):
        return sorted({path.parent for path in SOURCES.rglob("*") if path.suffix in {".hpp", ".h", ".cpp", ".cu"}})

    def test_each_folder_has_a_readme_of_at_most_15_lines(self):
        self.assertGreater(len(self.folders()), 10)
        for folder in self.folders():
            text = (folder / "README.md").read_text(encoding="utf-8")
            self.assertLessEqual(len(text.splitlines()), 15, folder)
            self.assertTrue(text.startswith(f"# {folder.relative_to(SOURCES.parent)}\n"), folder)
            for part in ["\nRead first: ", "\nMay include: "]:
                self.assertIn(part, text, folder)

    def test_what_is_to_be_read_first_is_there(self):
        for folder in self.folders():
            text = (folder / "README.md").read_text(encoding="utf-8")
            for name in re.findall(r"`([\w/-]+\.(?:hpp|h|cpp|cu|cuh))`", text):
                self.assertTrue((folder / name).exists() or (SOURCES / name).exists(), f"{folder}: {name}")

    def test_each_readme_is_in_a_folder_with_sources(self):
        for page in SOURCES.rglob("README.md"):
            self.assertTrue(page.parent in self.folders() or any(page.parent.glob("*/*.?pp")), page)


if __name__ == "__main__":
    unittest.main()
