program mpi_f08_test
  use mpi_f08
  use shardfft_mpi_f08
  use mpi_checks
  implicit none
  type(sf_comm) :: comm
  call MPI_Init()
  comm = sf_comm_mpi(MPI_COMM_WORLD)
  call on_ranks_of_mpi(comm)
  call comm%destroy()
  call MPI_Finalize()
  call finish()
end program
