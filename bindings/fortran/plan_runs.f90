!> Runs of a plan, what they do and what the last one cost.
submodule(shardfft_plan) plan_runs
  use shardfft_counting, only: settle_counted
  use shardfft_operators, only: call_operator, operator_holder
  use shardfft_order, only: length_fault
  use shardfft_text
  implicit none

  character(*), parameter :: directions(2) = [character(8) :: 'forward', 'backward']

contains

  !> Number of a direction; forward without a word, or with one that check_direction() refuses.
  pure integer(c_int) function number_of(direction)
    character(*), intent(in), optional :: direction
    number_of = 0
    if (present(direction)) number_of = max(0, word_number(direction, directions))
  end function

  !> What is no direction the plan refuses on all ranks, as if it was wrong with the array `a`.
  subroutine check_direction(name, direction, a)
    character(*), intent(in) :: name
    character(*), intent(in), optional :: direction
    type(sent), intent(inout), target :: a
    if (.not. present(direction)) return
    if (word_number(direction, directions) < 0) &
      call refuse('`'//name//'` is forward or backward; got '''//trim(direction)//'''; leave it out for forward', a)
  end subroutine

  pure real(c_double) function one_or(factor)
    real(c_double), intent(in), optional :: factor
    one_or = 1
    if (present(factor)) one_or = factor
  end function

  !> Both arrays of a run that reads what `from` says and writes what `to` says.
  subroutine see_both(from, to, in, out, a, b)
    type(expected), intent(in) :: from, to
    type(*), target :: in(..)
    type(*), target, optional :: out(..)
    type(sent), intent(inout), target :: a, b
    if (present(out)) then
      call see(in, from, 'in', .true., a)
      call see(out, to, 'out', .true., b)
    else
      call see(in, from, 'in', .false., a, to)
      b%at = a%at
      b%bytes = a%bytes
    end if
  end subroutine

  module procedure forward
    type(sent), target :: a, b
    call see_both(self%in, self%out, in, out, a, b)
    call settle(shardfft_forward_scaled(self%handle, a%at, a%bytes, b%at, b%bytes, one_or(factor)), stat, errmsg)
  end procedure

  module procedure backward
    type(sent), target :: a, b
    call see_both(self%out, self%in, in, out, a, b)
    call settle(shardfft_backward_scaled(self%handle, a%at, a%bytes, b%at, b%bytes, one_or(factor)), stat, errmsg)
  end procedure

  module procedure adjoint
    type(sent), target :: a, b
    integer(c_int) :: direction
    direction = number_of(of)
    if (direction == 1) then
      call see_both(self%in, self%out, in, out, a, b)
    else
      call see_both(self%out, self%in, in, out, a, b)
    end if
    call check_direction('of', of, a)
    call settle(shardfft_adjoint(self%handle, direction, a%at, a%bytes, b%at, b%bytes, one_or(factor)), stat, errmsg)
  end procedure

  module procedure start
    type(sent), target :: a, b
    integer(c_int) :: way
    way = number_of(direction)
    if (way == 1) then
      call see_both(self%out, self%in, in, out, a, b)
    else
      call see_both(self%in, self%out, in, out, a, b)
    end if
    call check_direction('direction', direction, a)
    call settle(shardfft_start_scaled(self%handle, way, a%at, a%bytes, b%at, b%bytes, one_or(factor)), stat, errmsg)
  end procedure

  module procedure test
    integer(c_int) :: done
    done = 0
    call settle(shardfft_test(self%handle, done), stat, errmsg)
    test = done == 1
  end procedure

  module procedure wait
    call settle(shardfft_wait(self%handle), stat, errmsg)
  end procedure

  module procedure apply
    type(sent), target :: a, b
    type(operator_holder), target :: holder
    holder%f => f
    call see_both(self%in, self%applied, in, out, a, b)
    call settle(shardfft_apply(self%handle, a%at, a%bytes, b%at, b%bytes, c_funloc(call_operator), c_loc(holder)), &
                stat, errmsg)
  end procedure

  module procedure apply_physical
    type(sent), target :: a, b
    type(operator_holder), target :: holder
    holder%f => f
    call see_both(self%out, self%applied, in, out, a, b)
    call settle(shardfft_apply_physical(self%handle, a%at, a%bytes, b%at, b%bytes, c_funloc(call_operator), &
                                        c_loc(holder)), stat, errmsg)
  end procedure

  module procedure verify_run
    type(sent), target :: a, b
    type(c_verdict) :: v
    integer(c_int) :: way
    way = number_of(direction)
    if (way == 1) then
      call see_both(self%out, self%in, in, out, a, b)
    else
      call see_both(self%in, self%out, in, out, a, b)
    end if
    call check_direction('direction', direction, a)
    v = c_verdict(c_sizeof(v), 0, 0, 0)
    call settle(shardfft_verify_scaled(self%handle, a%at, a%bytes, b%at, b%bytes, way, one_or(factor), v), stat, errmsg)
    verify_run = sf_verdict(v%error_rel_l2, v%bound, v%ok == 1)
  end procedure

  module procedure samples_long
    type(sent), target :: a
    type(sf_layout) :: layout
    complex(c_double_complex), target :: found(size(positions, 2))
    character(longest) :: fault
    integer(c_int) :: way
    way = number_of(direction)
    if (way == 1) then
      call see(in, self%out, 'in', .true., a)
    else
      call see(in, self%in, 'in', .true., a)
    end if
    call check_direction('direction', direction, a)
    layout = self%input()
    fault = length_fault('a position', size(positions, 1), layout%dims())
    if (fault /= '') call refuse(fault, a)
    found = 0
    call settle_counted(shardfft_exact_samples(self%handle, a%at, a%bytes, way, merge(size(found), 0, fault == ''), &
                                       positions(size(positions, 1):1:-1, :) - 1, c_loc(found)), &
                        layout%dims(), stat, errmsg)
    samples = found
  end procedure

  module procedure samples_int
    samples = samples_long(self, in, int(positions, c_int64_t), direction, stat, errmsg)
  end procedure

  module procedure hash_input
    type(sent), target :: a
    hash_input = 0
    call see(in, self%in, 'in', .true., a)
    call settle(shardfft_hash_input(self%handle, a%at, a%bytes, hash_input), stat, errmsg)
  end procedure

  module procedure hash_output
    type(sent), target :: a
    hash_output = 0
    call see(out, self%out, 'out', .true., a)
    call settle(shardfft_hash_output(self%handle, a%at, a%bytes, hash_output), stat, errmsg)
  end procedure

  module procedure error_bound
    error_bound = 0
    call settle(shardfft_error_bound(self%handle, error_bound), stat, errmsg)
  end procedure

  module procedure loss
    type(c_loss) :: l
    l = c_loss(c_sizeof(l), 0, 0, 0, 0, 0, 0)
    call settle(shardfft_last_loss(self%handle, l), stat, errmsg)
    loss = sf_loss(l%bound, l%encoded, l%bits, l%bytes_before, l%bytes_after, l%floor)
  end procedure

  module procedure describe
    type(c_ptr) :: where
    where = c_null_ptr
    call settle(shardfft_describe(self%handle, where), stat, errmsg)
    call take_text(where, text)
  end procedure

  module procedure describe_json
    type(c_ptr) :: where
    where = c_null_ptr
    call settle(shardfft_describe_json(self%handle, where), stat, errmsg)
    call take_text(where, text)
  end procedure

  module procedure steps
    integer(c_int) :: number, status
    integer :: i
    number = 0
    status = shardfft_steps(self%handle, number)
    allocate (all(number))
    do i = 1, number
      if (status == 0) status = step(self%handle, i, all(i))
    end do
    call settle(status, stat, errmsg)
  end procedure

  integer(c_int) function step(plan, i, into) result(status)
    type(c_ptr), intent(in) :: plan
    integer, intent(in) :: i
    type(sf_step), intent(inout) :: into
    type(c_step) :: s
    integer :: letter
    s%bytes = c_sizeof(s)
    s%label = c_null_char
    status = shardfft_step_at(plan, int(i - 1, c_int), s)
    into = sf_step('', s%seconds, s%bytes_memory, s%bytes_network, s%bytes_shared, s%bytes_link, s%messages)
    do letter = 1, size(s%label)
      if (s%label(letter) == c_null_char) exit
      into%label(letter:letter) = s%label(letter)
    end do
  end function
end submodule
