# Copyright 2026 the authors of shardfft
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Shardfft(CMakePackage):
    """Fast Fourier transforms of arrays that are distributed over the threads, processes and
    nodes of a machine, in C++, C, Fortran and Python, and as a program."""

    homepage = "https://shardfft.example"
    url = "https://shardfft.example/releases/shardfft-0.1.0.tar.gz"

    license("Apache-2.0")

    # Zeros until an archive is published.
    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("shared", default=True, description="Build a shared C++ library")
    variant("mpi", default=True, description="Transport between processes, and shardfft/mpi.hpp")
    variant("fortran", default=True, description="Build the Fortran module")
    variant("python", default=False, description="Build the Python package")
    variant("hdf5", default=False, description="Datasets of HDF5 files in the program")
    variant("zfp", default=False, description="Codec zfp")
    variant("fftw", default=False, description="Engine fftw, which puts the library under the GPL")
    variant("cuda", default=False, description="Device cuda")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fmt@9:")
    depends_on("highway@1.0.3:")
    depends_on("xxhash@0.8:")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("zfp@1:", when="+zfp")
    depends_on("fftw@3.3: precision=float,double", when="+fftw")
    depends_on("cuda@12:", when="+cuda")
    extends("python@3.10:", when="+python")
    depends_on("py-nanobind@2.5:", type="build", when="+python")
    depends_on("py-numpy@2:", type=("build", "run"), when="+python")
    depends_on("py-mpi4py@4:", type=("build", "run"), when="+python+mpi")

    conflicts("%gcc@:11", msg="shardfft needs the C++20 of gcc 12")
    conflicts("+python", when="~shared", msg="the Python module links the shared library")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SHARDFFT_WITH_MPI", "mpi"),
            self.define_from_variant("SHARDFFT_WITH_FORTRAN", "fortran"),
            self.define_from_variant("SHARDFFT_WITH_PYTHON", "python"),
            self.define_from_variant("SHARDFFT_WITH_HDF5", "hdf5"),
            self.define_from_variant("SHARDFFT_WITH_ZFP", "zfp"),
            self.define_from_variant("SHARDFFT_WITH_FFTW", "fftw"),
            self.define_from_variant("SHARDFFT_WITH_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
        left_out = [
            "SHARDFFT_WITH_MKL",
            "SHARDFFT_WITH_HIP",
            "SHARDFFT_WITH_NCCL",
            "SHARDFFT_WITH_KOKKOS",
            "SHARDFFT_WITH_EMULATED",
            "SHARDFFT_BUILD_TESTS",
            "SHARDFFT_BUILD_BENCHMARKS",
            "SHARDFFT_BUILD_PEERS",
        ]
        return args + [self.define(name, False) for name in left_out]

    @run_after("install", when="+python")
    def install_python(self):
        folder = self.builder.build_directory
        cmake("--install", folder, "--component", "python", "--prefix", python_platlib)

    def test_program(self):
        """the program says its version"""
        program = which(self.prefix.bin.shardfft, required=True)
        assert str(self.spec.version) in program("--version", output=str.split, error=str.split)
