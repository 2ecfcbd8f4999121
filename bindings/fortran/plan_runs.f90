!> Runs of a plan.
submodule(shardfft_plan) plan_runs
  use shardfft_counting, only: settle_counted
  use shardfft_operators, only: call_operator, operator_holder
  use shardfft_order, only: length_fault
  use shardfft_text
  implicit none

  character(*), parameter :: directions(2) = [character(8) :: 'forward', 'backward']

contains

  !> Number of a direction; forward without a word. What is no direction the plan refuses on all ranks.
  pure integer(c_int) function number_of(direction)
    character(*), intent(in), optional :: direction
    number_of = 0
    if (present(direction)) number_of = word_number(direction, directions)
  end function

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
end submodule
