"""Each decision of docs/decisions says context, decision and consequence, briefly, and is in the index."""
import pathlib
import re
import unittest

DECISIONS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "decisions"


class Decisions(unittest.TestCase):
    def setUp(self):
        self.pages = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")

    def test_they_are_numbered_one_after_the_other(self):
        self.assertGreater(len(self.pages), 0)
        for number, page in enumerate(self.pages, 1):
            self.assertRegex(page.name, rf"^{number:03}-[a-z0-9-]+\.md$")
            self.assertTrue(page.read_text(encoding="utf-8").startswith(f"# {number}. "), page)

    def test_each_says_context_decision_and_consequence_in_at_most_150_words(self):
        for page in self.pages:
            text = page.read_text(encoding="utf-8")
            heads = re.findall(r"^\*\*(\w+)\.\*\* ", text, re.MULTILINE)
            self.assertEqual(heads, ["Context", "Decision", "Consequence"], page)
            self.assertLessEqual(len(text.split()), 150, page)

    def test_the_index_has_each_of_them_once_under_its_title(self):
        index = (DECISIONS / "README.md").read_text(encoding="utf-8")
        listed = {name: title for title, name in re.findall(r"^- \[(.*)\]\((.*)\)$", index, re.MULTILINE)}
        self.assertEqual(len(listed), index.count("\n- ["))
        titles = {page.name: page.read_text(encoding="utf-8").splitlines()[0][2:] for page in self.pages}
        self.assertEqual(listed, titles)


if __name__ == "__main__":
    unittest.main()
