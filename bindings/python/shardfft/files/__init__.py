"""Transforms of arrays that are larger than memory, and answers about them: of files, memory maps, datasets of h5py,
arrays of zarr.

    shardfft.files.transform("volume.npy", "spectrum.npy", memory="4G")
    shardfft.files.filter("volume.npy", "smooth.tif", low_pass=10.0, spacing=(2.0, 0.5, 0.5))
    shardfft.files.apply("volume.npy", "smooth.npy", shardfft.spectral.gaussian, spacing=0.5, sigma=2.0)
    shardfft.files.deconvolve("volume.npy", "psf.npy", "sharp.npy", iterations=20)
    power = shardfft.files.power_spectrum(h5py.File("volume.h5")["density"], spacing=(2, 0.5, 0.5))

The array is read, transformed and written tile by tile, in passes through scratch files. Results have the bits of a
Plan of the whole array in memory. All calls are collective, and return on every rank. They take:

    source   path of a .npy file, or of HDF5, Zarr, TIFF, MRC or NIfTI, which their Python packages read ("f.h5:/name"
             names a dataset); or any object with shape, dtype and slices: source[slices] is read, by one thread. So
             are second arrays, kernels and point spread functions
    target   path of a .npy file, on one rank also of these formats, which appears whole or not at all; or such an
             object: target[slices] = block
    memory   bytes, or a text such as "4G", that each rank may take; None: three quarters of what is free
    scratch  folders for scratch files, on several disks; (): beside the target, or the system's for such files
    comm     None: this process; a communicator of mpi4py; or what local(), mpi() and on_ranks() give. On several ranks,
             each has an object for the same array
    **options  options of Plan that say how, such as threads=4

Errors: IoFailed, also with the text of what an object raises; InvalidArgument and InvalidProblem for arrays that do not
fit; OutOfMemory, which says the least that is needed."""

from __future__ import annotations

from .._formats.convert import convert
from .answers import convolve, correlate, deconvolve, register, spectrum
from .transforms import apply, filter, power_spectrum, transform

__all__ = [  # filter is a name of Python's, too
    "apply", "convert", "convolve", "correlate", "deconvolve", "power_spectrum", "register", "spectrum", "transform",
]
