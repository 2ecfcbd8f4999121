! A picture is blurred in place: its rows of reals have room for their half spectra, as with FFTW.
program in_place
  use shardfft
  implicit none
  integer, parameter :: columns = 100, rows = 96
  real(c_double), parameter :: turn = 2*acos(-1.0d0), width = 0.05d0
  real(c_float), pointer :: picture(:, :)
  complex(c_float_complex), pointer :: modes(:, :)
  real(c_double) :: damped, worst
  type(sf_comm) :: comm
  type(sf_options) :: options
  type(sf_plan) :: plan
  integer :: i, j, k

  comm = sf_comm_local()
  call options%set('in_place', .true.)
  call options%set('padded_reals', .true.)
  call plan%create(comm, sf_problem([columns, rows], kind='r2c', precision='f32'), options)
  call plan%make_input(picture)                     ! picture(102, 96): the last 2 of each row are room
  call plan%make_output(modes, over=picture)        ! modes(51, 96), the same memory

  do concurrent(i=1:columns, j=1:rows)
    picture(i, j) = real(wave(i, j), c_float)
  end do
  call plan%forward(picture)
  do j = 1, rows
    k = merge(j - 1, j - 1 - rows, j <= rows/2 + 1)
    do i = 1, columns/2 + 1
      modes(i, j) = modes(i, j)*real(exp(-(k**2 + (i - 1)**2)*width**2/2), c_float)
    end do
  end do
  call plan%backward(modes)

  damped = exp(-(3**2 + 20**2)*width**2/2)          ! of the wave that the picture shows
  worst = 0
  do j = 1, rows
    do i = 1, columns
      worst = max(worst, abs(picture(i, j) - damped*wave(i, j)))
    end do
  end do
  print '(a, f6.4, 3a)', 'damped to ', damped, ', largest error ', merge('below', 'above', worst < 1d-6), ' 1e-6'
  call plan%destroy()
  call comm%destroy()
  if (worst >= 1d-6) error stop 1

contains

  pure real(c_double) function wave(i, j)
    integer, intent(in) :: i, j
    wave = cos(turn*(20.0d0*(i - 1)/columns + 3.0d0*(j - 1)/rows))
  end function
end program
