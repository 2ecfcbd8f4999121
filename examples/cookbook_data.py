"""Makes the files of docs/cookbook.md in this folder, from images that packages on PyPI contain.

brain.nii.gz, gray.nii.gz, white.nii.gz  the MNI 152 template and its tissues at 1 mm (nilearn)
galaxies.npy                             the Hubble deep field, 872 x 1000 (scikit-image)
psf.npy                                  a Gaussian of 2 points, 15 x 15
"""

from __future__ import annotations

import glob
import io
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
from PIL import Image

NILEARN = "nilearn/datasets/data/mni_icbm152_{}_tal_nlin_sym_09a_converted.nii.gz"


def wheel(package: str, folder: str) -> zipfile.ZipFile:
    """The wheel of a package, which is not installed."""
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, package], check=True)
    return zipfile.ZipFile(glob.glob(f"{folder}/{package.replace('-', '_')}-*.whl")[0])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        brains = wheel("nilearn", folder)
        for word, name in (("t1", "brain"), ("gm", "gray"), ("wm", "white")):
            with open(f"{name}.nii.gz", "wb") as file:
                file.write(brains.read(NILEARN.format(word)))
        picture = wheel("scikit-image", folder).read("skimage/data/hubble_deep_field.jpg")
    np.save("galaxies.npy", np.asarray(Image.open(io.BytesIO(picture)).convert("L"), "f4"))
    along = np.exp(-np.arange(-7, 8) ** 2 / 8.0)
    psf = np.outer(along, along)
    np.save("psf.npy", (psf / psf.sum()).astype("f4"))


if __name__ == "__main__":
    main()
