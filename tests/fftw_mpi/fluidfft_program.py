"""fluidfft's transforms by FFTW-MPI: its own tests, then energies of a field on all ranks, one line for each class."""

import numpy as np
from fluidfft import import_fft_class
from mpi4py import MPI

for name, shape in ("fft3d.mpi_with_fftwmpi3d", (24, 20, 18)), ("fft2d.mpi_with_fftwmpi2d", (48, 40)):
    operator = import_fft_class(name)(*shape)
    passed = operator.run_tests() == 1
    field = operator.scatter_Xspace(np.random.default_rng(1).standard_normal(operator.get_shapeX_seq()))
    spectrum = operator.fft(field)
    error = np.abs(operator.ifft(spectrum) - field).max()
    energies = operator.compute_energy_from_X(field), operator.compute_energy_from_K(spectrum)
    passed = MPI.COMM_WORLD.allreduce(passed and error < 1e-13, MPI.LAND)
    if MPI.COMM_WORLD.rank == 0:
        print(name, "right" if passed else "wrong", "energies", *(repr(float(e)) for e in energies), flush=True)
