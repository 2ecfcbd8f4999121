#!/usr/bin/env python3
"""Fails on an include that points the wrong way, on <mpi.h> or a vendor's header outside its files, on a compile-
time switch outside a registry, and on modules of the Python package that import each other in a circle.

check_layers.py [--self-test] [ROOT]    exit status 1 and one line per finding: file:line: the rule, what it got, the
remedy
"""
import argparse
import ast
import fnmatch
import graphlib
import pathlib
import re
import sys

# A file may include files of its own folder and of folders with a smaller number; folders with the same number do not
# know each other. The longest prefix counts. device/ without more is the seam and its backends; each slice of it lies
# above the room whose seam it implements.
LAYERS = {
    "support": 0, "device": 1,
    "engine": 2, "codec": 2, "transport": 2, "grid": 2, "verify": 2, "files": 2,
    "sweep": 3, "exchange": 3, "device/codec": 3, "device/transport": 3,
    "device/sweep": 4, "device/exchange": 4,
    "pipeline": 5, "device/pipeline": 6, "planner": 6, "device/model": 6, "plan": 7, "device/plan": 8, "passes": 8,
    "answers": 9,
}
SLICES = [("planner", "device/model")]  # one layer: they know each other
# Headers of others, and the only files that may know them.
CONFINED = {
    "mpi.h": ["src/support/comm/comm_mpi*", "src/transport/mpi/*", "src/device/transport/mpi_device.cpp",
              "include/shardfft/mpi.hpp", "apps/cli/launch/launch_mpi.cpp", "bindings/fftw_mpi/*", "bindings/heffte/*",
              "benchmarks/*", "tests/*", "examples/*"],
    "omp.h": ["src/support/processor/team.cpp", "src/support/processor/team_threads.cpp",
              "benchmarks/*", "tests/*"],
    "CLI/*": ["apps/cli/options/command_line.cpp"],  # it costs each file that includes it four seconds of compiling
    "fftw3*.h": ["src/engine/fftw*", "bindings/fftw_mpi/*", "bindings/heffte/*", "benchmarks/*", "tests/*"],
    "hdf5.h": ["src/files/hdf5/*"],
    "mkl*.h": ["src/engine/mkl*", "src/device/sycl/*", "benchmarks/peers/*"],
    "cu*.h": ["src/device/*", "bindings/heffte/*", "benchmarks/peers/gpu/*", "tools/gpu/*",
              "tests/device/cuda_stand_in*"],
    "vkFFT.h": ["benchmarks/peers/gpu/peer_vkfft*"],
    "nvrtc.h": ["benchmarks/peers/gpu/peer_vkfft*"],
    "hip/*": ["src/device/*", "bindings/heffte/*"],
    "sycl/*": ["src/device/sycl/*", "tests/device/sycl/*", "src/device/kernels/warp.hpp",
               "src/device/kernels/twiddles.hpp"],
    "oneapi/*": ["src/device/sycl/*"],
    "cufftdx*": ["src/device/gpu/*"],
    "hipfft*": ["src/device/*"],
    "zfp.h": ["src/codec/zfp*"],
    "Kokkos_*.hpp": ["bindings/kokkos/*", "tests/*", "examples/*"],
    "nccl.h": ["src/device/transport/nccl/*"],
}
# Solvers, the program, bindings/ and benchmarks/ see the library as its users do; what measures its parts, and tests,
# see more.
SEES_PUBLIC_HEADERS_ONLY = ["include/*", "solvers/*", "examples/*", "apps/*", "bindings/*", "benchmarks/*"]
SEES_ALL = ["benchmarks/internal/*", "benchmarks/tests/*"]
# Folders of benchmarks/, as its own files include them.
BENCHMARKS = {"compare", "peers", "report"}
# Index arithmetic stays pure: besides the standard library these only.
GRID_MAY_INCLUDE = [
    "support/text/did_you_mean.hpp", "shardfft/box.hpp", "shardfft/layout.hpp", "shardfft/error.hpp", "grid/*", "fmt/*"
]
# The standard library's headers in C.
C_HEADERS = {"stddef.h", "stdint.h"}
REGISTRIES = ["src/*/registry.cpp", "src/*/*_registry.cpp"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Regions and calls of OpenMP, which would hang in a child of fork(); `#pragma omp simd` starts no threads.
OPENMP = re.compile(r'^\s*(?:#\s*pragma\s+omp\s+(?!simd\b)|.*_Pragma\("omp (?!simd\b)|(?!\s*//)(?:.*\W)?omp_\w+\()')
SWITCH = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif|elifdef)\b.*\bSHARDFFT_WITH_\w+")
SOURCES = {".hpp", ".h", ".cpp", ".c", ".cu", ".cuh", ".inl"}


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def is_standard(header):
    """<vector>, <cstdint>: names without a folder and without an ending."""
    return "/" not in header and "." not in header


def room_of(path):
    """The longest name in LAYERS that `path` begins with, or None."""
    return max((room for room in LAYERS if path.startswith(room + "/")), key=len, default=None)


def may_know(room, other):
    return room == other or LAYERS[other] < LAYERS[room] or (room, other) in SLICES or (other, room) in SLICES


def sees(path):
    """Whether a file may include a private header of the library, if it is not of the library itself."""
    return not matches(path, SEES_PUBLIC_HEADERS_ONLY) or matches(path, SEES_ALL)


def layer_findings(path, header):
    """Rules on which of our own folders may be included from `path`."""
    room = room_of(path.removeprefix("src/")) if path.startswith("src/") else None
    other = room_of(header)
    if header.startswith("../") or "/../" in header:
        yield f"includes name the folder, as in \"grid/pieces.hpp\", but got \"{header}\""
    if other and not sees(path):
        yield (f"public headers, solvers/, examples, the program, bindings/ and benchmarks/ see include/shardfft only, "
               f"but got \"{header}\" of src; move what is needed into the public face")
    if header.split("/")[0] in BENCHMARKS and "/" in header and not path.startswith("benchmarks/"):
        yield f"benchmarks/ is at the top, but got its \"{header}\"; move what both need below it"
    if room and other and not may_know(room, other):
        yield (f"includes point downward, but {room} (layer {LAYERS[room]}) got \"{header}\" (layer {LAYERS[other]}); "
               "move what both need below them")
    if room and not room.startswith("device") and header.startswith("device/"):
        yield (f"rooms of the host know nothing of devices, but {room} got \"{header}\"; "
               "implement its seam under src/device")


def purity_findings(path, bracket, header):
    """Rules of src/grid (standard library, Error, fmt, names that were probably meant) and of the public headers
    (standard library, each other)."""
    if path.startswith("src/grid/"):
        standard = bracket == "<" and is_standard(header)
        local = bracket == '"' and "/" not in header
        if not (standard or local or matches(header, GRID_MAY_INCLUDE)):
            yield (f"src/grid is index arithmetic on the standard library, fmt, shardfft/error.hpp and "
                   f"support/text/did_you_mean.hpp, but got {header}")
    standard = header in C_HEADERS if path.endswith(".h") else is_standard(header)
    if path.startswith("include/") and not (standard or header.startswith("shardfft/") or header == "mpi.h"):
        yield (f"public headers include the standard library and each other, but got {header}; hide it behind a "
               f"pointer to an implementation")


def confinement_findings(path, header):
    for confined, homes in CONFINED.items():
        if fnmatch.fnmatchcase(header, confined) and not matches(path, homes):
            yield f"<{header}> belongs in {', '.join(homes)} only; go through the seam"


def findings(path, text):
    """All complaints about one file; `path` is relative to the root, with '/'."""
    for number, line in enumerate(text.splitlines(), start=1):
        include = INCLUDE.match(line)
        if include:
            bracket, header = include.groups()
            for rules in (layer_findings(path, header), purity_findings(path, bracket,
                                                                        header), confinement_findings(path, header)):
                yield from (f"{path}:{number}: {text}" for text in rules)
        if OPENMP.match(line) and not matches(path, CONFINED["omp.h"]):
            yield (f"{path}:{number}: OpenMP belongs in {CONFINED['omp.h'][0]} only, which knows what fork() leaves; "
                   f"use on_team() of shardfft/programs/team.hpp")
        if SWITCH.match(line) and not matches(path, REGISTRIES):
            yield (f"{path}:{number}: SHARDFFT_WITH_ switches stand in registries only ({', '.join(REGISTRIES)}); ask "
                   f"the registry")


def imports_of(module, is_package, text):
    """Modules that a module names in relative imports, also within functions and for checkers of types."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = module.split(".")[:len(module.split(".")) - node.level + is_package]
            base = ".".join(folder + ([node.module] if node.module else []))
            yield from [f"{base}.{name.name}" for name in node.names] if not node.module else [base]


def circle_findings(package, modules):
    """`modules`: whether it is a package, and its text, by name."""
    graph = {name: {m for m in imports_of(name, *file) if m in modules} for name, file in modules.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        yield (f"{package}: modules import each other in no circle, but got {' < '.join(error.args[1])}; move what "
               "both need below them")


def modules_of(package):
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        yield ".".join(parts[:-1] if is_package else parts), (is_package, file.read_text(encoding="utf-8"))


def all_findings(root):
    package = root / "bindings/python/shardfft"
    found = list(circle_findings(package.relative_to(root).as_posix(), dict(modules_of(package))))
    for top in ("include", "src", "apps", "benchmarks", "bindings", "examples", "solvers", "tests",
                "tools"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCES and file.is_file():
                path, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
                found += findings(path, text)
    return found


# path, line, whether it must be found
SELF_TEST = [
    ("apps/cli/bench/bench.cpp", '#include "shardfft/collective.hpp"', False),
    ("apps/cli/bench/bench.cpp", '#include "support/comm/agree.hpp"', True),
    ("apps/cli/options/plan_options.cpp", '#include "shardfft/options.hpp"', False),
    ("apps/cli/bench/bench.cpp", '#include "planner/options/choices.hpp"', True),
    ("apps/cli/bench/bench.cpp", '#include "compare/cases/case.hpp"', True),
    ("src/plan/plan.cpp", '#include "report/data/results.hpp"', True),
    ("benchmarks/report/report.cpp", '#include "report/data/results.hpp"', False),
    ("benchmarks/compare/compare.cpp", '#include "planner/model/machine.hpp"', True),
    ("benchmarks/peers/common/peer.hpp", '#include "verify/noise.hpp"', True),
    ("benchmarks/studies/approximate_study.cpp", '#include "verify/noise.hpp"', True),
    ("benchmarks/internal/engine_rate.cpp", '#include "engine/engine.hpp"', False),
    ("benchmarks/tests/peers/grids_test.cpp", '#include "grid/box.hpp"', False),
    ("benchmarks/peers/gpu/peer_cufft.cpp", "#include <cufft.h>", False),
    ("benchmarks/peers/common/peer_shardfft.cpp", "#include <cuda_runtime_api.h>", True),
    ("benchmarks/peers/gpu/peer_cufft.cpp", "#include <vkFFT.h>", True),
    ("src/grid/pieces.cpp", '#include "shardfft/layout.hpp"', False),
    ("src/grid/pieces.cpp", "#include <vector>", False),
    ("src/grid/pieces.cpp", "#include <fmt/format.h>", False),
    ("src/grid/pieces.cpp", "#include <omp.h>", True),
    ("src/grid/pieces.cpp", '#include "support/comm/agree.hpp"', True),
    ("src/grid/pieces.cpp", '#include "shardfft/comm.hpp"', True),
    ("src/sweep/sweep.cpp", '#include "engine/engine.hpp"', False),
    ("src/sweep/sweep.cpp", '#include "pipeline/pipeline.hpp"', True),
    ("src/sweep/sweep.cpp", '#include "exchange/exchange.hpp"', True),
    ("src/engine/native.cpp", '#include "transport/transport.hpp"', True),
    ("src/engine/native.cpp", '#include "../sweep/tile_moves.hpp"', True),
    ("src/support/comm/agree.cpp", '  #  include "planner/model/machine.hpp"', True),
    ("src/plan/plan.cpp", '#include "planner/model/model.hpp"', False),
    ("src/answers/spectrum.cpp", '#include "plan/operators/shells.hpp"', False),
    ("src/plan/plan.cpp", '#include "answers/tiles.hpp"', True),
    ("src/planner/model/model.cpp", '#include "plan/plan_impl.hpp"', True),
    ("src/verify/hash.cpp", '#include "shardfft/plan.hpp"', False),
    ("src/engine/fftw.cpp", "#include <fftw3.h>", False),
    ("src/sweep/sweep.cpp", "#include <fftw3.h>", True),
    ("src/plan/plan.cpp", "#include <mpi.h>", True),
    ("src/transport/mpi/mpi_p2p.cpp", "#include <mpi.h>", False),
    ("include/shardfft/mpi.hpp", "#include <mpi.h>", False),
    ("include/shardfft/plan.hpp", "#include <mpi.h>", True),
    ("include/shardfft/plan.hpp", '#include "engine/engine.hpp"', True),
    ("include/shardfft/plan.hpp", "#include <fmt/format.h>", True),
    ("include/shardfft.h", "#include <stdint.h>", False),
    ("include/shardfft.h", "#include <vector>", True),
    ("include/shardfft.h", "#include <mpi.h>", True),
    ("bindings/c/plan.cpp", '#include "shardfft/collective.hpp"', False),
    ("bindings/c/plan.cpp", '#include "support/comm/agree.hpp"', True),
    ("bindings/c/comm_mpi.cpp", "#include <mpi.h>", True),
    ("bindings/fftw_mpi/request.hpp", "#include <mpi.h>", False),
    ("bindings/fftw_mpi/plan.cpp", '#include "fftw3-mpi.h"', False),
    ("bindings/fftw_mpi/plan.cpp", '#include "plan/plan_impl.hpp"', True),
    ("bindings/kokkos/include/shardfft/kokkos/views.hpp", "#include <Kokkos_Core.hpp>", False),
    ("include/shardfft/strided.hpp", "#include <Kokkos_Core.hpp>", True),
    ("solvers/poisson/poisson.cpp", '#include "support/comm/agree.hpp"', True),
    ("solvers/poisson/poisson.cpp", '#include "shardfft/plan.hpp"', False),
    ("examples/poisson.cpp", '#include "support/comm/agree.hpp"', True),
    ("tests/plan/plan_test.cpp", '#include "support/comm/agree.hpp"', False),
    ("src/sweep/units.hpp", '#include "device/device.hpp"', True),
    ("src/codec/stage.hpp", '#include "device/device.hpp"', True),
    ("src/device/sweep/device_sweep.hpp", '#include "sweep/sweep.hpp"', False),
    ("src/device/sweep/device_sweep.hpp", '#include "pipeline/pipeline.hpp"', True),
    ("src/device/device.hpp", '#include "device/sweep/device_sweep.hpp"', True),
    ("src/device/gpu/names.hpp", "#include <cuda_runtime_api.h>", False),
    ("src/device/gpu/kernels/launch.cuh", "#include <hip/hip_runtime.h>", False),
    ("src/device/gpu/kernels/kernels.cu", '#include "sweep/sweep.hpp"', True),
    ("src/plan/plan.cpp", "#include <cufft.h>", True),
    ("apps/peers/peer_shardfft.cpp", "#include <cuda_runtime_api.h>", True),
    ("src/pipeline/run.cpp", "#include <hipfft/hipfft.h>", True),
    ("src/engine/registry.cpp", "#if SHARDFFT_WITH_FFTW", False),
    ("src/plan/plan.cpp", "#if SHARDFFT_WITH_FFTW", True),
    ("src/plan/plan.cpp", "#ifdef SHARDFFT_WITH_MPI", True),
    ("solvers/navier_stokes/sums.cpp", "#pragma omp parallel num_threads(grid.threads)", True),
    ("src/plan/halo/moves.cpp", "  #pragma omp barrier", True),
    ("bindings/python/src/flow.cpp", "  const int all = omp_get_max_threads();", True),
    ("apps/cli/machine.cpp", "#include <omp.h>", True),
    ("apps/cli/machine.cpp", '  _Pragma("omp parallel for")', True),
    ("solvers/navier_stokes/modes.cpp", "#pragma omp simd", False),
    ("solvers/navier_stokes/modes.cpp", "const bool complex = is_complex_number(x);", False),
    ("src/support/processor/team.cpp", "#pragma omp parallel num_threads(team)", False),
    ("src/plan/plan.cpp", "// #include <mpi.h> is not here", False),
]


# modules of a package, whether there is a circle
SELF_TEST_OF_CIRCLES = [
    ({"p.a": (False, "from .b import f"), "p.b": (False, "import os")}, False),
    ({"p.a": (False, "from .b import f"), "p.b": (False, "def f():\n    from . import a")}, True),
    ({"p": (True, "from .q import c"), "p.q": (True, ""), "p.q.c": (False, "from ..q import d\nfrom .. import r")},
     False),
    ({"p.q.c": (False, "from ..r import d"), "p.r": (False, "if TYPE_CHECKING:\n    from .q.c import e")}, True),
]


def self_test():
    wrong = [(path, line, expected)
             for path, line, expected in SELF_TEST
             if bool(list(findings(path, line))) != expected]
    wrong += [("circles", str(modules), expected) for modules, expected in SELF_TEST_OF_CIRCLES
              if bool(list(circle_findings("p", modules))) != expected]
    for path, line, expected in wrong:
        print(f"self-test: {path}: {line!r} should {'' if expected else 'not '}be found")
    cases = len(SELF_TEST) + len(SELF_TEST_OF_CIRCLES)
    print(f"self-test: {cases - len(wrong)} of {cases} cases right")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if not (arguments.root / "src").is_dir():
        sys.exit(f"check_layers: {arguments.root} has no src")
    found = all_findings(arguments.root)
    print("\n".join(found) if found else "every include points downward")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
