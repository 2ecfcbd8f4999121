! -laplace(u) = f on a periodic box [0, 2 pi)^3, on the ranks of MPI. In Fourier space u_k = f_k / |k|^2.
program poisson
  use mpi_f08
  use shardfft_mpi_f08                     ! with "use mpi" or mpif.h: use shardfft, the same calls
  implicit none
  integer, parameter :: n(3) = [36, 40, 48]
  real(c_double), pointer :: u(:, :, :)
  complex(c_double_complex), pointer :: modes(:, :, :)
  real(c_double) :: error, largest
  type(sf_comm) :: comm
  type(sf_plan) :: plan
  integer :: i, j, k

  call MPI_Init()
  comm = sf_comm_mpi(MPI_COMM_WORLD)
  call plan%create(comm, sf_problem(n, kind='r2c'), input='pencils:1', output='pencils:3')
  call plan%make_input(u)                  ! this rank's part, with global bounds
  call plan%make_output(modes)

  do concurrent(k=lbound(u, 3):ubound(u, 3), j=lbound(u, 2):ubound(u, 2), i=lbound(u, 1):ubound(u, 1))
    u(i, j, k) = (1 + 4 + 9)*exact(i, j, k)
  end do
  call plan%forward(u, modes)
  do concurrent(k=lbound(modes, 3):ubound(modes, 3), j=lbound(modes, 2):ubound(modes, 2), &
                i=lbound(modes, 1):ubound(modes, 1))
    modes(i, j, k) = modes(i, j, k)/max(1, wavenumber(i, 1)**2 + wavenumber(j, 2)**2 + wavenumber(k, 3)**2)
  end do
  call plan%backward(modes, u)             ! scaled: there and back is nothing

  error = 0
  do k = lbound(u, 3), ubound(u, 3)
    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        error = max(error, abs(u(i, j, k) - exact(i, j, k)))
      end do
    end do
  end do
  call MPI_Allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (comm%rank() == 0) print '(3a)', 'largest error ', merge('below', 'above', largest < 1d-12), ' 1e-12'
  call plan%destroy()
  call comm%destroy()
  call MPI_Finalize()
  if (largest >= 1d-12) error stop 1

contains

  pure real(c_double) function exact(i, j, k)
    integer, intent(in) :: i, j, k
    real(c_double) :: at(3)
    at = 2*acos(-1.0d0)*([i, j, k] - 1)/n
    exact = sin(at(1))*cos(2*at(2))*sin(3*at(3))
  end function

  pure integer function wavenumber(i, axis)
    integer, intent(in) :: i, axis
    wavenumber = merge(i - 1, i - 1 - n(axis), i <= n(axis)/2 + 1)
  end function
end program
