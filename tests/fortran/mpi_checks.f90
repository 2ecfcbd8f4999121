!> What ranks of MPI do, whichever module their communicator came from.
module mpi_checks
  use checks
  implicit none

contains

  !> 3 x 5 x 7 on these ranks and on one: the same bits. The last rank errs: all are told.
  subroutine on_ranks_of_mpi(comm)
    type(sf_comm), intent(inout) :: comm
    type(sf_comm) :: alone
    integer(c_int64_t) :: hash
    call check(comm%kind() == 'mpi', 'a group of MPI')
    alone = sf_comm_local()
    hash = hash_on(alone)
    call check(hash_on(comm) == hash, 'the bits of one rank')
    if (comm%rank() == 0) print '(a, z16.16)', 'hash ', hash
    call one_rank_errs(comm)
    call alone%destroy()
    call comm%barrier()
  end subroutine

  subroutine one_rank_errs(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    complex(dp) :: wide(8, 8), u(48), z(48)
    character(400) :: text
    integer :: stat
    u = 1
    wide = 1
    call plan%create(comm, sf_problem([6, 8]), input='slabs:2', output='slabs:2')
    if (comm%rank() == comm%size() - 1) then
      call plan%forward(wide(1:6, :), z, stat=stat, errmsg=text)
    else
      call plan%forward(u, z, stat=stat, errmsg=text)
    end if
    call check_refused(stat, text, 3, '`in` lies in memory without gaps; got a section')
    call plan%forward(u, z)
    call plan%destroy()
  end subroutine
end module
