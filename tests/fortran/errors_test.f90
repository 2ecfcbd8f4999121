!> What is wrong is said in words, on all ranks, and nothing hangs.
module errors
  use checks
  implicit none
  integer, parameter :: n(3) = [3, 5, 7]

contains

  subroutine problems_and_options_are_refused(comm)
    type(sf_comm), intent(in) :: comm
    call refused(comm, sf_problem(n, kind='r3c'), 1, 'kind is one of c2c, r2c, c2r, move, r2r; got ''r3c''')
    call refused(comm, sf_problem(n, precision='f16'), 1, 'precision is one of f32, f64')
    call refused(comm, sf_problem(n, forward='by_m'), 1, 'forward is one of none, by_sqrt_n')
    call refused(comm, sf_problem(n, axes=[1, 4]), 1, 'axes count from 1 to 3')
    call refused(comm, sf_problem(n, axes=[0]), 1, 'axes count from 1 to 3')
    call refused(comm, sf_problem(n, axes=[1, 1]), 1, 'axis')
    call refused(comm, sf_problem(n, kinds=['cosine5']), 1, 'a kind of an axis is one of fourier')
    call refused(comm, sf_problem(n, modes=[1, 2]), 1, 'modes has a number for each axis, 3; got 2')
    call refused(comm, sf_problem(n, kind='move', element_bytes=3), 1, '1, 2, 4, 8 or 16')
    call refused(comm, sf_problem([3, -5, 7]), 1, 'got')
    call refused(comm, sf_problem(n), 3, 'did you mean ''tolerance''?', 'tolerence', '1e-6')
    call refused(comm, sf_problem(n), 2, 'axes count from 1 to 3', 'input', 'slabs:4')
    call refused(comm, sf_problem(n), 2, 'a layout is one of', 'output', 'slaps:1')
    call refused(comm, sf_problem(n), 3, 'an option is one of', 'threats', '1')
  end subroutine

  !> C counts the other way round; what it says is turned.
  subroutine errors_count_as_the_caller_does(comm)
    type(sf_comm), intent(in) :: comm
    call refused(comm, sf_problem(n), 2, 'got ''pencil:1'' (did you mean ''pencils:1''?)', 'input', 'pencil:1')
    call refused(comm, sf_problem(n), 2, 'got ''cyclick:3'' (did you mean ''cyclic:3''?)', 'output', 'cyclick:3')
    call refused(comm, sf_problem(n), 2, 'got 1 x 2 x 4; use more ranks', 'input', 'gRiD:1x2x4')
    call refused(comm, sf_problem(n), 2, '3 for the shape 3 x 5 x 7; got 1 x 2', 'input', 'grid:1x2')
    call refused(comm, sf_problem(n), 3, 'got 1,2', 'axis_order', '1,2')
    call refused(comm, sf_problem(n), 3, 'axes count from 1 to 3', 'axis_order', '0,1,2')
    call refused(comm, sf_problem(n), 3, 'axes count from 1 to 3', 'axis_order', '1,2,5')
    call refused(comm, sf_problem(n), 3, 'got ''1;2''', 'axis_order', '1;2')
    call refused(comm, sf_problem(n, axes=[1, 2, 1]), 1, 'got axes 1,2,1')
    call refused(comm, sf_problem(n, modes=[4, 0, 0]), 1, 'got 4 along axis 1')
    call refused(comm, sf_problem(n, support=[0, 0, 9]), 1, 'got 9 along axis 3')
    call refused(comm, sf_problem([3, -5, 6]), 1, 'got 3 x -5 x 6')
    call refused(comm, sf_problem([1, 5], kind='r2r', kinds=[character(7) :: 'cosine1', 'sine2']), 1, 'along axis 1')
  end subroutine

  !> One rank errs: all are told which, and by the same number.
  subroutine one_rank_errs(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    character(400) :: text
    integer :: stat
    logical :: errs
    errs = comm%rank() == comm%size() - 1
    call options%set('input', merge('slabs:9', 'slabs:1', errs))
    call plan%create(comm, sf_problem(n), options, stat=stat, errmsg=text)
    call check_refused(stat, text, 2, 'layout ''slabs:9'': axes count from 1 to 3')
    if (comm%size() > 1) call check_refused(stat, text, 2, 'rank '//achar(47 + comm%size())//': ')
  end subroutine

  !> Arrays are looked at where they come in.
  subroutine arrays_are_refused(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    complex(dp), pointer :: u(:, :, :), z(:, :, :), nothing(:, :, :)
    complex(dp), allocatable :: unallocated(:, :, :)
    complex(dp), target :: wide(8, 8, 8)
    real(dp) :: reals(210)
    complex(c_float_complex) :: single(105)
    character(400) :: text
    integer :: stat
    logical :: errs
    wide = 0
    reals = 0
    single = 0
    errs = comm%rank() == comm%size() - 1
    call plan%create(comm, sf_problem(n), input='slabs:3', output='slabs:3')
    call plan%make_input(u)
    call plan%make_output(z)
    nullify (nothing)
    if (errs) call plan%forward(unallocated, z, stat=stat, errmsg=text)
    if (.not. errs) call plan%forward(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'got an array without memory; allocate it')
    if (errs) call plan%forward(nothing, z, stat=stat, errmsg=text)
    if (.not. errs) call plan%forward(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'got an array without memory; allocate it')
    if (errs) call plan%forward(wide(1:3, 1:5, 1:7), z, stat=stat, errmsg=text)
    if (.not. errs) call plan%forward(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`in` lies in memory without gaps; got a section')
    if (errs) call plan%forward(reals, z, stat=stat, errmsg=text)
    if (.not. errs) call plan%forward(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`in` holds complex f64 numbers; got real f64 numbers')
    if (errs) call plan%start(u, single, stat=stat, errmsg=text)
    if (.not. errs) call plan%start(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`out` holds complex f64 numbers; got complex f32 numbers')
    if (errs) call plan%backward(z, u(:, :4, :), stat=stat, errmsg=text)
    if (.not. errs) call plan%backward(z, u, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`out` ')
    call plan%forward(u, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'overlap')
    call plan%forward(u, z, factor=0.0_dp, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'a factor is finite and not 0')
    call plan%start(u, z, 'sideways', stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`direction` is forward or backward; got ''sideways''')
    if (errs) call plan%adjoint(u, z, of='up', stat=stat, errmsg=text)
    if (.not. errs) call plan%adjoint(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`of` is forward or backward; got ''up''')
    call plan%forward(u, z)
    call plan%destroy()
  end subroutine

  !> On this rank alone: what no other rank waits for.
  subroutine handles_and_pointers_are_refused()
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    type(sf_halo) :: halo
    type(sf_layout) :: layout
    complex(dp) :: u(3, 5, 7), turned(7, 5, 3), z(3, 5, 7)
    complex(dp), pointer :: flat(:, :)
    complex(dp) :: samples(1)
    real(dp), pointer :: reals(:)
    character(400) :: text
    integer :: stat
    integer(c_int64_t) :: lo(3), hi(3)
    u = 0
    turned = 0
    call plan%forward(u, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'a shardfft_plan points to what a call needs')
    call plan%create(comm, sf_problem(n), stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'a shardfft_comm points to what a call needs')
    comm = sf_comm_local()
    call plan%create(comm, sf_problem(n))
    call plan%forward(turned, z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`in` has this rank''s extents, 3 x 5 x 7; got 7 x 5 x 3')
    call check(index(text, 'as C does') == 0, 'extents that Fortran said are Fortran''s')
    call plan%forward(u(:, :, :6), z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'extents, 3 x 5 x 7; got 3 x 5 x 6')
    call plan%forward(u(1, 1, 1), z, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, '`in` holds at least 1680 bytes')
    call plan%make_input(flat, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'the pointer has as many axes as the array, 3, or one; got 2')
    call check(.not. associated(flat), 'a refused pointer is null')
    call plan%make_input(reals, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'holds complex f64 numbers; got a pointer to real f64 numbers')
    layout = plan%input()
    call layout%box(0, 2, lo, hi, stat, text)
    call check_refused(stat, text, 3, 'owns 1 box, counted from 1; got box 2')
    call layout%box(0, 1, lo(:2), hi(:2), stat, text)
    call check_refused(stat, text, 3, 'a box has a number for each axis, 3; got 2')
    samples = plan%exact_samples(u, reshape([1, 1], [2, 1]), stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'a position has a number for each axis, 3; got 2')
    samples = plan%exact_samples(turned, reshape([1, 1, 1], [3, 1]), stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'extents, 3 x 5 x 7; got 7 x 5 x 3')
    samples = plan%exact_samples(u, reshape([4, 1, 2], [3, 1]), stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'positions lie inside the result, 3 x 5 x 7; got 4 x 1 x 2')
    call halo%create(comm, layout, low=[1, 1], high=[1, 1, 1], element_bytes=16, stat=stat, errmsg=text)
    call check_refused(stat, text, 3, 'low, high and periodic of a halo have an entry for each axis, 3')
    call halo%create(comm, layout, low=[1, 1, 1], high=[1, 1, 1], element_bytes=16)
    call halo%exchange(u, stat, text)
    call check_refused(stat, text, 3, '`array` has this rank''s extents, 5 x 7 x 9; got 3 x 5 x 7')
    call halo%destroy()
    call plan%destroy()
    call plan%destroy()
    call plan%forward(u, z, stat=stat)
    call check(stat == 3, 'a plan that was destroyed')
    call comm%destroy()
    layout = sf_layout_of(sf_words('natural', order=[1, 1, 2]), n, 2, stat, text)
    call check_refused(stat, text, 2, 'fastest first; got 1,1,2')
    layout = sf_layout_of(sf_boxes([0], reshape([1, 1, 1], [3, 1]), reshape([3, 5, 8], [3, 1])), n, 1, stat, text)
    call check_refused(stat, text, 2, 'rank 0 owns 1..3 x 1..5 x 1..8 of an array of 3 x 5 x 7')
    layout = sf_layout_of('any', n, 2, stat, text)
    call check_refused(stat, text, 2, 'any')
  end subroutine

  subroutine refused(comm, problem, number, part, name, value)
    type(sf_comm), intent(in) :: comm
    type(sf_problem), intent(in) :: problem
    integer, intent(in) :: number
    character(*), intent(in) :: part
    character(*), intent(in), optional :: name, value
    type(sf_plan) :: plan
    type(sf_options) :: options
    character(1200) :: text
    integer :: stat
    if (present(name)) call options%set(name, value)
    call plan%create(comm, problem, options, stat=stat, errmsg=text)
    call check_refused(stat, text, number, part)
  end subroutine
end module

program errors_test
  use errors
  implicit none
  integer :: ranks
  character(7) :: argument
  call get_command_argument(1, argument)
  if (argument == 'without') call end_without_stat()
  if (argument == 'values') call end_with_wrong_values()
  do ranks = 1, 3
    call sf_on_ranks(ranks, problems_and_options_are_refused)
    call sf_on_ranks(ranks, errors_count_as_the_caller_does)
    call sf_on_ranks(ranks, one_rank_errs)
    call sf_on_ranks(ranks, arrays_are_refused)
  end do
  call handles_and_pointers_are_refused()
  call finish()

contains

  !> Without stat= the text goes to standard error, and the status is 2.
  subroutine end_without_stat()
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    comm = sf_comm_local()
    call plan%create(comm, sf_problem(n, kind='r3c'))
  end subroutine

  !> An operator that takes elements for others ends the program: no call could tell it.
  subroutine end_with_wrong_values()
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    complex(dp) :: u(3, 5, 7), v(3, 5, 7)
    u = 1
    comm = sf_comm_local()
    call options%set('apply', 'TO_OUTPUTS')
    call plan%create(comm, sf_problem(n), options)
    call plan%apply(u, v, takes_reals)
  end subroutine

  subroutine takes_reals(m)
    type(sf_modes), intent(in) :: m
    real(dp), pointer :: x(:)
    call m%values(x)
  end subroutine
end program
