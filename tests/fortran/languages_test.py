"""The same data has the same hash in Fortran, C, C++ and Python.

languages_test.py PROGRAM...: each prints a line with "hash" and 16 hexadecimal digits
"""
import re
import subprocess
import sys

import numpy as np
import shardfft


def hash_of(program):
    return re.search(r"^hash ([0-9A-F]{16})$", subprocess.run([program], check=True, capture_output=True,
                                                              text=True).stdout, re.MULTILINE)[1]


def by_python():
    i, j, k = np.meshgrid(np.arange(1, 4), np.arange(1, 6), np.arange(1, 8), indexing="ij")
    u = ((7 * k + 3 * j + i) % 11 - 0.125 * (i * j % 5)).T.copy()
    plan = shardfft.Plan(shape=u.shape, kind="r2c", input="slabs:0", output="pencils:0")
    return f"{plan.hash_output(plan.forward(u)):016X}"


if len(sys.argv) < 3:
    sys.exit(f"usage: languages_test.py PROGRAM PROGRAM...; got {len(sys.argv) - 1} programs")
hashes = {program: hash_of(program) for program in sys.argv[1:]} | {"Python": by_python()}
print(hashes)
sys.exit(len(set(hashes.values())) != 1)
