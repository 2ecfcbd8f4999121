!> What a plan does and what a run cost.
submodule(shardfft_plan) plan_reports
  use shardfft_text
  implicit none

contains

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
