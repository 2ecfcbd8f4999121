! The power spectrum of a real field, in one process: which part of its mean square each wavenumber carries.
program spectrum
  use shardfft
  implicit none
  integer, parameter :: n = 64
  real(c_double), allocatable :: u(:, :, :)
  complex(c_double_complex), allocatable :: modes(:, :, :)
  real(c_double) :: energy(0:2*n), step, both
  type(sf_comm) :: comm
  type(sf_plan) :: plan
  integer :: i, j, k, shell

  step = 2*acos(-1.0d0)/n
  allocate (u(n, n, n), modes(n/2 + 1, n, n))             ! the first axis is halved
  comm = sf_comm_local()
  call plan%create(comm, sf_problem([n, n, n], kind='r2c', forward='by_n', backward='none'))

  do concurrent(i=1:n, j=1:n, k=1:n)
    u(i, j, k) = cos(3*(k - 1)*step) + sin(5*(j - 1)*step)*sin(12*(i - 1)*step)
  end do
  call plan%forward(u, modes)

  energy = 0
  do k = 1, n
    do j = 1, n
      do i = 1, n/2 + 1
        both = merge(1, 2, i == 1 .or. i == n/2 + 1)      ! -k, which is not stored, carries as much
        shell = nint(norm2(real([i - 1, wavenumber(j), wavenumber(k)], c_double)))
        energy(shell) = energy(shell) + both*abs(modes(i, j, k))**2
      end do
    end do
  end do
  do shell = 0, n
    if (energy(shell) > 1d-6) print '(a, i2, a, f6.4)', 'shell ', shell, ': energy ', energy(shell)
  end do

  call plan%destroy()
  call comm%destroy()
  if (abs(energy(3) - 0.5d0) > 1d-12 .or. abs(energy(13) - 0.25d0) > 1d-12) error stop 1

contains

  pure integer function wavenumber(i)
    integer, intent(in) :: i
    wavenumber = merge(i - 1, i - 1 - n, i <= n/2 + 1)
  end function
end program
