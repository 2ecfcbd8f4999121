!> How plans are made and end.
submodule(shardfft_plan) plan_create
  use shardfft_counting, only: say_counted, settle_counted
  use shardfft_layout, only: boxed_part
  use shardfft_options, only: build_options, set_word
  use shardfft_problem, only: build_problem
  use shardfft_text
  implicit none

  !> What C is asked: handles that end with release().
  type :: request
    type(c_ptr) :: problem = c_null_ptr, options = c_null_ptr
    type(sf_options) :: chosen
    integer(c_int) :: status = 0
    character(longest) :: fault
  end type

contains

  module procedure create
    type(request) :: asked
    if (c_associated(self%handle)) call self%destroy()
    asked = request_of(comm, problem, options, input, output)
    if (asked%status == 0) &
      asked%status = shardfft_plan_create(comm%handle, asked%problem, asked%options, self%handle)
    if (asked%status == 0) call expect(self, comm, problem, asked%chosen)
    call release(asked)
    call settle_counted(asked%status, axes_of(problem), stat, errmsg, asked%fault)
  end procedure

  module procedure sf_tune
    type(request) :: asked
    type(c_ptr) :: text
    character(:), allocatable :: all
    text = c_null_ptr
    asked = request_of(comm, problem, options)
    if (asked%status == 0) asked%status = shardfft_tune(comm%handle, asked%problem, asked%options, text)
    call release(asked)
    call take_text(text, all)
    if (present(report)) report = all
    call settle_counted(asked%status, axes_of(problem), stat, errmsg, asked%fault)
  end procedure

  pure integer function axes_of(problem)
    type(sf_problem), intent(in) :: problem
    axes_of = 0
    if (allocated(problem%shape)) axes_of = size(problem%shape)
  end function

  !> Collective: an error of one rank is one of all.
  function request_of(comm, problem, options, input, output) result(asked)
    type(sf_comm), intent(in) :: comm
    type(sf_problem), intent(in) :: problem
    type(sf_options), intent(in), optional :: options
    character(*), intent(in), optional :: input, output
    type(request) :: asked
    asked%fault = ''
    if (present(options)) asked%chosen = options
    if (present(input)) call asked%chosen%set('input', input)
    if (present(output)) call asked%chosen%set('output', output)
    call build_problem(problem, asked%problem, asked%status, asked%fault)
    if (asked%status == 0) &
      call build_options(asked%chosen, size(problem%shape), asked%options, asked%status, asked%fault)
    if (asked%status /= 0 .and. asked%fault == '') call say_counted(asked%fault, axes_of(problem))
    call agree(comm%handle, asked%status, asked%fault)
  end function

  subroutine release(asked)
    type(request), intent(inout) :: asked
    if (c_associated(asked%problem)) call shardfft_problem_destroy(asked%problem)
    if (c_associated(asked%options)) call shardfft_options_destroy(asked%options)
  end subroutine

  !> What arrays of the plan hold.
  subroutine expect(self, comm, problem, options)
    class(sf_plan), intent(inout) :: self
    type(sf_comm), intent(in) :: comm
    type(sf_problem), intent(in) :: problem
    type(sf_options), intent(in) :: options
    integer :: scalar, rank
    logical :: moves, padded
    rank = comm%rank()
    scalar = merge(4, 8, problem%precision == 'f32')
    moves = problem%kind == 'move'
    self%in = part(self%input(), rank, scalar, problem%kind /= 'r2c' .and. problem%kind /= 'r2r', &
                   shardfft_plan_input_bytes(self%handle))
    self%out = part(self%output(), rank, scalar, problem%kind /= 'c2r' .and. problem%kind /= 'r2r', &
                    shardfft_plan_output_bytes(self%handle))
    if (moves) call any_type(self%in, problem%element_bytes)
    if (moves) call any_type(self%out, problem%element_bytes)
    padded = set_word(options, 'padded_reals') == 'true' .or. set_word(options, 'padded_reals') == '1'
    if (padded .and. problem%kind == 'r2c') call pad(self%in)
    if (padded .and. problem%kind == 'c2r') call pad(self%out)
    if (allocated(options%input_places%offset)) self%in%boxed = .false.
    if (allocated(options%output_places%offset)) self%out%boxed = .false.
    if (index(set_word(options, 'apply'), 'to_') == 1) call expect_apply(self, rank, options)
  end subroutine

  type(expected) function part(layout, rank, scalar, complex_numbers, bytes) result(e)
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: rank, scalar
    logical, intent(in) :: complex_numbers
    integer(c_size_t), intent(in) :: bytes
    e%scalar = scalar
    e%complex_numbers = complex_numbers
    e%element = merge(2, 1, complex_numbers)*scalar
    e%bytes = bytes
    call boxed_part(layout, rank, e)
  end function

  subroutine any_type(e, element_bytes)
    type(expected), intent(inout) :: e
    integer, intent(in) :: element_bytes
    if (element_bytes == 0) return  ! complex numbers of the precision
    e%scalar = 0
    e%element = element_bytes
  end subroutine

  !> Rows of reals with the room of their half spectra.
  subroutine pad(e)
    type(expected), intent(inout) :: e
    if (e%boxed .and. e%bytes > 0) e%extent(1) = 2*(e%extent(1)/2 + 1)
  end subroutine

  !> Components lie along the last axis, and there may be more or fewer of them in the result.
  subroutine expect_apply(self, rank, options)
    class(sf_plan), intent(inout) :: self
    integer, intent(in) :: rank
    type(sf_options), intent(in) :: options
    character(24) :: components
    integer :: number, wrong, axis
    integer, allocatable :: order(:)
    logical :: from_outputs
    type(sf_layout) :: layout
    from_outputs = set_word(options, 'apply') == 'to_inputs'
    self%applied = self%in
    layout = self%input()
    if (from_outputs) self%applied = self%out
    if (from_outputs) layout = self%output()
    self%applied%bytes = shardfft_plan_applied_bytes(self%handle)
    self%mid = part(self%middle(), rank, self%in%scalar, &
                    merge(self%in%complex_numbers, self%out%complex_numbers, from_outputs), 0_c_size_t)
    self%mid%bytes = layout_bytes(self%middle(), rank, self%mid%element)
    components = set_word(options, 'components_out')
    read (components, *, iostat=wrong) number
    if (wrong /= 0 .or. number == 0 .or. .not. self%applied%boxed) return
    order = layout%order()
    axis = findloc(order, size(order), dim=1)
    if (self%applied%extent(axis) > 0) self%applied%extent(axis) = number
  end subroutine

  integer(c_int64_t) function layout_bytes(layout, rank, element) result(bytes)
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer(c_int64_t), intent(in) :: element
    bytes = element*layout%count(rank)
  end function

  module procedure destroy
    integer :: failed
    call self%memory%free()
    call settle(shardfft_plan_destroy(self%handle), failed)
    self%handle = c_null_ptr
    self%in = expected()
    self%out = expected()
    self%mid = expected()
    self%applied = expected()
  end procedure

  module procedure input
    input%handle = shardfft_plan_input(self%handle)
  end procedure
  module procedure output
    output%handle = shardfft_plan_output(self%handle)
  end procedure
  module procedure middle
    middle%handle = shardfft_plan_middle(self%handle)
  end procedure
  module procedure input_bytes
    input_bytes = shardfft_plan_input_bytes(self%handle)
  end procedure
  module procedure output_bytes
    output_bytes = shardfft_plan_output_bytes(self%handle)
  end procedure
  module procedure workspace_bytes
    workspace_bytes = shardfft_plan_workspace_bytes(self%handle)
  end procedure
end submodule
