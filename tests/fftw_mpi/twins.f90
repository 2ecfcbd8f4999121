! A Fortran program that knows nothing of shardfft. FFTW's module binds to twins that take an integer communicator.
program twins
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  include 'fftw3-mpi.f03'
  integer(C_INTPTR_T), parameter :: nx = 8, ny = 6
  integer(C_INTPTR_T) :: rows, first, i
  type(C_PTR) :: memory, plan
  complex(C_DOUBLE_COMPLEX), pointer :: x(:, :)
  real(C_DOUBLE) :: mine, all
  integer :: rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call fftw_mpi_init()
  memory = fftw_alloc_complex(fftw_mpi_local_size_2d(ny, nx, MPI_COMM_WORLD%MPI_VAL, rows, first))
  call c_f_pointer(memory, x, [nx, rows])
  plan = fftw_mpi_plan_dft_2d(ny, nx, x, x, MPI_COMM_WORLD%MPI_VAL, FFTW_FORWARD, FFTW_MEASURE)
  do i = 1, rows
    x(:, i) = first + i
  end do
  call fftw_mpi_execute_dft(plan, x, x)
  mine = sum(abs(x))
  call MPI_Reduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, f0.9)', 'sum ', all
  call fftw_destroy_plan(plan)
  call fftw_free(memory)
  call MPI_Finalize()
end program
