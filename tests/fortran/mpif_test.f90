program mpif_test
  use mpi_checks
  implicit none
  include 'mpif.h'
  type(sf_comm) :: comm
  integer :: failed
  call MPI_Init(failed)
  comm = sf_comm_mpi(MPI_COMM_WORLD)
  call on_ranks_of_mpi(comm)
  call comm%destroy()
  call MPI_Finalize(failed)
  call finish()
end program
