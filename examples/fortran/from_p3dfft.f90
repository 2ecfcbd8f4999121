! A program that was written for P3DFFT: the derivative along z of a field, in Fourier space, where lines along z are
! contiguous. The calls that stood here are in comments.
program from_p3dfft
  use mpi_f08
  use shardfft_mpi_f08
  implicit none
  integer, parameter :: nx = 20, ny = 18, nz = 33
  real(c_double), parameter :: turn = 2*acos(-1d0)
  real(c_double), pointer :: u(:, :, :), derivative(:, :, :)            ! x, y, z
  complex(c_double_complex), pointer :: spectrum(:, :, :)               ! z, y, x
  real(c_double) :: error, largest
  integer :: istart(3), iend(3), fstart(3), fend(3), dims(2), ranks, x, y, z
  type(sf_comm) :: comm
  type(sf_options) :: options
  type(sf_plan) :: plan

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)

  comm = sf_comm_mpi(MPI_COMM_WORLD)                          ! p3dfft_setup(dims, nx, ny, nz, MPI_COMM_WORLD)
  call options%set('input', sf_grid([1, dims(1), dims(2)]))
  call options%set('output', sf_grid([dims(1), dims(2), 1], order=[3, 2, 1]))     ! as STRIDE1 has it
  call plan%create(comm, sf_problem([nx, ny, nz], kind='r2c'), options)
  call plan%make_input(u)
  call plan%make_input(derivative)
  call plan%make_output(spectrum)
  istart = lbound(u)                                          ! p3dfft_get_dims(istart, iend, isize, 1)
  iend = ubound(u)
  fstart = lbound(spectrum)                                   ! p3dfft_get_dims(fstart, fend, fsize, 2)
  fend = ubound(spectrum)

  do z = istart(3), iend(3)
    do y = istart(2), iend(2)
      do x = istart(1), iend(1)
        u(x, y, z) = across(x, y)*sin(3*angle(z, nz))
      end do
    end do
  end do

  call plan%forward(u, spectrum)                              ! p3dfft_ftran_r2c(u, spectrum, 'fft')
  do x = fstart(3), fend(3)
    do y = fstart(2), fend(2)
      do z = fstart(1), fend(1)
        spectrum(z, y, x) = spectrum(z, y, x)*cmplx(0, merge(z - 1, z - 1 - nz, z <= nz/2 + 1), c_double)
      end do
    end do
  end do
  call plan%backward(spectrum, derivative)                    ! p3dfft_btran_c2r(spectrum, derivative, 'tff')
                                                              ! derivative = derivative/(nx*ny*nz)
  error = 0
  do z = istart(3), iend(3)
    do y = istart(2), iend(2)
      do x = istart(1), iend(1)
        error = max(error, abs(derivative(x, y, z) - 3*across(x, y)*cos(3*angle(z, nz))))
      end do
    end do
  end do
  call MPI_Allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (comm%rank() == 0) print '(a, i0, a, i0, 3a)', 'derived on ', dims(1), ' x ', dims(2), &
    ' ranks with an error ', merge('below', 'above', largest < 1d-12), ' 1e-12'
  call plan%destroy()                                         ! p3dfft_clean
  call comm%destroy()
  call MPI_Finalize()
  if (largest >= 1d-12) error stop 1

contains

  pure real(c_double) function angle(i, points)
    integer, intent(in) :: i, points
    angle = turn*(i - 1)/points
  end function

  pure real(c_double) function across(x, y)
    integer, intent(in) :: x, y
    across = cos(4*angle(x, nx)) + sin(angle(x, nx) + 2*angle(y, ny))
  end function
end program
