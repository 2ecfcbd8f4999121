!> What the tests have in common: they count what is wrong, say it, and end with 1.
module checks
  use, intrinsic :: iso_fortran_env, only: error_unit
  use shardfft
  implicit none

  integer, parameter :: dp = c_double
  real(dp), parameter :: pi = acos(-1.0_dp)
  integer, protected :: wrong = 0

contains

  !> Of one thread at a time.
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    wrong = wrong + 1
    write (error_unit, '(2a)') 'wrong: ', what
  end subroutine

  !> A call that was to be refused: its number, and a part of its text.
  subroutine check_refused(stat, errmsg, number, part)
    integer, intent(in) :: stat, number
    character(*), intent(in) :: errmsg, part
    if (stat == number .and. index(errmsg, part) > 0) return
    wrong = wrong + 1
    write (error_unit, '(a, i0, 2a, /, 4a)') 'wrong: status ', stat, ': ', trim(errmsg), '  instead of: ', part
  end subroutine

  subroutine finish()
    if (wrong > 0) error stop 1, quiet=.true.
    print '(a)', 'all is right'
  end subroutine

  !> What element i, j, k, from 1, of the array of all tests is; C has the same in axes k, j, i, from 0.
  pure complex(dp) function number_at(i, j, k)
    integer, intent(in) :: i, j, k
    number_at = cmplx(modulo(7*k + 3*j + i, 11) - 0.125_dp*modulo(i*j, 5), modulo(i*k + 2*j, 7), dp)
  end function

  !> One element of the transform by its definition: along the axes where `along` is true.
  pure complex(dp) function coefficient(x, at, along, forward)
    complex(dp), intent(in) :: x(:, :, :)
    integer, intent(in) :: at(3)
    logical, intent(in) :: along(3), forward
    integer :: i, j, k, n(3), here(3)
    real(dp) :: turns
    n = shape(x)
    coefficient = 0
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          here = [i, j, k]
          if (any(.not. along .and. here /= at)) cycle
          turns = sum(merge(real((here - 1)*(at - 1), dp)/n, 0.0_dp, along))
          coefficient = coefficient + x(i, j, k)*exp(cmplx(0, merge(-2, 2, forward)*pi*turns, dp))
        end do
      end do
    end do
  end function

  !> Of the half spectrum of 3 x 5 x 7 reals, from slabs to pencils.
  integer(c_int64_t) function hash_on(comm) result(hash)
    type(sf_comm), intent(in) :: comm
    integer, parameter :: n(3) = [3, 5, 7]
    type(sf_plan) :: plan
    real(dp), pointer :: u(:, :, :)
    complex(dp), pointer :: z(:, :, :)
    integer :: i, j, k
    call plan%create(comm, sf_problem(n, kind='r2c'), input='slabs:3', output='pencils:3')
    call plan%make_input(u)
    call plan%make_output(z)
    do concurrent(k=lbound(u, 3):ubound(u, 3), j=1:n(2), i=1:n(1))
      u(i, j, k) = real(number_at(i, j, k))
    end do
    call plan%forward(u, z)
    hash = plan%hash_output(z)
    call plan%destroy()
  end function
end module
