"""What a Markdown page shows: its fenced blocks with the marks above them, its paragraphs, its wide lines, its links.

Marks are HTML comments directly above a block; readers do not see them:

  <!-- not run: REASON -->       sh, cpp, c, cmake: REASON is printed; names of options are checked all the same
  <!-- continues -->             cpp: in the same function as the block before it
  <!-- status: N -->             sh: the last command ends with this status
  <!-- output -->                text: what the commands above print; `...` stands for anything within a line

Blocks of C++ need no mark: one with `int main` is a program, linked with the blocks that define what it declares; one
with functions is a file of its own; any other is compiled as statements within a function (prelude.hpp). Blocks of C
are programs or statements (prelude.h).
"""
import collections
import dataclasses
import re

MARK = re.compile(r"^<!--\s*([a-z ]+?)\s*(?::\s*(.*?))?\s*-->$")
FENCE = re.compile(r"^(\s*)```(\w*)\s*$")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")


@dataclasses.dataclass
class Block:
    language: str
    line: int  # of its first line of text, from 1
    text: str
    marks: dict[str, str]


def blocks(text):
    """All fenced blocks, in order."""
    found, marks, open_block, indent = [], {}, None, 0
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if open_block is not None:
            if fence and not fence[2]:
                found.append(open_block)
                open_block, marks = None, {}
            else:
                open_block.text += line[indent:] + "\n"
        elif fence:
            indent = len(fence[1])
            open_block = Block(fence[2], number + 1, "", marks)
        elif mark := MARK.match(line.strip()):
            marks[mark[1]] = mark[2] or ""
        elif line.strip():
            marks = {}
    return found


def prose(text):
    """(number, line) of all lines outside of fenced blocks."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line) or line.strip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def paragraphs(text):
    """(line, text) of every paragraph, item of a list and cell of a table; headings and comments are none."""
    first, lines = 0, []
    for number, line in [*prose(text), (0, "")]:
        words = line.strip()
        is_row, is_item = words.startswith("|"), re.match(r"([-*+]|\d+[.])\s", words)
        if lines and (not words or is_row or is_item or words.startswith(("#", "<!--", "```"))):
            yield first, " ".join(lines)
            lines = []
        if is_row:
            yield from ((number, cell) for cell in re.split(r"(?<!\\)\|", words))
        elif words and not words.startswith(("#", "<!--")):
            first = first if lines else number
            lines.append(words)


def words(text):
    """How many words there are: what has a letter or a digit."""
    return sum(1 for word in text.split() if any(c.isalnum() for c in word))


def links(text):
    """(line, target) of every link; brackets in code are none."""
    for number, line in prose(text):
        yield from ((number, target) for target in LINK.findall(CODE.sub("", line)))


def inline_code(text):
    """(line, code) of what stands between backticks in prose."""
    for number, line in prose(text):
        yield from ((number, code) for code in CODE.findall(line))


def slug(title, separator="-"):
    """The anchor of a heading. Its parameters are those that Python-Markdown passes."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


def anchors(text):
    """What `#...` may name in a page, as GitHub forms it of headings: lower case, hyphens, a number if repeated."""
    found, seen = [], collections.Counter()
    for _, line in prose(text):
        if not line.startswith("#"):
            continue
        anchor = slug(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()))
        found.append(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return found
