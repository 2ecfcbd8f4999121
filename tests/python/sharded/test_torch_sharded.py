"""shardfft.torch on DTensors: 1 to 4 processes with gloo have the bits of the whole array. Checks are those of
torch_program.py."""

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; pip install torch")
OLD = f"PyTorch with DTensor is not installed; got {torch.__version__}; pip install 'torch>=2.5'"
if not hasattr(pytest.importorskip("torch.distributed.tensor", reason=OLD), "DTensor"):
    pytest.skip(OLD, allow_module_level=True)

PROGRAM = Path(__file__).with_name("torch_program.py")
CHECKS = re.findall(r"^def (\w+)\(\):$", PROGRAM.read_text(encoding="utf-8"), re.MULTILINE)
CHECKS.remove("meshes")


@functools.cache
def said_by_processes(count):
    with tempfile.TemporaryDirectory() as folder:
        processes = [subprocess.Popen([sys.executable, PROGRAM, str(rank), str(count), os.path.join(folder, "store")],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for rank in range(count)]
        try:
            return [process.communicate(timeout=240) for process in processes]
        finally:
            for process in processes:
                process.kill()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("check", CHECKS)
def test_processes(count, check):
    for out, err in said_by_processes(count):
        assert f"passed {check}\n" in out, (out, "\n".join(err.splitlines()[-40:]))
