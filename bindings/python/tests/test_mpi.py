"""mpi4py's ranks transform together; LAUNCHER names how they are started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shardfft as sf

LAUNCHER = os.environ.get("SHARDFFT_TEST_LAUNCHER", "").split()


def test_one_hash_on_any_number_of_ranks():
    if not LAUNCHER:
        pytest.skip("no launcher: SHARDFFT_TEST_LAUNCHER names it")
    assert sf.info()["mpi"]
    program = Path(__file__).with_name("mpi_program.py")
    printed = {
        subprocess.run([*LAUNCHER, str(ranks), sys.executable, str(program)], check=True, capture_output=True,
                       text=True, timeout=120).stdout.split()[-1]
        for ranks in (1, 2, 3)
    }
    assert len(printed) == 1
