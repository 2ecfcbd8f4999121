"""Compiles what pages show of C++, C and CMake, against the library as it is installed."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = HERE / "prelude.hpp"
C_PRELUDE = HERE / "prelude.h"
LIMIT_S = 300
MAIN = "#include <shardfft/shardfft.hpp>\nint main() { return shardfft::local().rank(); }\n"
C_MAIN = "#include <shardfft.h>\nint main(void) { return shardfft_version() < 0; }\n"


class Installed:
    """The development part of a build, installed into `folder`, with the flags that pkg-config knows of it."""

    def __init__(self, build, folder):
        self.compiler, self.prefix = build.cached("CMAKE_CXX_COMPILER"), folder / "prefix"
        for component in ("development", "library"):
            words = ["cmake", "--install", build.folder, "--prefix", self.prefix, "--component", component]
            subprocess.run(words, check=True, capture_output=True)
        names = {file.stem: file.parent for file in self.prefix.rglob("*.pc")}
        name = "shardfft-mpi" if "shardfft-mpi" in names else "shardfft_cpp"
        self.has_mpi = name == "shardfft-mpi"
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(names[name])}
        self.flags, self.libraries = self.says("--cflags", name), self.says("--libs", name)
        self.c_compiler = build.cached("MPI_C_COMPILER" if self.has_mpi else "CMAKE_C_COMPILER")
        self.c_flags, self.c_libraries = self.says("--cflags", "shardfft"), [*self.says("--libs", "shardfft"), "-lm"]

    def says(self, *words):
        done = subprocess.run(["pkg-config", *words], env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def compile(self, *words):
        """Empty, or what the compiler says."""
        return self.call(self.compiler, "-std=c++20", "-O0", *words)

    def compile_c(self, *words):
        return self.call(self.c_compiler, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", *words)

    def call(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S,
                              env={**self.environment, "LC_ALL": "C"})
        return "" if done.returncode == 0 else done.stderr or "the compiler failed and said nothing"


def complaints(page, line, said):
    """(line of the page, error) of what a compiler said; all of it at `line` where it names no line of the page."""
    errors = re.findall(rf"^{re.escape(page)}:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", said, re.MULTILINE)
    return [(int(at), error) for at, error in errors] or ([(line, said)] if said else [])


def is_program(block):
    return re.search(r"\bint main\b", block.text) is not None


FUNCTION = r"^(?!(?:if|for|while|switch|else|return|namespace)\b)[\w:<>&*]+[ &*]+(\w+)\([^;]*\) (?:const )?\{"
DECLARED = r"^\w[\w:<>&* ]*[ &*](\w+)\([^;{}]*\);$"


def is_file(block):
    """Whether it is a source file as it is: it defines functions and is no program."""
    return not is_program(block) and re.search(FUNCTION, block.text, re.MULTILINE) is not None


def parts_of(program, files):
    """Files that define what a program declares; each makes a program with it."""
    declared = set(re.findall(DECLARED, program.text, re.MULTILINE))
    return [file for file in files if declared & set(re.findall(FUNCTION, file.text, re.MULTILINE))]


def unit(pages):
    """One translation unit of all blocks that are statements; the compiler's messages name the pages' lines."""
    includes, bodies = [], []
    for page, blocks in pages:
        for number, block in enumerate(blocks):
            lines = block.text.splitlines()
            includes += [line for line in lines if line.startswith("#include")]
            text = "\n".join("" if line.startswith("#include") else line for line in lines)
            if number == 0 or "continues" not in block.marks:
                bodies.append(f"void shown_{len(bodies)}(SHARDFFT_GIVEN) {{{{\n")
            bodies[-1] += f'#line {block.line} "{page}"\n{text}\n'
    return "\n".join([f'#include "{PRELUDE}"', *dict.fromkeys(includes), *(f"{body}}}}}" for body in bodies), ""])


def is_statements(block):
    return block.language == "cpp" and not is_program(block) and not is_file(block)


def check_statements(installed, folder, pages):
    """(page, line, complaint) of the statements of all pages, which are compiled together: headers take the time."""
    shown = [(page, list(filter(is_statements, blocks))) for page, blocks in pages]
    shown = [(page, blocks) for page, blocks in shown if blocks]
    if not shown:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "shown.cpp"
    source.write_text(unit(shown), encoding="utf-8")
    said = installed.compile(source, "-fsyntax-only", *installed.flags)
    found = [(page, *wrong) for page, _ in shown for wrong in complaints(page, 0, said) if wrong[0]]
    return found or ([(shown[0][0], 0, said)] if said else [])


def check_files(installed, folder, page, blocks):
    """(line, complaint) of a page's programs and files."""
    folder.mkdir(parents=True, exist_ok=True)
    files, programs = list(filter(is_file, blocks)), list(filter(is_program, blocks))
    sources, jobs = {}, []
    for block in files + programs:
        sources[block.line] = folder / f"line_{block.line}.cpp"
        sources[block.line].write_text(f'#line {block.line} "{page}"\n{block.text}', encoding="utf-8")
    for program in programs:
        parts = parts_of(program, files)
        for linked in [[program, part] for part in parts] or [[program]]:
            names = [sources[block.line] for block in linked]
            jobs.append((program, [*names, "-o", names[0].with_suffix(""), *installed.flags, *installed.libraries]))
        files = [block for block in files if block not in parts]
    jobs += [(block, [sources[block.line], "-fsyntax-only", *installed.flags]) for block in files]
    return [found for block, words in jobs for found in complaints(page, block.line, installed.compile(*words))]


def check_c(installed, folder, page, block):
    """(line, complaint) of a block of C: a program is linked, statements are compiled within a function."""
    folder.mkdir(parents=True)
    source, shown = folder / "shown.c", f'#line {block.line} "{page}"\n{block.text}'
    if is_program(block):
        source.write_text(shown, encoding="utf-8")
        words = ["-o", folder / "shown", *installed.c_libraries]
    else:
        source.write_text(f'#include "{C_PRELUDE}"\nvoid shown(SHARDFFT_GIVEN);\nvoid shown(SHARDFFT_GIVEN) {{\n'
                          f"{shown}}}\n", encoding="utf-8")
        words = ["-fsyntax-only", "-Wno-unused-parameter"]
    return complaints(page, block.line, installed.compile_c(source, *installed.c_flags, *words))


def check_cmake(installed, folder, block):
    """(line, complaint) of a block of CMake: a project with it is configured and its programs are linked."""
    folder.mkdir(parents=True)
    made = re.findall(r"add_executable\((\w+)([^)]*)\)", block.text)
    targets = set(re.findall(r"target_link_libraries\((\w+)", block.text)) - {name for name, _ in made}
    source = "program.c" if "shardfft::c)" in block.text else "program.cpp"
    programs = "".join(f"add_executable({name} {source})\n" for name in sorted(targets))
    for name in (name for _, sources in made for name in sources.split()):
        (folder / name).write_text("" if name != "main.cpp" else MAIN)
    head = "cmake_minimum_required(VERSION 3.25)\nproject(shown LANGUAGES C CXX)\n"
    (folder / "CMakeLists.txt").write_text(head + programs + block.text, encoding="utf-8")
    (folder / "program.cpp").write_text(MAIN)
    (folder / "program.c").write_text(C_MAIN)
    for words in (["-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={installed.prefix}",
                   f"-DCMAKE_CXX_COMPILER={installed.compiler}"], ["--build", folder / "build"]):
        done = subprocess.run(["cmake", *words], capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode:
            return [(block.line, done.stderr or done.stdout)]
    return []


def check(installed, folder, pages):
    """(page, line, complaint) of all pages; `pages` is a list of (name, blocks to build)."""
    shutil.rmtree(folder, ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        statements, jobs = pool.submit(check_statements, installed, folder, pages), []
        for number, (page, blocks) in enumerate(pages):
            here = folder / str(number)
            jobs.append((page, pool.submit(check_files, installed, here, page,
                                           [block for block in blocks if block.language == "cpp"])))
            jobs += [(page, pool.submit(check_c, installed, here / f"c_{block.line}", page, block))
                     for block in blocks if block.language == "c"]
            jobs += [(page, pool.submit(check_cmake, installed, here / f"cmake_{block.line}", block))
                     for block in blocks if block.language == "cmake"]
        return statements.result() + [(page, line, said) for page, job in jobs for line, said in job.result()]
