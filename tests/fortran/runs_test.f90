!> What runs do beside forward: pointers with global bounds, factors, adjoints, split runs, kinds, modes, reports.
module runs
  use checks
  implicit none
  integer, parameter :: n(3) = [6, 5, 7]

contains

  !> A pointer to this rank's part says where it lies in the whole array; the halved axis is the first.
  subroutine pointers_have_global_bounds(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    real(dp), pointer, contiguous :: u(:, :, :)
    complex(dp), pointer, contiguous :: z(:, :, :)
    integer(c_int64_t) :: lo(3), hi(3)
    type(sf_layout) :: layout
    integer :: i, j, k
    call plan%create(comm, sf_problem(n, kind='r2c'), input='slabs:3', output='slabs:2')
    call plan%make_input(u)
    call plan%make_output(z)
    layout = plan%input()
    call layout%box(comm%rank(), 1, lo, hi)
    call check(all(lbound(u) == lo) .and. all(ubound(u) == hi), 'bounds of the input')
    call check(all(layout%shape() == n), 'shape of the input')
    layout = plan%output()
    call layout%box(comm%rank(), 1, lo, hi)
    call check(all(lbound(z) == lo) .and. all(ubound(z) == hi), 'bounds of the output')
    call check(all(layout%shape() == [4, 5, 7]), 'the first axis is halved')
    call check(size(z, kind=c_int64_t) == layout%count(comm%rank()), 'elements of the output')
    do concurrent(k=lbound(u, 3):ubound(u, 3), j=1:n(2), i=1:n(1))
      u(i, j, k) = real(number_at(i, j, k))
    end do
    call plan%forward(u, z)
    call check_element(comm, z)
    call plan%backward(z, u, factor=2.0_dp)
    call check(abs(u(2, 3, lbound(u, 3)) - 2*real(number_at(2, 3, lbound(u, 3)))) < 1e-13_dp, 'a factor of one run')
    call plan%destroy()
  end subroutine

  subroutine check_element(comm, z)
    type(sf_comm), intent(in) :: comm
    complex(dp), pointer, intent(in) :: z(:, :, :)
    complex(dp) :: x(n(1), n(2), n(3))
    integer :: i, j, k
    do concurrent(i=1:n(1), j=1:n(2), k=1:n(3))
      x(i, j, k) = real(number_at(i, j, k))
    end do
    j = lbound(z, 2)
    call check(abs(z(3, j, 6) - coefficient(x, [3, j, 6], [.true., .true., .true.], .true.)) < 1e-12_dp, &
               'element 3, j, 6 lies there, rank '//achar(48 + comm%rank()))
  end subroutine

  !> Rows of reals have the room of their half spectra, and both pointers see the same memory.
  subroutine in_place_reals_share_rows(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    real(dp), pointer :: u(:, :, :)
    complex(dp), pointer :: z(:, :, :)
    integer :: i, j, k
    call options%set('in_place', .true.)
    call options%set('padded_reals', .true.)
    call plan%create(comm, sf_problem(n, kind='r2c'), options, input='slabs:3', output='slabs:3')
    call plan%make_input(u)
    call plan%make_output(z, over=u)
    call check(size(u, 1) == 8, 'rows of 6 reals have the room of 8')
    do concurrent(k=lbound(u, 3):ubound(u, 3), j=1:n(2), i=1:n(1))
      u(i, j, k) = real(number_at(i, j, k))
    end do
    call plan%forward(u)
    call check_row(z)
    call plan%backward(z)
    k = ubound(u, 3)
    call check(abs(u(6, 5, k) - real(number_at(6, 5, k))) < 1e-13_dp, 'in place, there and back')
    call plan%destroy()
  end subroutine

  subroutine check_row(z)
    complex(dp), pointer, intent(in) :: z(:, :, :)
    complex(dp) :: x(n(1), n(2), n(3))
    integer :: i, j, k
    do concurrent(i=1:n(1), j=1:n(2), k=1:n(3))
      x(i, j, k) = real(number_at(i, j, k))
    end do
    k = ubound(z, 3)
    call check(abs(z(4, 2, k) - coefficient(x, [4, 2, k], [.true., .true., .true.], .true.)) < 1e-12_dp, 'in place')
  end subroutine

  !> <A x, y> = <x, adjoint(y)>; the run is split.
  subroutine adjoints_and_split_runs()
    complex(dp), asynchronous :: x(n(1), n(2)), y(n(1), n(2)), ax(n(1), n(2)), ay(n(1), n(2))
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    integer :: i, j
    real(dp) :: left, right
    do concurrent(i=1:n(1), j=1:n(2))
      x(i, j) = number_at(i, j, 1)
      y(i, j) = number_at(i, j, 4)
    end do
    comm = sf_comm_local()
    call plan%create(comm, sf_problem(n(:2), backward='none'))
    call plan%start(x, ax, 'forward', factor=0.5_dp)
    do while (.not. plan%test())
    end do
    call plan%wait()
    call plan%adjoint(y, ay, 'forward', 0.5_dp)
    left = sum(real(conjg(ax)*y))
    right = sum(real(conjg(x)*ay))
    call check(abs(left - right) < 1e-12_dp*abs(left), 'adjoint')
    call plan%start(x, ax, 'backward')
    call plan%wait()
    call check(abs(ax(2, 4) - coefficient(reshape(x, [n(1), n(2), 1]), [2, 4, 1], [.true., .true., .false.], .false.)) &
               < 1e-12_dp, 'a split run backward')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  !> Kinds belong to the axes as they are declared: cosines along the first, sines along the second.
  subroutine kinds_belong_to_their_axes()
    real(dp) :: u(4, 6), v(4, 6), other
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    integer :: i, j
    do concurrent(i=1:4, j=1:6)
      u(i, j) = real(number_at(i, j, 2))
    end do
    comm = sf_comm_local()
    call plan%create(comm, sf_problem([4, 6], kind='r2r', kinds=[character(7) :: 'cosine2', 'sine2']))
    call plan%forward(u, v)
    other = 0
    do j = 1, 6
      do i = 1, 4
        other = other + 4*u(i, j)*cos(pi*2*(2*i - 1)/8.0_dp)*sin(pi*5*(2*j - 1)/12.0_dp)
      end do
    end do
    call check(abs(v(3, 5) - other) < 1e-12_dp, 'DCT-2 along axis 1, DST-2 along axis 2')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  !> The lowest modes of axis 1, all of axis 2.
  subroutine fewer_modes_are_those_of_their_axis()
    complex(dp) :: x(8, 6), full(8, 6), few(3, 6)
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    integer :: i, j
    do concurrent(i=1:8, j=1:6)
      x(i, j) = number_at(i, j, 3)
    end do
    comm = sf_comm_local()
    call plan%create(comm, sf_problem([8, 6]))
    call plan%forward(x, full)
    call plan%create(comm, sf_problem([8, 6], modes=[3, 0]))
    call plan%forward(x, few)
    call check(maxval(abs(few - full([1, 2, 8], :))) < 1e-12_dp, 'modes 0, 1, -1 of axis 1')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  subroutine reports_tell(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    complex(dp), pointer :: x(:, :, :), z(:, :, :)
    complex(dp) :: samples(2)
    type(sf_verdict) :: verdict
    type(sf_loss) :: loss
    type(sf_step), allocatable :: steps(:)
    type(sf_options) :: options
    integer :: i, j, k
    complex(dp) :: all(n(1), n(2), n(3))
    call options%set('threads', 1)
    call options%set('tolerance', 1e-3_dp)
    call options%set('encode_near', .true.)
    call plan%create(comm, sf_problem(n), options, 'slabs:3', 'slabs:1')
    call plan%make_input(x)
    call plan%make_output(z)
    do concurrent(i=1:n(1), j=1:n(2), k=1:n(3))
      all(i, j, k) = number_at(i, j, k)
    end do
    x = all(:, :, lbound(x, 3):ubound(x, 3))
    call plan%forward(x, z)
    verdict = plan%verify(x, z)
    call check(verdict%ok .and. verdict%error_rel_l2 <= verdict%bound .and. verdict%bound < 3e-3_dp, 'verdict')
    call check(plan%error_bound() <= 1e-3_dp, 'error bound')
    loss = plan%loss()
    call check(loss%bound <= 1e-3_dp .and. loss%bytes_after <= loss%bytes_before, 'loss')
    samples = plan%exact_samples(x, reshape([1, 2, 3, 6, 5, 4], [3, 2]))
    call check(abs(samples(2) - coefficient(all, [6, 5, 4], [.true., .true., .true.], .true.)) < 1e-11_dp, 'samples')
    steps = plan%steps()
    call check(size(steps) > 0 .and. all_labelled(steps), 'steps')
    if (comm%rank() == 0) then  ! one thread: gfortran keeps lengths of such results in static memory
      call check(index(plan%describe(), 'sweep') > 0 .and. index(plan%describe_json(), '{') == 1, 'descriptions')
    end if
    if (size(z) > 0) z(lbound(z, 1), 1, 1) = z(lbound(z, 1), 1, 1) + 1e6_dp
    verdict = plan%verify(x, z)
    call check(.not. verdict%ok, 'a wrong result is found')
    call check(plan%workspace_bytes() >= 0 .and. plan%input_bytes() == 16*size(x), 'bytes')
    call plan%destroy()
  end subroutine

  pure logical function all_labelled(steps)
    type(sf_step), intent(in) :: steps(:)
    all_labelled = all(len_trim(steps%label) > 0 .and. steps%seconds >= 0)
  end function

  !> 2^33 elements: sizes have 64 bits.
  subroutine large_arrays_are_counted_in_64_bits()
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    type(sf_layout) :: layout
    comm = sf_comm_dry_run(4, 1, 2)
    call plan%create(comm, sf_problem([4096, 2048, 1024]), input='slabs:3')
    layout = plan%input()
    call check(layout%count(1) == 2_c_int64_t**31, '2^31 elements of one rank')
    call check(plan%input_bytes() == 2_c_int64_t**35, '2^35 bytes')
    call check(comm%kind() == 'dry_run' .and. comm%nodes() == 2 .and. comm%node(3) == 1, 'a dry run')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  subroutine tuning_tells()
    type(sf_comm) :: comm
    type(sf_options) :: options
    character(:), allocatable :: report
    comm = sf_comm_local()
    call options%set('tune_seconds', 1)
    call sf_tune(comm, sf_problem([8, 6]), options, report)
    call check(index(report, '"candidates"') > 0, 'a report of tuning')
    call comm%destroy()
  end subroutine
end module

program runs_test
  use runs
  implicit none
  integer :: ranks
  call check(sf_has('native') .and. .not. sf_has('no such part') .and. len(sf_version()) >= 5, 'the library')
  do ranks = 1, 3
    call sf_on_ranks(ranks, pointers_have_global_bounds)
    call sf_on_ranks(ranks, in_place_reals_share_rows)
    call sf_on_ranks(ranks, reports_tell)
  end do
  call adjoints_and_split_runs()
  call kinds_belong_to_their_axes()
  call fewer_modes_are_those_of_their_axis()
  call large_arrays_are_counted_in_64_bits()
  call tuning_tells()
  call finish()
end program
