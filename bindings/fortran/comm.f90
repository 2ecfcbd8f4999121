!> Groups of ranks: threads or processes that transform together. Ranks count from 0, as in MPI.
module shardfft_comm
  use, intrinsic :: iso_c_binding
  use shardfft_c_library
  use shardfft_text
  implicit none
  private
  public :: sf_comm, sf_comm_dry_run, sf_comm_local, sf_comm_mpi, sf_has, sf_on_ranks, sf_version

  type :: sf_comm
    type(c_ptr) :: handle = c_null_ptr  !< shardfft_comm of C
  contains
    procedure :: rank => comm_rank
    procedure :: size => comm_size
    procedure :: node
    procedure :: nodes
    procedure :: kind => comm_kind
    procedure :: barrier
    procedure :: destroy
  end type

  !> Collective. The ranks of an MPI communicator, which is duplicated: an integer of mpif.h or `use mpi`. For those of
  !> mpi_f08 use shardfft_mpi_f08.
  interface sf_comm_mpi
    module procedure comm_of_integer
  end interface

  abstract interface
    subroutine sf_body(comm)
      import :: sf_comm
      type(sf_comm), intent(in) :: comm
    end subroutine
  end interface
  type :: body_holder
    procedure(sf_body), pointer, nopass :: body => null()
  end type

contains

  !> "0.1.0"
  function sf_version() result(text)
    character(:), allocatable :: text
    call copy_text(shardfft_version_text(), text)
  end function

  !> Whether the library was built with a part: 'mpi', 'fftw', 'cuda'.
  logical function sf_has(part)
    character(*), intent(in) :: part
    sf_has = shardfft_has(c_text(part)) == 1
  end function

  !> This process alone, with all its cores.
  type(sf_comm) function sf_comm_local(stat, errmsg) result(comm)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(shardfft_comm_local(comm%handle), stat, errmsg)
  end function

  !> Every value is a handle: 0 is the world of Open MPI.
  type(sf_comm) function comm_of_integer(mpi_comm, stat, errmsg) result(comm)
    integer, intent(in) :: mpi_comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(shardfft_comm_mpi_f(int(mpi_comm, c_int), comm%handle), stat, errmsg)
  end function

  !> A group of which only `rank` exists, for plans that are looked at and never run.
  type(sf_comm) function sf_comm_dry_run(ranks, rank, ranks_per_node, stat, errmsg) result(comm)
    integer, intent(in) :: ranks, rank, ranks_per_node
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(shardfft_comm_dry_run(int(ranks, c_int), int(rank, c_int), int(ranks_per_node, c_int), comm%handle), &
                stat, errmsg)
  end function

  !> Runs `body` on threads of this process, each with its own rank of one group, which is lent to it. Compile such
  !> programs so that procedures keep nothing between calls: gfortran -frecursive
  subroutine sf_on_ranks(ranks, body, stat, errmsg)
    integer, intent(in) :: ranks
    procedure(sf_body) :: body
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(body_holder), target :: holder
    holder%body => body
    call settle(shardfft_on_ranks(int(ranks, c_int), c_funloc(one_rank), c_loc(holder)), stat, errmsg)
  end subroutine

  recursive integer(c_int) function one_rank(handle, user) bind(C, name='shardfft_fortran_one_rank')
    type(c_ptr), value :: handle, user
    type(body_holder), pointer :: holder
    type(sf_comm) :: comm
    comm%handle = handle
    call c_f_pointer(user, holder)
    call holder%body(comm)
    one_rank = 0
  end function

  !> From 0; -1 of a group that was not made.
  integer function comm_rank(self)
    class(sf_comm), intent(in) :: self
    comm_rank = shardfft_comm_rank(self%handle)
  end function

  integer function comm_size(self)
    class(sf_comm), intent(in) :: self
    comm_size = shardfft_comm_size(self%handle)
  end function

  !> Number of the node that a rank runs on.
  integer function node(self, of_rank)
    class(sf_comm), intent(in) :: self
    integer, intent(in) :: of_rank
    node = shardfft_comm_node(self%handle, int(of_rank, c_int))
  end function

  integer function nodes(self)
    class(sf_comm), intent(in) :: self
    nodes = shardfft_comm_nodes(self%handle)
  end function

  !> 'local', 'threads', 'mpi' or 'dry_run'
  function comm_kind(self) result(text)
    class(sf_comm), intent(in) :: self
    character(7) :: text
    character(:), allocatable :: all
    call copy_text(shardfft_comm_kind(self%handle), all)
    text = all
  end function

  !> Collective. Returns when all ranks have come.
  subroutine barrier(self, stat, errmsg)
    class(sf_comm), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(shardfft_comm_barrier(self%handle), stat, errmsg)
  end subroutine

  !> Plans on the group keep what they need of it.
  subroutine destroy(self)
    class(sf_comm), intent(inout) :: self
    call shardfft_comm_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine
end module
