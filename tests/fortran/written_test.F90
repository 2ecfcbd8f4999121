!> What a call wrote is read right after it, from arrays of every kind. Optimized code keeps elements in registers, so
!> this program is compiled with -O0, -O1, -O2 and -O3.

! Ones become 8 at the first place and 0 behind it. A macro, for a procedure would take the array out of registers.
#define TRANSFORM(array, name) array = 1; call plan%forward(array); call check(array(1) == 8 .and. array(2) == 0, name)

module written
  use checks
  implicit none
  integer, parameter :: sp = c_float
  complex(dp) :: of_module(8)

contains

  subroutine complex_arrays_in_place(plan, n)
    type(sf_plan), intent(in) :: plan
    integer, intent(in) :: n
    complex(dp) :: local(8), automatic(n), field(n, 1, 2)
    complex(dp), save :: saved(8)
    complex(dp), target :: a_target(8)
    complex(dp), allocatable :: on_heap(:)
    complex(dp), pointer :: a_pointer(:), section(:)
    complex(dp) :: first
    TRANSFORM(local, 'a local array')
    local = 1
    call plan%backward(local)
    first = local(1)
    call check(first == 1 .and. local(8) == 0, 'a local array, backward')
    local = 1
    call plan%adjoint(local, of='forward')
    first = local(1)
    call check(first == 8 .and. local(8) == 0, 'a local array, adjoint')
    TRANSFORM(automatic, 'an automatic array')
    TRANSFORM(saved, 'a saved array')
    TRANSFORM(of_module, 'an array of a module')
    TRANSFORM(a_target, 'a target')
    allocate (on_heap(8), a_pointer(8))
    TRANSFORM(on_heap, 'an allocatable array')
    TRANSFORM(a_pointer, 'a pointer')
    a_target = 1
    section => a_target
    call plan%forward(section)
    call check(a_target(1) == 8 .and. a_target(2) == 0, 'a target by its pointer')
    field = 1
    call plan%forward(field(:, 1, 2))
    call check(field(1, 1, 2) == 8 .and. field(2, 1, 2) == 0 .and. field(2, 1, 1) == 1, 'a section')
    deallocate (a_pointer)
  end subroutine

  !> The second array is written, the first one stays; an expression and what is intent(in) may be read.
  subroutine out_of_place(plan, x)
    type(sf_plan), intent(in) :: plan
    complex(dp), intent(in) :: x(8)
    complex(dp), asynchronous :: y(8)
    complex(dp) :: before
    y = 1
    before = x(1)
    call plan%forward(x, y)
    call check(y(1) == 8*before .and. y(2) == 0 .and. x(1) == before, 'out of place')
    call plan%forward(x + x, y)
    call check(y(1) == 16*before .and. y(2) == 0, 'an expression')
    y = 3
    call plan%start(x, y)
    call plan%wait()
    call check(y(1) == 8*before .and. y(2) == 0 .and. x(1) == before, 'a split run out of place')
  end subroutine

  !> Between start and wait no array is an argument.
  subroutine split_runs(plan)
    type(sf_plan), intent(in) :: plan
    complex(dp), asynchronous :: in_place(8)
    complex(dp), allocatable, asynchronous :: z(:)
    complex(dp), target :: a_target(8)
    in_place = 1
    call plan%start(in_place)
    call plan%wait()
    call check(in_place(1) == 8 .and. in_place(2) == 0, 'a split run in place')
    in_place = 1
    call plan%start(in_place)
    do while (.not. plan%test())
    end do
    call check(in_place(1) == 8 .and. in_place(2) == 0, 'a split run that is tested')
    call plan%wait()
    allocate (z(8))
    z = 1
    call plan%start(z)
    call plan%wait()
    call check(z(1) == 8 .and. z(2) == 0, 'a split run of an allocatable array')
    a_target = 1
    call plan%start(a_target)
    call plan%wait()
    call check(a_target(1) == 8 .and. a_target(2) == 0, 'a split run of a target')
  end subroutine

  subroutine single_precision_in_place(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    complex(sp) :: u(8)
    complex(sp), allocatable :: v(:)
    call plan%create(comm, sf_problem([8], precision='f32'), in_place())
    TRANSFORM(u, 'a local array of single precision')
    allocate (v(8))
    TRANSFORM(v, 'an allocatable array of single precision')
    call plan%destroy()
  end subroutine

  !> Rows of reals have room for their half spectra, which another pointer sees.
  subroutine reals_in_place(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    real(dp) :: u(10), first
    real(dp), target :: seen(10)
    complex(dp), pointer :: modes(:)
    real(sp) :: single(10)
    options = in_place()
    call options%set('padded_reals', .true.)
    call plan%create(comm, sf_problem([8], kind='r2c'), options)
    u = 1
    call plan%forward(u)
    first = u(1)
    call check(first == 8 .and. u(3) == 0, 'reals in place')
    seen = 1
    call plan%make_output(modes, over=seen)
    call plan%forward(seen)
    call check(modes(1) == 8 .and. seen(1) == 8 .and. modes(2) == 0, 'a pointer over the reals')
    modes(1) = 16
    call check(seen(1) == 16, 'what the pointer writes the array has')
    call plan%backward(modes)
    call check(seen(1) == 2 .and. seen(8) == 2, 'and back')
    call plan%create(comm, sf_problem([8], kind='r2c', precision='f32'), options)
    single = 1
    call plan%forward(single)
    call check(single(1) == 8 .and. single(3) == 0, 'reals of single precision in place')
    call plan%create(comm, sf_problem([8], kind='r2r', kinds=['hartley']), in_place())
    u = 1
    call plan%forward(u(:8))
    call check(abs(u(1) - 8) < 1e-14_dp .and. abs(u(2)) < 1e-14_dp, 'reals to reals in place')
    call plan%destroy()
  end subroutine

  !> The input may serve as workspace: it is written then, too.
  subroutine operators_write(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    complex(dp) :: x(8), y(8)
    call options%set('apply', 'to_outputs')
    call plan%create(comm, sf_problem([8]), options)
    x = 1
    y = 0
    call plan%apply(x, y, twice)
    call check(abs(y(1) - 2) < 1e-14_dp .and. x(1) == 1, 'apply')
    options = in_place()
    call options%set('apply', 'to_outputs')
    call plan%create(comm, sf_problem([8]), options)
    x = 1
    call plan%apply(x, x, twice)
    call check(abs(x(1) - 2) < 1e-14_dp, 'apply in place')
    call plan%destroy()
  end subroutine

  subroutine twice(m)
    type(sf_modes), intent(in) :: m
    complex(dp), pointer :: values(:)
    call m%values(values)
    values = 2*values
  end subroutine

  !> A periodic row of 4 with one cell on each side.
  subroutine halos_write(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_halo) :: halo
    type(sf_layout) :: layout
    real(dp), asynchronous :: u(6)
    layout = sf_layout_of('slabs:1', [4], 1)
    call halo%create(comm, layout, [1], [1], [.true.], element_bytes=8)
    u = [0, 1, 2, 3, 4, 0]
    call halo%exchange(u)
    call check(u(1) == 4 .and. u(6) == 1, 'a halo')
    call halo%accumulate(u)
    call check(u(2) == 2 .and. u(5) == 8, 'a halo that is added')
    u = [0, 1, 2, 3, 4, 0]
    call halo%start_exchange(u)
    call halo%wait()
    call check(u(1) == 4 .and. u(6) == 1, 'a split exchange')
    u = [7, 1, 2, 3, 4, 9]
    call halo%start_accumulate(u)
    do while (.not. halo%test())
    end do
    call check(u(2) == 10 .and. u(5) == 11, 'a split sum')
    call halo%wait()
    call halo%destroy()
    call layout%destroy()
  end subroutine

  type(sf_options) function in_place() result(options)
    call options%set('in_place', .true.)
  end function
end module

program written_test
  use written
  implicit none
  type(sf_comm) :: comm
  type(sf_plan) :: plan
  complex(dp) :: u(8), first
  comm = sf_comm_local()
  call plan%create(comm, sf_problem([8]), in_place())
  u = 1
  call plan%forward(u)
  first = u(1)
  call check(first == 8, 'an array of the program')
  call complex_arrays_in_place(plan, 8)
  call split_runs(plan)
  call plan%create(comm, sf_problem([8]))
  u = 1
  call out_of_place(plan, u)
  call plan%destroy()
  call single_precision_in_place(comm)
  call reals_in_place(comm)
  call operators_write(comm)
  call halos_write(comm)
  call comm%destroy()
  call finish()
end program
