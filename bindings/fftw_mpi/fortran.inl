// The twins that FFTW's Fortran modules bind to: the same arguments with the communicator as Fortran has it. Included
// by functions.inl.

void FFTW(mpi_gather_wisdom_f03)(MPI_Fint comm) { return FFTW(mpi_gather_wisdom)(MPI_Comm_f2c(comm)); }

void FFTW(mpi_broadcast_wisdom_f03)(MPI_Fint comm) { return FFTW(mpi_broadcast_wisdom)(MPI_Comm_f2c(comm)); }

Size FFTW(mpi_local_size_many_transposed_f03)(int rank, const Size* n, Size howmany, Size block0, Size block1,
                                              MPI_Fint comm, Size* local_n0, Size* local_0_start, Size* local_n1,
                                              Size* local_1_start) {
  return FFTW(mpi_local_size_many_transposed)(rank, n, howmany, block0, block1, MPI_Comm_f2c(comm), local_n0,
                                              local_0_start, local_n1, local_1_start);
}

Size FFTW(mpi_local_size_many_f03)(int rank, const Size* n, Size howmany, Size block0, MPI_Fint comm, Size* local_n0,
                                   Size* local_0_start) {
  return FFTW(mpi_local_size_many)(rank, n, howmany, block0, MPI_Comm_f2c(comm), local_n0, local_0_start);
}

Size FFTW(mpi_local_size_many_1d_f03)(Size n0, Size howmany, MPI_Fint comm, int sign, unsigned flags, Size* local_ni,
                                      Size* local_i_start, Size* local_no, Size* local_o_start) {
  return FFTW(mpi_local_size_many_1d)(n0, howmany, MPI_Comm_f2c(comm), sign, flags, local_ni, local_i_start, local_no,
                                      local_o_start);
}

Size FFTW(mpi_local_size_transposed_f03)(int rank, const Size* n, MPI_Fint comm, Size* local_n0, Size* local_0_start,
                                         Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_transposed)(rank, n, MPI_Comm_f2c(comm), local_n0, local_0_start, local_n1, local_1_start);
}

Size FFTW(mpi_local_size_f03)(int rank, const Size* n, MPI_Fint comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size)(rank, n, MPI_Comm_f2c(comm), local_n0, local_0_start);
}

Size FFTW(mpi_local_size_1d_f03)(Size n0, MPI_Fint comm, int sign, unsigned flags, Size* local_ni, Size* local_i_start,
                                 Size* local_no, Size* local_o_start) {
  return FFTW(mpi_local_size_1d)(n0, MPI_Comm_f2c(comm), sign, flags, local_ni, local_i_start, local_no, local_o_start);
}

Size FFTW(mpi_local_size_2d_f03)(Size n0, Size n1, MPI_Fint comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size_2d)(n0, n1, MPI_Comm_f2c(comm), local_n0, local_0_start);
}

Size FFTW(mpi_local_size_2d_transposed_f03)(Size n0, Size n1, MPI_Fint comm, Size* local_n0, Size* local_0_start,
                                            Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_2d_transposed)(n0, n1, MPI_Comm_f2c(comm), local_n0, local_0_start, local_n1,
                                            local_1_start);
}

Size FFTW(mpi_local_size_3d_f03)(Size n0, Size n1, Size n2, MPI_Fint comm, Size* local_n0, Size* local_0_start) {
  return FFTW(mpi_local_size_3d)(n0, n1, n2, MPI_Comm_f2c(comm), local_n0, local_0_start);
}

Size FFTW(mpi_local_size_3d_transposed_f03)(Size n0, Size n1, Size n2, MPI_Fint comm, Size* local_n0,
                                            Size* local_0_start, Size* local_n1, Size* local_1_start) {
  return FFTW(mpi_local_size_3d_transposed)(n0, n1, n2, MPI_Comm_f2c(comm), local_n0, local_0_start, local_n1,
                                            local_1_start);
}

FftwPlan FFTW(mpi_plan_many_dft_f03)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Complex* in,
                                     Complex* out, MPI_Fint comm, int sign, unsigned flags) {
  return FFTW(mpi_plan_many_dft)(rank, n, howmany, in_block, out_block, in, out, MPI_Comm_f2c(comm), sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_f03)(int rank, const Size* n, Complex* in, Complex* out, MPI_Fint comm, int sign,
                                unsigned flags) {
  return FFTW(mpi_plan_dft)(rank, n, in, out, MPI_Comm_f2c(comm), sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_1d_f03)(Size n0, Complex* in, Complex* out, MPI_Fint comm, int sign, unsigned flags) {
  return FFTW(mpi_plan_dft_1d)(n0, in, out, MPI_Comm_f2c(comm), sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_2d_f03)(Size n0, Size n1, Complex* in, Complex* out, MPI_Fint comm, int sign,
                                   unsigned flags) {
  return FFTW(mpi_plan_dft_2d)(n0, n1, in, out, MPI_Comm_f2c(comm), sign, flags);
}

FftwPlan FFTW(mpi_plan_dft_3d_f03)(Size n0, Size n1, Size n2, Complex* in, Complex* out, MPI_Fint comm, int sign,
                                   unsigned flags) {
  return FFTW(mpi_plan_dft_3d)(n0, n1, n2, in, out, MPI_Comm_f2c(comm), sign, flags);
}

FftwPlan FFTW(mpi_plan_many_dft_r2c_f03)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Real* in,
                                         Complex* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_many_dft_r2c)(rank, n, howmany, in_block, out_block, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c_f03)(int rank, const Size* n, Real* in, Complex* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_dft_r2c)(rank, n, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c_2d_f03)(Size n0, Size n1, Real* in, Complex* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_dft_r2c_2d)(n0, n1, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_r2c_3d_f03)(Size n0, Size n1, Size n2, Real* in, Complex* out, MPI_Fint comm,
                                       unsigned flags) {
  return FFTW(mpi_plan_dft_r2c_3d)(n0, n1, n2, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_many_dft_c2r_f03)(int rank, const Size* n, Size howmany, Size in_block, Size out_block,
                                         Complex* in, Real* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_many_dft_c2r)(rank, n, howmany, in_block, out_block, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r_f03)(int rank, const Size* n, Complex* in, Real* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_dft_c2r)(rank, n, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r_2d_f03)(Size n0, Size n1, Complex* in, Real* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_dft_c2r_2d)(n0, n1, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_dft_c2r_3d_f03)(Size n0, Size n1, Size n2, Complex* in, Real* out, MPI_Fint comm,
                                       unsigned flags) {
  return FFTW(mpi_plan_dft_c2r_3d)(n0, n1, n2, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_many_r2r_f03)(int rank, const Size* n, Size howmany, Size in_block, Size out_block, Real* in,
                                     Real* out, MPI_Fint comm, const Kind* kind, unsigned flags) {
  return FFTW(mpi_plan_many_r2r)(rank, n, howmany, in_block, out_block, in, out, MPI_Comm_f2c(comm), kind, flags);
}

FftwPlan FFTW(mpi_plan_r2r_f03)(int rank, const Size* n, Real* in, Real* out, MPI_Fint comm, const Kind* kind,
                                unsigned flags) {
  return FFTW(mpi_plan_r2r)(rank, n, in, out, MPI_Comm_f2c(comm), kind, flags);
}

FftwPlan FFTW(mpi_plan_r2r_2d_f03)(Size n0, Size n1, Real* in, Real* out, MPI_Fint comm, Kind kind0, Kind kind1,
                                   unsigned flags) {
  return FFTW(mpi_plan_r2r_2d)(n0, n1, in, out, MPI_Comm_f2c(comm), kind0, kind1, flags);
}

FftwPlan FFTW(mpi_plan_r2r_3d_f03)(Size n0, Size n1, Size n2, Real* in, Real* out, MPI_Fint comm, Kind kind0,
                                   Kind kind1, Kind kind2, unsigned flags) {
  return FFTW(mpi_plan_r2r_3d)(n0, n1, n2, in, out, MPI_Comm_f2c(comm), kind0, kind1, kind2, flags);
}

FftwPlan FFTW(mpi_plan_many_transpose_f03)(Size n0, Size n1, Size howmany, Size block0, Size block1, Real* in,
                                           Real* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_many_transpose)(n0, n1, howmany, block0, block1, in, out, MPI_Comm_f2c(comm), flags);
}

FftwPlan FFTW(mpi_plan_transpose_f03)(Size n0, Size n1, Real* in, Real* out, MPI_Fint comm, unsigned flags) {
  return FFTW(mpi_plan_transpose)(n0, n1, in, out, MPI_Comm_f2c(comm), flags);
}
