!> Reals and fewer modes of their half spectrum, there and back, beside plain sums.
module plain_sums
  use checks
  implicit none

contains

  !> The lowest modes of reals; of an even number the last one holds two frequencies, whose sum it is.
  pure function modes_of(x, count) result(modes)
    real(dp), intent(in) :: x(0:)
    integer, intent(in) :: count
    complex(dp) :: modes(0:count/2)
    integer :: j, k
    do k = 0, count/2
      modes(k) = sum([(x(j)*exp(cmplx(0, -2*pi*j*k/size(x), dp)), j=0, size(x) - 1)])
    end do
    if (mod(count, 2) == 0 .and. count < size(x)) modes(count/2) = 2*real(modes(count/2), dp)
  end function

  !> What so many modes stand for on n points: each but 0 and the last of an even number has a mirror image.
  pure function points_of(modes, count, n) result(x)
    complex(dp), intent(in) :: modes(0:)
    integer, intent(in) :: count, n
    real(dp) :: x(0:n - 1), turn
    integer :: j, k
    x = real(modes(0), dp)
    do k = 1, count/2
      do j = 0, n - 1
        turn = 2*pi*j*k/n
        x(j) = x(j) + merge(1, 2, 2*k == count)*real(modes(k), dp)*cos(turn)
        if (2*k /= count) x(j) = x(j) - 2*aimag(modes(k))*sin(turn)
      end do
    end do
  end function

  subroutine expect_plain_sums(comm, kind, n, count)
    type(sf_comm), intent(in) :: comm
    character(*), intent(in) :: kind
    integer, intent(in) :: n, count
    type(sf_options) :: options
    type(sf_plan) :: plan
    real(dp) :: x(n), back(n)
    complex(dp) :: modes(count/2 + 1), given(count/2 + 1)
    character(40) :: which
    integer :: i
    x = [(sin(real(3*i*i + 1, dp)), i=1, n)]
    given = [(exp(cmplx(0, i*i + 2, dp)), i=1, size(given))]
    call options%set('threads', 1)
    call plan%create(comm, sf_problem([n], kind=kind, modes=[count], backward='none'), options=options)
    if (kind == 'r2c') then
      call plan%forward(x, modes)
      call plan%backward(given, back)
    else
      call plan%backward(x, modes)
      call plan%forward(given, back)
    end if
    write (which, '(2a, i0, a, i0)') kind, ', ', count, ' modes of ', n
    call check(maxval(abs(modes - modes_of(x, count))) < 1e-13_dp*n, trim(which)//', there')
    call check(maxval(abs(back - points_of(given, count, n))) < 1e-13_dp*n, trim(which)//', back')
    call plan%destroy()
  end subroutine
end module

program modes_test
  use plain_sums
  implicit none
  type(sf_comm) :: comm
  integer :: n, count
  comm = sf_comm_local()
  do n = 1, 20
    do count = 1, n
      call expect_plain_sums(comm, 'r2c', n, count)
      call expect_plain_sums(comm, 'c2r', n, count)
    end do
  end do
  call comm%destroy()
  call finish()
end program
