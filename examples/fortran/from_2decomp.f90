! A loop that was written for 2DECOMP&FFT: the Laplacian by differences, each along lines that are whole, and its
! inverse by Fourier transforms. The calls that stood here are in comments.
program from_2decomp
  use mpi_f08
  use shardfft_mpi_f08
  implicit none
  integer, parameter :: n(3) = [24, 15, 14]
  real(c_double), pointer :: u1(:, :, :), u2(:, :, :), u3(:, :, :)     ! pencils along x, y, z
  real(c_double), pointer :: f1(:, :, :), f2(:, :, :), f3(:, :, :)
  complex(c_double_complex), pointer :: spectrum(:, :, :)
  real(c_double) :: ends(2)
  integer :: xstart(3), xend(3), fft_start(3), fft_end(3), grid(2), ranks, i, j, k
  type(sf_comm) :: comm
  type(sf_spec) :: in_x, in_y, in_z
  type(sf_plan) :: x_to_y, y_to_z, fft

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  grid = 0
  call MPI_Dims_create(ranks, 2, grid)

  comm = sf_comm_mpi(MPI_COMM_WORLD)                          ! decomp_2d_init(nx, ny, nz, p_row, p_col)
  in_x = sf_grid([1, grid(1), grid(2)])
  in_y = sf_grid([grid(1), 1, grid(2)])
  in_z = sf_grid([grid(1), grid(2), 1])
  call x_to_y%create(comm, sf_problem(n, kind='move', element_bytes=8), between(in_x, in_y))
  call y_to_z%create(comm, sf_problem(n, kind='move', element_bytes=8), between(in_y, in_z))
  call fft%create(comm, sf_problem(n, kind='r2c'), between(in_x, in_z))       ! decomp_2d_fft_init(PHYSICAL_IN_X)

  call x_to_y%make_input(u1)                                  ! alloc_x(u1, opt_global=.true.)
  call x_to_y%make_input(f1)
  call x_to_y%make_output(u2)                                 ! alloc_y
  call x_to_y%make_output(f2)
  call y_to_z%make_output(u3)                                 ! alloc_z
  call y_to_z%make_output(f3)
  call fft%make_output(spectrum)
  xstart = lbound(u1)
  xend = ubound(u1)
  fft_start = lbound(spectrum)                                ! decomp_2d_fft_get_size(fft_start, fft_end, fft_size)
  fft_end = ubound(spectrum)

  do k = xstart(3), xend(3)
    do j = xstart(2), xend(2)
      do i = xstart(1), xend(1)
        u1(i, j, k) = modulo(7*i + 3*j + 5*i*k, 11)
      end do
    end do
  end do

  f1 = second_difference(u1, 1)
  call x_to_y%forward(u1, u2)                                 ! transpose_x_to_y(u1, u2)
  call x_to_y%forward(f1, f2)
  f2 = f2 + second_difference(u2, 2)
  call y_to_z%forward(u2, u3)                                 ! transpose_y_to_z(u2, u3)
  call y_to_z%forward(f2, f3)
  f3 = f3 + second_difference(u3, 3)
  call y_to_z%backward(f3, f2)                                ! transpose_z_to_y(f3, f2)
  call x_to_y%backward(f2, f1)                                ! transpose_y_to_x(f2, f1)

  call fft%forward(f1, spectrum)                              ! decomp_2d_fft_3d(f1, spectrum)
  do k = fft_start(3), fft_end(3)
    do j = fft_start(2), fft_end(2)
      do i = fft_start(1), fft_end(1)
        spectrum(i, j, k) = spectrum(i, j, k)/eigenvalue([i, j, k])
      end do
    end do
  end do
  call fft%backward(spectrum, f1)                             ! decomp_2d_fft_3d(spectrum, f1); f1 = f1/(nx*ny*nz)

  call MPI_Allreduce([maxval(u1 - f1), maxval(f1 - u1)], ends, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (comm%rank() == 0) print '(a, i0, a, i0, 3a)', 'inverted on ', grid(1), ' x ', grid(2), &
    ' ranks, but for a constant, with an error ', merge('below', 'above', sum(ends) < 1d-12), ' 1e-12'
  call fft%destroy()                                          ! decomp_2d_fft_finalize, decomp_2d_finalize
  call y_to_z%destroy()
  call x_to_y%destroy()
  call comm%destroy()
  call MPI_Finalize()
  if (sum(ends) >= 1d-12) error stop 1

contains

  type(sf_options) function between(from, to) result(options)
    type(sf_spec), intent(in) :: from, to
    call options%set('input', from)
    call options%set('output', to)
  end function

  !> Second differences of periodic lines along this axis.
  pure function second_difference(u, axis) result(d)
    real(c_double), intent(in) :: u(:, :, :)
    integer, intent(in) :: axis
    real(c_double) :: d(size(u, 1), size(u, 2), size(u, 3))
    d = cshift(u, 1, axis) - 2*u + cshift(u, -1, axis)
  end function

  !> What the differences multiply a mode with; 1 instead of 0 for the mean, which they remove.
  pure real(c_double) function eigenvalue(mode)
    integer, intent(in) :: mode(3)
    eigenvalue = sum(2*cos(2*acos(-1d0)*(mode - 1)/n) - 2)
    if (all(mode == 1)) eigenvalue = 1
  end function
end program
