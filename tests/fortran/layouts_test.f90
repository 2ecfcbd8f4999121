!> Layouts, moves, memory with gaps, halos and operators, with axes as they are declared.
module layouts
  use checks
  implicit none
  integer, parameter :: n(3) = [4, 5, 6]

contains

  subroutine layouts_speak_of_fortran_axes()
    type(sf_layout) :: layout
    integer(c_int64_t) :: lo(3), hi(3)
    integer(c_int64_t), allocatable :: part_lo(:, :), part_hi(:, :)
    integer, allocatable :: rank(:)
    layout = sf_layout_of('slabs:3', n, 3)
    call layout%box(1, 1, lo, hi)
    call check(all(lo == [1, 1, 3]) .and. all(hi == [4, 5, 4]), 'slabs:3 cuts the last axis')
    call layout%owners([1_c_int64_t, 2_c_int64_t, 4_c_int64_t], [3_c_int64_t, 4_c_int64_t, 5_c_int64_t], rank, &
                       part_lo, part_hi)
    call check(all(rank == [1, 2]), 'owners')
    call check(all(part_lo(:, 1) == [1, 2, 4]) .and. all(part_hi(:, 1) == [3, 4, 4]), 'the first part')
    call check(all(part_lo(:, 2) == [1, 2, 5]) .and. all(part_hi(:, 2) == [3, 4, 5]), 'the second part')
    call check(len(layout%describe()) > 0 .and. layout%ranks() == 3 .and. layout%dims() == 3, 'look-ups')
    call layout%destroy()
    layout = sf_layout_of(sf_grid([1, 3, 2], order=[1, 3, 2]), n, 6)
    call check(all(layout%grid() == [1, 3, 2]) .and. all(layout%order() == [1, 3, 2]), 'grid and order')
    call layout%box(1, 1, lo, hi)
    call check(all(lo == [1, 3, 1]) .and. all(hi == [4, 4, 3]), 'ranks go along the first axis first')
    call layout%destroy()
    layout = sf_layout_of('GRID:1x3X2', n, 6)
    call check(all(layout%grid() == [1, 3, 2]), 'words of a grid are turned in capital letters, too')
    call layout%destroy()
    layout = sf_layout_of(sf_boxes([1, 0], reshape([1, 1, 1, 1, 1, 3], [3, 2]), &
                                   reshape([4, 5, 2, 4, 5, 6], [3, 2])), n, 2)
    call check(layout%count(0) == 80 .and. layout%count(1) == 40 .and. layout%boxes(0) == 1, 'boxes of one''s own')
    call layout%destroy()
  end subroutine

  !> Two processes along the earlier cut axis: in C, as `describe` counts, the later one.
  subroutine grids_of_options_go_along_fortran_axes()
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    character(19), parameter :: names(3) = [character(19) :: 'ranks_grid', 'SHARDFFT_RANKS_GRID', '--ranks-grid']
    integer :: i
    comm = sf_comm_dry_run(6, 0, 6)
    do i = 1, size(names)
      block
        type(sf_options) :: options
        call options%set(trim(names(i)), '2x3')
        call plan%create(comm, sf_problem([8, 16, 32]), options, input='pencils:1', output='pencils:1')
        call check(index(plan%describe(), 'ranks_grid 3 x 2 x 1') > 0, trim(names(i))//': '//plan%describe())
        call plan%destroy()
      end block
    end do
    call comm%destroy()
  end subroutine

  !> FFTW's transposed output of (nx, ny, nz) is declared (nx, nz, ny).
  subroutine transposed_output_is_declared_so(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    complex(dp), pointer :: u(:, :, :), z(:, :, :)
    complex(dp) :: x(n(1), n(2), n(3))
    integer :: i, j, k
    do concurrent(i=1:n(1), j=1:n(2), k=1:n(3))
      x(i, j, k) = number_at(i, j, k)
    end do
    call options%set('input', 'slabs:3')
    call options%set('output', sf_words('slabs:2', order=[1, 3, 2]))
    call plan%create(comm, sf_problem(n), options)
    call plan%make_input(u)
    call plan%make_output(z)
    u = x(:, :, lbound(u, 3):ubound(u, 3))
    call plan%forward(u, z)
    call check(size(z, 2) == n(3), 'the second axis of the output is the third of the input')
    j = lbound(z, 3)
    call check(abs(z(4, 6, j) - coefficient(x, [4, j, 6], [.true., .true., .true.], .true.)) < 1e-12_dp, 'transposed')
    call plan%destroy()
  end subroutine

  !> The ranks of its grid go along the later axis first, and the last ones have longer parts.
  subroutine parts_of_2decomp_are_boxes(comm)
    type(sf_comm), intent(in) :: comm
    integer, parameter :: rows = 2
    integer, allocatable :: lo(:, :), hi(:, :)
    integer :: rank, columns, i, j, k
    type(sf_plan) :: plan
    type(sf_options) :: options
    complex(dp), pointer :: u(:, :, :), z(:, :, :)
    complex(dp) :: x(n(1), n(2), n(3))
    columns = comm%size()/rows
    allocate (lo(3, 0:comm%size() - 1), hi(3, 0:comm%size() - 1))
    do rank = 0, comm%size() - 1
      lo(:, rank) = [1, rank/columns*n(2)/rows + 1, modulo(rank, columns)*n(3)/columns + 1]
      hi(:, rank) = [n(1), (rank/columns + 1)*n(2)/rows, (modulo(rank, columns) + 1)*n(3)/columns]
    end do
    do concurrent(i=1:n(1), j=1:n(2), k=1:n(3))
      x(i, j, k) = number_at(i, j, k)
    end do
    call options%set('input', sf_boxes([(rank, rank=0, comm%size() - 1)], lo, hi))
    call plan%create(comm, sf_problem(n), options, output='pencils:3')
    call plan%make_input(u)
    call plan%make_output(z)
    rank = comm%rank()
    call check(all(lbound(u) == lo(:, rank)) .and. all(ubound(u) == hi(:, rank)), 'bounds are those of the box')
    u = x(:, lo(2, rank):hi(2, rank), lo(3, rank):hi(3, rank))
    call plan%forward(u, z)
    i = lbound(z, 1)
    call check(abs(z(i, lbound(z, 2), 6) - coefficient(x, [i, lbound(z, 2), 6], [.true., .true., .true.], .true.)) &
               < 1e-12_dp, 'a transform from boxes')
    call plan%destroy()
  end subroutine

  subroutine integers_move(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_layout) :: layout
    type(sf_verdict) :: verdict
    integer, allocatable :: from(:, :, :), to(:, :, :), back(:, :, :)
    integer(c_int64_t) :: a(3), b(3), lo(3), hi(3)
    integer :: i, j, k
    call plan%create(comm, sf_problem(n, kind='move', element_bytes=4), input='slabs:3', output='pencils:3')
    layout = plan%input()
    call layout%box(comm%rank(), 1, a, b)
    allocate (from(4, 5, a(3):b(3)), back(4, 5, a(3):b(3)))
    layout = plan%output()
    call layout%box(comm%rank(), 1, lo, hi)
    allocate (to(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
    do concurrent(i=1:4, j=1:5, k=int(a(3)):int(b(3)))
      from(i, j, k) = i + 10*j + 100*k
    end do
    call plan%forward(from, to)
    do k = 1, n(3)
      do j = int(lo(2)), int(hi(2))
        do i = int(lo(1)), int(hi(1))
          call check(to(i, j, k) == i + 10*j + 100*k, 'each element comes to its place')
        end do
      end do
    end do
    call plan%backward(to, back)
    verdict = plan%verify(from, to)
    call check(all(back == from) .and. verdict%ok, 'and back')
    call plan%destroy()
  end subroutine

  !> The middle of a larger array, as it is declared.
  subroutine arrays_may_have_room_around()
    complex(dp) :: wide(0:n(1) + 1, -1:n(2) + 2), z(n(1), n(2)), x(n(1), n(2), 1)
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    integer :: i, j
    wide = (-1e9_dp, 3.0_dp)
    do concurrent(i=1:n(1), j=1:n(2))
      wide(i, j) = number_at(i, j, 1)
      x(i, j, 1) = wide(i, j)
    end do
    comm = sf_comm_local()
    call options%input_memory([1 + 2*6], reshape([1, 6], [2, 1]))
    call plan%create(comm, sf_problem(n(:2)), options)
    call plan%forward(wide, z)
    call check(abs(z(2, 5) - coefficient(x, [2, 5, 1], [.true., .true., .false.], .true.)) < 1e-12_dp, 'room around')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  !> Two cells below along axis 1, periodic, one above along axis 3, at whose ends nothing is.
  subroutine halos_have_global_bounds(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_layout) :: layout
    type(sf_halo) :: halo
    real(dp), pointer :: u(:, :, :)
    integer(c_int64_t) :: lo(3), hi(3)
    integer(c_int64_t), allocatable :: offset(:), strides(:, :)
    integer :: i, j, k
    layout = sf_layout_of('slabs:3', n, comm%size())
    call layout%box(comm%rank(), 1, lo, hi)
    call halo%create(comm, layout, low=[2, 0, 0], high=[0, 0, 1], periodic=[.true., .false., .false.], element_bytes=8)
    call halo%make_array(u)
    call check(lbound(u, 1) == -1 .and. ubound(u, 1) == 4 .and. ubound(u, 3) == hi(3) + 1, 'bounds with the halo')
    u = -1
    do concurrent(i=1:4, j=1:5, k=int(lo(3)):int(hi(3)))
      u(i, j, k) = i + 10*j + 100*k
    end do
    call halo%exchange(u)
    call check(all(u(-1:0, 1:5, lo(3):hi(3)) == u(3:4, 1:5, lo(3):hi(3))), 'periodic cells')
    if (hi(3) < n(3)) call check(u(2, 3, hi(3) + 1) == 32 + 100*(hi(3) + 1), 'the cell of the next rank')
    if (hi(3) == n(3)) call check(u(2, 3, hi(3) + 1) == -1, 'nothing is behind the array')
    call halo%start_accumulate(u)
    call halo%wait()
    call check(u(3, 3, hi(3)) == 2*(33 + 100*hi(3)), 'what a periodic cell holds is added to its owner')
    call check(u(1, 3, hi(3)) == 31 + 100*hi(3), 'what is in no halo stays')
    if (lo(3) > 1) call check(u(1, 3, lo(3)) == 2*(31 + 100*lo(3)), 'what the rank before holds is added')
    call halo%places(offset, strides)
    call check(offset(1) == 2 .and. all(strides(:, 1) == [1, 6, 30]), 'where the box lies')
    if (comm%rank() == 0) call check(len(halo%describe()) > 0, 'a description')
    call halo%destroy()
    call layout%destroy()
  end subroutine

  !> -laplace(v) = u, mean 0: each wave number belongs to its axis.
  subroutine operators_see_waves(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    type(sf_options) :: options
    real(dp), pointer :: u(:, :, :), v(:, :, :)
    integer :: i, j, k
    real(dp) :: at(3)
    call options%set('apply', 'to_outputs')
    call plan%create(comm, sf_problem(8*n, kind='r2c'), options, input='slabs:3')
    call plan%make_input(u)
    call plan%make_applied(v)
    do k = lbound(u, 3), ubound(u, 3)
      do j = 1, 8*n(2)
        do i = 1, 8*n(1)
          at = 2*pi*([i, j, k] - 1)/(8*n)
          u(i, j, k) = (1 + 4 + 9)*sin(at(1))*cos(2*at(2))*sin(3*at(3))
        end do
      end do
    end do
    call plan%apply(u, v, inverse_laplace)
    call check(maxval(abs(v - u/14)) < 1e-13_dp, 'the inverse Laplacian')
    call plan%destroy()
  end subroutine

  subroutine inverse_laplace(m)
    type(sf_modes), intent(in) :: m
    complex(dp), pointer :: z(:)
    integer :: i
    real(dp) :: square
    call m%values(z)
    do i = 1, m%count
      square = m%wave(1, i)**2 + m%wave(2, i)**2 + m%wave(3, i)**2
      z(i) = merge((0.0_dp, 0.0_dp), z(i)/max(square, 1.0_dp), square == 0)
    end do
  end subroutine

  !> Components lie along the last axis: three become one, and each element knows where it is.
  subroutine operators_see_components()
    real(dp) :: u(4, 6, 3), v(4, 6, 1), points(4, 6, 3), expected(4, 6, 1)
    character(7), parameter :: kinds(2) = 'hartley'
    type(sf_comm) :: comm
    type(sf_plan) :: plan, three, one
    type(sf_options) :: options
    integer :: i, j, c
    do concurrent(i=1:4, j=1:6, c=1:3)
      u(i, j, c) = real(number_at(i, j, c))
    end do
    comm = sf_comm_local()
    call options%set('apply', 'to_inputs')
    call options%set('components_in', 3)
    call options%set('components_out', 1)
    call plan%create(comm, sf_problem([4, 6, 3], kind='r2r', axes=[1, 2], kinds=kinds), options)
    call plan%apply_physical(u, v, combine)
    call three%create(comm, sf_problem([4, 6, 3], kind='r2r', axes=[1, 2], kinds=kinds))
    call one%create(comm, sf_problem([4, 6, 1], kind='r2r', axes=[1, 2], kinds=kinds))
    call three%backward(u, points)
    points(:, :, 1) = points(:, :, 1)**2 + points(:, :, 2) - 2*points(:, :, 3)
    call one%forward(points(:, :, 1:1), expected)
    call check(maxval(abs(v - expected)) < 1e-12_dp, 'components')
    call plan%destroy()
    call three%destroy()
    call one%destroy()
    call comm%destroy()
  end subroutine

  subroutine combine(m)
    type(sf_modes), intent(in) :: m
    real(dp), pointer :: a(:), b(:), c(:)
    integer :: i
    call m%values(a, 1)
    call m%values(b, 2)
    call m%values(c, 3)
    call check(m%components_in == 3 .and. m%components_out == 1 .and. m%first(3) == 1, 'what an operator knows')
    do i = 1, m%count
      call check(m%index(1, i) >= 1 .and. m%index(1, i) <= 4 .and. m%index(2, i) <= 6, 'indices')
      call check(abs(m%wave(1, i) - (m%index(1, i) - 1)/4.0_dp) < 1e-15_dp, 'the place of a point')
      call check(abs(m%wave(2, i) - (m%index(2, i) - 1)/6.0_dp) < 1e-15_dp, 'the place of a point')
      a(i) = a(i)**2 + b(i) - 2*c(i)
    end do
  end subroutine
end module

program layouts_test
  use layouts
  implicit none
  integer :: ranks
  call layouts_speak_of_fortran_axes()
  call grids_of_options_go_along_fortran_axes()
  do ranks = 1, 3
    call sf_on_ranks(ranks, transposed_output_is_declared_so)
    call sf_on_ranks(ranks, integers_move)
    call sf_on_ranks(ranks, halos_have_global_bounds)
    call sf_on_ranks(ranks, operators_see_waves)
  end do
  call sf_on_ranks(4, parts_of_2decomp_are_boxes)
  call arrays_may_have_room_around()
  call operators_see_components()
  call finish()
end program
