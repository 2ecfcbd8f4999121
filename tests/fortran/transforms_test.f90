!> 3 x 5 x 7 in all axes, kinds, precisions and layouts, on 1 to 3 ranks: what a plain sum gives, and the bits of C.
module transforms
  use checks
  use shardfft_order, only: words_in_c
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n(3) = [3, 5, 7]
  integer(c_int64_t) :: input_hash, output_hash  !< of C
  integer, allocatable :: axes(:)
  character(:), allocatable :: kind, input, output

  interface
    integer(c_int) function hashes_by_c(shape, count, axes, kind, input, output, of_input, of_output) bind(C)
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int), value :: count, kind
      integer(c_int), intent(in) :: axes(*)
      character(kind=c_char), intent(in) :: input(*), output(*)
      integer(c_int64_t), intent(out) :: of_input, of_output
    end function
  end interface

contains

  !> What C says of the same problem.
  subroutine ask_c()
    character(200) :: c_input, c_output, fault
    call words_in_c(input, 3, c_input, fault)
    call words_in_c(output, 3, c_output, fault)
    call check(hashes_by_c(int(n(3:1:-1), c_int64_t), size(axes), 3 - axes(size(axes):1:-1), &
                           merge(0, 1, kind == 'c2c'), trim(c_input)//c_null_char, &
                           trim(c_output)//c_null_char, input_hash, output_hash) == 0, 'C')
  end subroutine

  !> One rank: this rank's part, filled by its global indices, in the axes' order of its memory.
  subroutine on_this_rank(comm)
    type(sf_comm), intent(in) :: comm
    type(sf_plan) :: plan
    integer(c_int64_t) :: hash_in, hash_out
    type(sf_verdict) :: verdict
    call plan%create(comm, sf_problem(n, kind=kind, axes=axes), input=input, output=output)
    if (kind == 'c2c') then
      call complex_run(plan, comm, hash_in, hash_out, verdict)
    else
      call real_run(plan, comm, hash_in, hash_out, verdict)
    end if
    if (comm%rank() == 0) then
      call check(hash_in == input_hash, 'input as C has it: '//kind//' '//input//' '//output)
      call check(hash_out == output_hash, 'output as C has it: '//kind//' '//input//' '//output)
      call check(verdict%ok, 'verified: '//kind//' '//input//' '//output)
    end if
    call plan%destroy()
  end subroutine

  subroutine complex_run(plan, comm, hash_in, hash_out, verdict)
    type(sf_plan), intent(inout) :: plan
    type(sf_comm), intent(in) :: comm
    integer(c_int64_t), intent(out) :: hash_in, hash_out
    type(sf_verdict), intent(out) :: verdict
    complex(dp), pointer :: u(:), z(:)
    call plan%make_input(u)
    call plan%make_output(z)
    call fill(plan%input(), comm%rank(), u)
    call plan%forward(u, z)
    verdict = plan%verify(u, z)
    hash_in = plan%hash_input(u)
    hash_out = plan%hash_output(z)
  end subroutine

  subroutine real_run(plan, comm, hash_in, hash_out, verdict)
    type(sf_plan), intent(inout) :: plan
    type(sf_comm), intent(in) :: comm
    integer(c_int64_t), intent(out) :: hash_in, hash_out
    type(sf_verdict), intent(out) :: verdict
    real(dp), pointer :: u(:)
    complex(dp), pointer :: z(:)
    complex(dp) :: wide(105)
    call plan%make_input(u)
    call plan%make_output(z)
    call fill(plan%input(), comm%rank(), wide(:size(u)))
    u = real(wide(:size(u)))
    call plan%forward(u, z)
    verdict = plan%verify(u, z)
    hash_in = plan%hash_input(u)
    hash_out = plan%hash_output(z)
  end subroutine

  !> Box after box, each in the order of the layout.
  subroutine fill(layout, rank, u)
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: rank
    complex(dp), intent(inout) :: u(:)
    integer(c_int64_t) :: lo(3), hi(3)
    integer :: b, i, j, k, at
    at = 0
    do b = 1, layout%boxes(rank)
      call layout%box(rank, b, lo, hi)
      do k = int(lo(3)), int(hi(3))
        do j = int(lo(2)), int(hi(2))
          do i = int(lo(1)), int(hi(1))
            at = at + 1
            u(at) = number_at(i, j, k)
          end do
        end do
      end do
    end do
  end subroutine

  !> One process, arrays as they are declared, against the sum.
  subroutine by_definition(along)
    logical, intent(in) :: along(3)
    complex(dp) :: x(n(1), n(2), n(3)), z(n(1), n(2), n(3)), back(n(1), n(2), n(3))
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    integer :: i, j, k
    real(dp) :: worst
    do concurrent (i = 1:n(1), j = 1:n(2), k = 1:n(3))
      x(i, j, k) = number_at(i, j, k)
    end do
    comm = sf_comm_local()
    call plan%create(comm, sf_problem(n, axes=pack([1, 2, 3], along)))
    call plan%forward(x, z)
    worst = 0
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          worst = max(worst, abs(z(i, j, k) - coefficient(x, [i, j, k], along, .true.)))
        end do
      end do
    end do
    call check(worst < 1e-12_dp, 'a transform is the sum that defines it')
    call plan%backward(z, back)
    call check(maxval(abs(back - x)) < 1e-13_dp, 'backward takes it back')
    call plan%destroy()
    call comm%destroy()
  end subroutine

  !> The first of the axes is halved, as the array is declared.
  subroutine halves_the_first_axis()
    real(c_float) :: u(n(1), n(2), n(3))
    complex(c_float_complex) :: z(2, n(2), n(3)), other(n(1), 3, n(3))
    complex(dp) :: x(n(1), n(2), n(3))
    type(sf_comm) :: comm
    type(sf_plan) :: plan
    integer :: i, j, k
    do concurrent (i = 1:n(1), j = 1:n(2), k = 1:n(3))
      u(i, j, k) = real(number_at(i, j, k), c_float)
      x(i, j, k) = real(number_at(i, j, k))
    end do
    comm = sf_comm_local()
    call plan%create(comm, sf_problem(n, kind='r2c', precision='f32'))
    call plan%forward(u, z)
    call check(abs(z(2, 4, 6) - coefficient(x, [2, 4, 6], [.true., .true., .true.], .true.)) < 1e-4_dp, &
               'half of axis 1')
    call plan%create(comm, sf_problem(n, kind='r2c', precision='f32', axes=[2, 1]))
    call plan%forward(u, other)
    call check(abs(other(3, 2, 5) - coefficient(x, [3, 2, 5], [.true., .true., .false.], .true.)) < 1e-4_dp, &
               'half of axis 2, the first of the list')
    call plan%destroy()
    call comm%destroy()
  end subroutine
end module

program transforms_test
  use transforms
  implicit none
  character(9), parameter :: layouts(8) = [character(9) :: 'natural', 'slabs:1', 'slabs:2', 'pencils:1', 'pencils:2', &
                                           'bricks', 'cyclic:3', 'any']
  integer :: mask, ranks, a, b, k
  logical :: along(3)
  call halves_the_first_axis()
  do mask = 1, 7
    along = [btest(mask, 0), btest(mask, 1), btest(mask, 2)]
    call by_definition(along)
    axes = pack([1, 2, 3], along)
    do k = 0, 1
      kind = merge('c2c', 'r2c', k == 0)
      do a = 1, size(layouts)
        b = modulo(a*3 + mask, size(layouts)) + 1
        input = trim(layouts(a))
        output = trim(layouts(b))
        call ask_c()
        do ranks = 1, 3
          call sf_on_ranks(ranks, on_this_rank)
        end do
      end do
    end do
  end do
  call finish()
end program
