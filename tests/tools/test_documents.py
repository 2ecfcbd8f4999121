"""How pages are read: blocks with their marks, paragraphs, commands made small, outputs compared."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from documents import commands, markdown, snippets

PAGE = """# Title of it

Some words here,
and there.
- one
- two
  goes on

| a | b c d |
|---|---|

<!-- not run: network -->
```sh
git clone x
```
```cpp
int n;
```
<!-- output -->

```text
n is ...
```
"""


class Pages(unittest.TestCase):
    def test_blocks_have_their_language_line_and_marks(self):
        found = [(block.language, block.line, block.text, block.marks) for block in markdown.blocks(PAGE)]
        self.assertEqual(found, [("sh", 14, "git clone x\n", {"not run": "network"}), ("cpp", 17, "int n;\n", {}),
                                 ("text", 22, "n is ...\n", {"output": ""})])

    def test_a_mark_counts_for_the_block_below_it_only(self):
        text = "<!-- output -->\nA sentence.\n```text\nx\n```\n"
        self.assertEqual(markdown.blocks(text)[0].marks, {})

    def test_paragraphs_are_those_of_sentences_items_and_cells(self):
        found = {text.strip() for _, text in markdown.paragraphs(PAGE)}
        self.assertLessEqual({"Some words here, and there.", "- one", "- two goes on", "b c d"}, found)
        self.assertNotIn("int n;", " ".join(found))

    def test_words_have_a_letter_or_a_digit(self):
        self.assertEqual(markdown.words("| a | -- 3.5 | x-y |"), 3)

    def test_anchors_are_formed_as_github_does(self):
        self.assertIn("what-it-is-2-words", markdown.anchors("## What it is: 2 words\n"))
        document = "# The *end*\n```sh\n# no heading\n```\n## Spaces: 2 × 1\n## The end"
        self.assertEqual(markdown.anchors(document), ["the-end", "spaces-2--1", "the-end-1"])

    def test_links_and_code_of_blocks_do_not_count(self):
        text = "[a](b.md) `c d`\n```sh\n[e](f.md) `g`\n```\n"
        self.assertEqual(list(markdown.links(text)), [(1, "b.md")])
        self.assertEqual(list(markdown.inline_code(text)), [(1, "c d")])


class Cpp(unittest.TestCase):
    def block(self, text):
        return markdown.Block("cpp", 1, text, {})

    def test_blocks_that_define_functions_are_files(self):
        for text in ["void f() {\n}\n", "double f(const sf::Coord& at) {  // u\n}\n",
                     "sf::Array* f(int a,\n  int b) {\n}\n"]:
            self.assertTrue(snippets.is_file(self.block(text)), text)
        for text in ["f(1, [](int a) {\n});\n", "if (a) {\n}\n", "sf::Plan plan(comm, {.shape = {8}});\n",
                     "while (!plan.test()) { f(); }\n", "int main() {\n}\n", "void f();\n"]:
            self.assertFalse(snippets.is_file(self.block(text)), text)

    def test_a_program_is_linked_with_each_file_that_defines_what_it_declares(self):
        program = self.block("void solve(const sf::Comm& comm);\n\nint main() {\n}\n")
        files = [self.block(f"void {name}(const sf::Comm& comm) {{\n}}\n") for name in ("solve", "other", "solve")]
        self.assertEqual([file.text for file in snippets.parts_of(program, files)], [files[0].text, files[2].text])

    def test_messages_of_the_compiler_name_lines_of_the_page(self):
        said = "a.md:7:3: error: no such thing\nother.hpp:1:1: note: here\na.md:9: fatal error: lost\n"
        self.assertEqual(snippets.complaints("a.md", 2, said), [(7, "no such thing"), (9, "lost")])
        self.assertEqual(snippets.complaints("a.md", 2, "ld: undefined"), [(2, "ld: undefined")])
        self.assertEqual(snippets.complaints("a.md", 2, ""), [])


class Commands(unittest.TestCase):
    def test_lines_that_go_on_are_one_command_and_comments_none(self):
        block = markdown.Block("sh", 5, "# nothing\na \\\n  b\nc\n", {})
        self.assertEqual(commands.commands(block), [(6, "a   b"), (8, "c")])

    def test_shapes_are_made_small_and_repetitions_few(self):
        line = commands.quicker("mpirun -n 2 shardfft bench --shape 512x300x7 --iterations 20")
        self.assertRegex(line, r"^mpirun -n 2 shardfft bench --shape \d+x\d+x7 --iterations 1$")
        self.assertEqual(commands.quicker("shardfft compare --shapes 64,256 --launches 6"),
                         "shardfft compare --plan-seconds 1 --iterations 1 --shapes 16 --launches 1")
        self.assertRegex(commands.quicker("shardfft compare --ranks 2x1,6x2,12x2 --launches 6"), " --ranks 2x1,4x2 ")
        self.assertEqual(commands.quicker("shardfft predict --ranks 4096"), "shardfft predict --ranks 4096")

    def test_a_plan_that_is_only_explained_keeps_its_shape(self):
        line = "shardfft explain --shape 512x512x512 --ranks 64"
        self.assertEqual(commands.quicker(line), line)

    def test_what_a_folder_is_not_enough_for_has_a_reason(self):
        for line in ["./quickstart", "A=1 B='c' build/release/bin/plan_test --x", "git clone x",
                     "shardfft compare --json r.json --cases c.toml", "cmake --build --preset release"]:
            self.assertTrue(commands.why_elsewhere(line), line)
        for line in ["shardfft info", "A=1 mpirun -n 2 shardfft bench --shape 8", "cp a b"]:
            self.assertEqual(commands.why_elsewhere(line), "", line)

    def test_files_that_must_appear(self):
        self.assertEqual(commands.outputs("shardfft transform a.npy b.npy --json r.json".split()), ["r.json", "b.npy"])
        self.assertEqual(commands.outputs("shardfft report r.json --output p.html".split()), ["p.html"])
        self.assertEqual(commands.outputs("shardfft bench --shape 8 --output bricks --json -".split()), [])

    def test_dots_in_a_shown_output_stand_for_anything(self):
        self.assertEqual(commands.differs("n is ...\n", "n is 8\nmore\n"), "")
        self.assertIn("m is 8", commands.differs("n is ...\n", "m is 8\n"))
        self.assertIn("(nothing)", commands.differs("a\nb\n", "a\n"))

    def test_made_up_arrays_are_read_by_numpy(self):
        import io

        import numpy as np
        array = np.load(io.BytesIO(commands.npy((2, 3), is_complex=True)))
        self.assertEqual((array.shape, array.dtype), ((2, 3), np.complex128))
        self.assertEqual(array[0, 1], 0.838 + 0.757j)


if __name__ == "__main__":
    unittest.main()
