#!/usr/bin/env python3
"""check_kernels.py [--update]

Compiles the kernels of src/device/gpu/kernels for compute capability 9.0 (H100, H200), nothing else, and compares what
ptxas says of their registers with a table. Those of src/device/gpu/cufftdx too, if MATHDX_ROOT names a folder whose
`include` has cufftdx.hpp. Exit status 1 and a line for each kernel that spills more registers than the
table says, of which fewer than 2 blocks fit on a multiprocessor, or that the table does not know; 2 without nvcc.
--update writes the tables. Numbers of registers may differ: they are the compiler's.
"""
import argparse
import csv
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = ROOT / "src/device/gpu"
LEAST_BLOCKS = 2

# A multiprocessor of compute capability 9.0. Source: CUDA C++ Programming Guide, table of technical specifications.
REGISTERS, REGISTERS_AT_ONCE, WARPS, WARPS_AT_ONCE, BLOCKS = 65536, 256, 64, 4, 32
SHARED_BYTES, SHARED_OF_SYSTEM = 228 * 1024, 1024


@dataclasses.dataclass
class Kernel:
    name: str
    threads: int
    registers: int
    shared: int
    stack: int
    spill_stores: int
    spill_loads: int

    @property
    def blocks(self):
        """How many blocks a multiprocessor has room for at once."""
        warps = -(-self.threads // 32)
        of_a_warp = -(-self.registers * 32 // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
        by_registers = REGISTERS // of_a_warp // WARPS_AT_ONCE * WARPS_AT_ONCE // warps
        return min(by_registers, WARPS // warps, BLOCKS, SHARED_BYTES // (self.shared + SHARED_OF_SYSTEM))


COLUMNS = [field.name for field in dataclasses.fields(Kernel)] + ["blocks"]


def row(kernel):
    return [str(getattr(kernel, column)) for column in COLUMNS]


def dynamic_shared(name):
    """Bytes of a block that ptxas does not know: kernels that have some say it last in their name."""
    found = re.search(r"run_fused<.*, (\d+)>\(", name)
    return int(found.group(1)) if found else 0


def short(name):
    """"MoveKernel<double, 1, kernels::NoTwiddles>" of a kernel's whole name."""
    fused = re.search(r"(run_fused<.*), \d+>\(", name)
    if fused:
        return fused.group(1) + ">"
    name = re.sub(r"^void ", "", name)
    name = re.sub(r"\(.*\)$", "", name)
    inner = re.fullmatch(r"shardfft::cuda::run_blocks<(.*?) ?>", name)
    return (inner.group(1) if inner else name).replace("shardfft::", "").replace("(anonymous namespace)::", "")


def threads_of(ptx):
    """By mangled name, the threads of a block, as __launch_bounds__ says."""
    found = {}
    for name, about in re.findall(r"\.entry (\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*([^{]*)\{", ptx):
        bound = re.search(r"\.maxntid (\d+)", about)
        if bound:
            found[name] = int(bound.group(1))
    return found


def parse(report, threads):
    """What `ptxas -v` says of each kernel."""
    for part in report.split("Compiling entry function ")[1:]:
        name = part.split("'")[1]
        stack, stores, loads = map(int, re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups())
        shared = re.search(r"(\d+) bytes smem", part)
        yield Kernel(name, threads[name], int(re.search(r"Used (\d+) registers", part).group(1)),
                     int(shared.group(1)) if shared else 0, stack, stores, loads)


def readable(kernels):
    """The same with names for people, in their order."""
    names = subprocess.run(["c++filt"], input="\n".join(kernel.name for kernel in kernels), text=True, check=True,
                           capture_output=True).stdout.splitlines()
    return sorted((dataclasses.replace(kernel, name=short(name), shared=kernel.shared + dynamic_shared(name))
                   for kernel, name in zip(kernels, names)), key=lambda kernel: kernel.name)


def mathdx():
    root = os.environ.get("MATHDX_ROOT")
    return ["-isystem", f"{root}/include"] if root else []


def compiled(source, folder):
    words = ["nvcc", "-std=c++20", "-O3", "-arch=sm_90", "-cubin", "-Xptxas", "-v", "--keep", "--keep-dir", folder,
             "-DSHARDFFT_GPU_IS_HIP=0", f"-I{ROOT}/include", f"-I{ROOT}/src", *mathdx(), source,
             "-o", f"{folder}/out.cubin"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"check_kernels: {source} does not compile:\n{done.stdout}{done.stderr}")
    ptx = (pathlib.Path(folder) / f"{source.stem}.ptx").read_text(encoding="utf-8")
    return list(parse(done.stderr, threads_of(ptx)))


def findings(kernels, table):
    """A line for each kernel that is worse than the table, or unknown to it. `table`: rows by name."""
    for kernel in kernels:
        known = table.get(kernel.name)
        if known is None:
            yield f"{kernel.name}: is not in the table; --update writes it down"
            continue
        for column in ("spill_stores", "spill_loads"):
            spilled, before = getattr(kernel, column), int(known[column])
            if spilled > before:
                yield f"{kernel.name}: {spilled} bytes of {column.replace('_', ' ')}, the table says {before}"
        if kernel.blocks < LEAST_BLOCKS:
            yield f"{kernel.name}: {kernel.blocks} block a multiprocessor with {kernel.registers} registers and " \
                  f"{kernel.shared} bytes of shared memory; {LEAST_BLOCKS} are wanted"
    for name in table.keys() - {kernel.name for kernel in kernels}:
        yield f"{name}: is in the table and not compiled; --update writes the table anew"


def check(folder, update):
    """All kernels of a folder, and what is wrong with them."""
    table, kernels = folder / "sm_90.tsv", []
    for source in sorted(folder.glob("*.cu")):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as scratch:
            kernels += compiled(source, scratch)
    kernels = readable(kernels)
    if update:
        with table.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS, *map(row, kernels)])
    with table.open(encoding="utf-8") as file:
        known = {kernel["name"]: kernel for kernel in csv.DictReader(file, delimiter="\t")}
    return kernels, list(findings(kernels, known))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("check_kernels: no nvcc", file=sys.stderr)
        return 2
    failed = False
    for folder in [GPU / "kernels", *([GPU / "cufftdx"] if mathdx() else [])]:
        kernels, wrong = check(folder, arguments.update)
        for line in wrong:
            print(line)
        print(f"check_kernels: {folder.name}: {len(kernels)} kernels for sm_90, "
              f"{sum(k.spill_stores > 0 for k in kernels)} spill, least blocks a multiprocessor "
              f"{min(k.blocks for k in kernels)}, most registers {max(k.registers for k in kernels)}; "
              f"{len(wrong)} findings")
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
