"""guide_programs.py PAGE FOLDER: writes the programs that a page shows to FOLDER/program_1.cpp, program_2.cpp, ..."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from documents import markdown

page, folder = map(pathlib.Path, sys.argv[1:])
blocks = markdown.blocks(page.read_text(encoding="utf-8"))
programs = [block for block in blocks if block.language == "cpp" and "int main" in block.text]
for number, program in enumerate(programs, start=1):
    text = f'#line {program.line} "{page}"\n{program.text}'
    (folder / f"program_{number}.cpp").write_text(text, encoding="utf-8")
