program mpi_module_test
  use mpi
  use mpi_checks
  implicit none
  type(sf_comm) :: comm
  integer :: failed
  call MPI_Init(failed)
  comm = sf_comm_mpi(MPI_COMM_WORLD)  ! with Open MPI its handle is 0
  call on_ranks_of_mpi(comm)
  call comm%destroy()
  call MPI_Finalize(failed)
  call finish()
end program
