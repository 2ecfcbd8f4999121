!> `use shardfft_mpi_f08` is `use shardfft`, and sf_comm_mpi takes a type(MPI_Comm), too.
module shardfft_mpi_f08
  use mpi_f08, only: MPI_Comm
  use shardfft
  implicit none

  interface sf_comm_mpi
    module procedure shardfft_comm_of_f08
  end interface
  private :: shardfft_comm_of_f08, MPI_Comm

contains

  type(sf_comm) function shardfft_comm_of_f08(comm, stat, errmsg) result(ranks)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    ranks = sf_comm_mpi(comm%MPI_VAL, stat, errmsg)
  end function
end module
