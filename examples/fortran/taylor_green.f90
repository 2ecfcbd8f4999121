! A Taylor-Green vortex in the box [0, 2 pi)^3, on the ranks of MPI, at Reynolds number 1600:
!   du/dt = u x curl u - grad p + viscosity laplace u,   div u = 0
! Fourier modes with the 2/3 rule, Runge-Kutta of order 4. One plan transforms all three components.
program taylor_green
  use mpi_f08
  use shardfft_mpi_f08
  implicit none
  integer, parameter :: n = 32, kept = 2*((n - 1)/3) + 1, steps = 10       ! points, modes along an axis; time steps
  real(c_double), parameter :: viscosity = 1/1600d0, dt = 0.01d0, shares(4) = [1, 2, 2, 1]/6d0, &
                               ahead(4) = [1, 1, 2, 0]/2d0
  complex(c_double_complex), parameter :: i_unit = (0, 1)
  real(c_double), pointer :: u(:, :, :, :), curl(:, :, :, :), product(:, :, :, :)   ! points x, y, z; component
  complex(c_double_complex), pointer :: state(:, :, :, :), rate(:, :, :, :)         ! modes x, y, z; component
  complex(c_double_complex), allocatable :: before(:, :, :, :), after(:, :, :, :)
  real(c_double), allocatable :: wave(:, :, :, :), square(:, :, :)                  ! k and |k|^2 of each mode
  real(c_double) :: sums(2)
  type(sf_comm) :: comm
  type(sf_plan) :: plan
  integer :: step, stage

  call MPI_Init()
  comm = sf_comm_mpi(MPI_COMM_WORLD)
  call plan%create(comm, sf_problem([n, n, n, 3], kind='r2c', axes=[1, 2, 3], modes=[kept, kept, kept, 0], &
                                    forward='by_n', backward='none'), input='pencils:1', output='pencils:3')
  call plan%make_input(u)                  ! this rank's part, with global bounds
  call plan%make_input(curl)
  call plan%make_input(product)
  call plan%make_output(state)
  call plan%make_output(rate)

  call begin()
  do step = 1, steps
    before = state
    after = state
    do stage = 1, 4
      call find_rate()
      after = after + shares(stage)*dt*rate
      state = before + ahead(stage)*dt*rate
    end do
    state = after
  end do

  call MPI_Allreduce([energy(), enstrophy()], sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (comm%rank() == 0) print '(2(a, f14.12))', 'energy ', sums(1), ', enstrophy ', sums(2)
  call plan%destroy()
  call comm%destroy()
  call MPI_Finalize()
  if (abs(sums(1) - 0.124953117517d0) > 1d-12) error stop 1      ! spectralDNS and mpi4py-fft have this number
  if (abs(sums(2) - short_time_series(steps*dt)) > 1d-8) error stop 1

contains

  subroutine begin()
    real(c_double) :: at(3)
    integer :: i, j, k
    do k = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          at = 2*acos(-1d0)*([i, j, k] - 1)/n
          u(i, j, k, :) = [sin(at(1))*cos(at(2)), -cos(at(1))*sin(at(2)), 0d0]*cos(at(3))
        end do
      end do
    end do
    call plan%forward(u, state)

    associate (lo => lbound(state), hi => ubound(state))
      allocate (wave(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), 3))
    end associate
    do k = lbound(state, 3), ubound(state, 3)
      do j = lbound(state, 2), ubound(state, 2)
        do i = lbound(state, 1), ubound(state, 1)
          wave(i, j, k, :) = [frequency(i), frequency(j), frequency(k)]
        end do
      end do
    end do
    square = sum(wave**2, dim=4)
  end subroutine

  pure integer function frequency(i)
    integer, intent(in) :: i
    frequency = merge(i - 1, i - 1 - kept, i <= kept/2 + 1)
  end function

  !> rate = N - k (k . N)/k^2 - viscosity k^2 state, where N are the modes of u x curl u
  subroutine find_rate()
    integer :: c, a, b
    call plan%backward(state, u)
    do c = 1, 3
      a = modulo(c, 3) + 1
      b = modulo(a, 3) + 1
      rate(:, :, :, c) = i_unit*(wave(:, :, :, a)*state(:, :, :, b) - wave(:, :, :, b)*state(:, :, :, a))
    end do
    call plan%backward(rate, curl)
    do c = 1, 3
      a = modulo(c, 3) + 1
      b = modulo(a, 3) + 1
      product(:, :, :, c) = u(:, :, :, a)*curl(:, :, :, b) - u(:, :, :, b)*curl(:, :, :, a)
    end do
    call plan%forward(product, rate)
    call project()
    do c = 1, 3
      rate(:, :, :, c) = rate(:, :, :, c) - viscosity*square*state(:, :, :, c)
    end do
  end subroutine

  subroutine project()
    complex(c_double_complex), allocatable :: along(:, :, :)
    integer :: c
    along = sum(wave*rate, dim=4)/max(square, 1d0)
    do c = 1, 3
      rate(:, :, :, c) = rate(:, :, :, c) - wave(:, :, :, c)*along
    end do
  end subroutine

  !> Mean of |u|^2/2: a mode and its conjugate, which is not stored, count alike.
  real(c_double) function energy()
    energy = sum(merge(0.5d0, 1d0, wave(:, :, :, 1) == 0)*sum(abs(state)**2, dim=4))
  end function

  !> Mean of |curl u|^2/2.
  real(c_double) function enstrophy()
    enstrophy = sum(merge(0.5d0, 1d0, wave(:, :, :, 1) == 0)*square*sum(abs(state)**2, dim=4))
  end function

  !> The enstrophy after a short time: G. I. Taylor and A. E. Green, Proc. R. Soc. A 158 (1937) 499.
  pure real(c_double) function short_time_series(t)
    real(c_double), intent(in) :: t
    real(c_double), parameter :: v = viscosity
    short_time_series = 3/8d0*(1 - 6*v*t + (5/48d0 + 18*v**2)*t**2 - (5/3d0 + 36*v**2)*v*t**3 + &
                               (50/6336d0 + 1835/144d0*v**2 + 54*v**4)*t**4)
  end function
end program
