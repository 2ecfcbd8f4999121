!> What may be chosen, by name. A value that owns nothing.
module shardfft_options
  use, intrinsic :: iso_c_binding
  use shardfft_c_library, only: shardfft_spec_destroy
  use shardfft_c_plan
  use shardfft_order
  use shardfft_spec
  use shardfft_text
  implicit none
  private
  public :: build_options, set_word, sf_options

  type :: setting
    character(:), allocatable :: name, value
  end type
  !> Where the boxes of a rank lie in the caller's memory.
  type :: places
    integer(c_int64_t), allocatable :: offset(:), strides(:, :)
  end type

  type :: sf_options
    private
    type(setting), allocatable :: settings(:)
    type(sf_spec), allocatable :: input, output
    type(places), public :: input_places, output_places  !< set by input_memory and output_memory
  contains
    procedure, private :: set_text, set_integer, set_real, set_logical, set_spec
    procedure, private :: input_int, input_long, output_int, output_long
    !> One option by the name that docs/guide/options.md has. 'input' and 'output' also take an sf_spec.
    generic :: set => set_text, set_integer, set_real, set_logical, set_spec
    !> Elements from the start of the array to the first one of each box, and strides(axis, box) in elements.
    generic :: input_memory => input_int, input_long
    generic :: output_memory => output_int, output_long
  end type

contains

  subroutine set_text(self, name, value)
    class(sf_options), intent(inout) :: self
    character(*), intent(in) :: name, value
    if (.not. allocated(self%settings)) allocate (self%settings(0))
    self%settings = [self%settings, setting(trim(name), trim(value))]
    if (name == 'input' .and. allocated(self%input)) deallocate (self%input)
    if (name == 'output' .and. allocated(self%output)) deallocate (self%output)
  end subroutine

  subroutine set_integer(self, name, value)
    class(sf_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: value
    call self%set(name, in_words(int(value, c_int64_t)))
  end subroutine

  subroutine set_real(self, name, value)
    class(sf_options), intent(inout) :: self
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    character(32) :: digits
    write (digits, '(es25.16e3)') value
    call self%set(name, trim(adjustl(digits)))
  end subroutine

  subroutine set_logical(self, name, value)
    class(sf_options), intent(inout) :: self
    character(*), intent(in) :: name
    logical, intent(in) :: value
    call self%set(name, trim(merge('true ', 'false', value)))
  end subroutine

  !> Another name than 'input' and 'output' is refused when the plan is made.
  subroutine set_spec(self, name, value)
    class(sf_options), intent(inout) :: self
    character(*), intent(in) :: name
    type(sf_spec), intent(in) :: value
    if (name == 'input') then
      self%input = value
    else if (name == 'output') then
      self%output = value
    else
      call self%set(name, 'a layout')
    end if
  end subroutine

  subroutine input_long(self, offset, strides)
    class(sf_options), intent(inout) :: self
    integer(c_int64_t), intent(in) :: offset(:), strides(:, :)
    self%input_places = places(offset, strides)
  end subroutine
  subroutine input_int(self, offset, strides)
    class(sf_options), intent(inout) :: self
    integer, intent(in) :: offset(:), strides(:, :)
    call self%input_memory(int(offset, c_int64_t), int(strides, c_int64_t))
  end subroutine
  subroutine output_long(self, offset, strides)
    class(sf_options), intent(inout) :: self
    integer(c_int64_t), intent(in) :: offset(:), strides(:, :)
    self%output_places = places(offset, strides)
  end subroutine
  subroutine output_int(self, offset, strides)
    class(sf_options), intent(inout) :: self
    integer, intent(in) :: offset(:), strides(:, :)
    call self%output_memory(int(offset, c_int64_t), int(strides, c_int64_t))
  end subroutine

  !> What was set last, of words that are short, in small letters; '' if nothing was.
  pure function set_word(self, name) result(word)
    class(sf_options), intent(in) :: self
    character(*), intent(in) :: name
    character(24) :: word
    integer :: i
    word = ''
    if (.not. allocated(self%settings)) return
    do i = 1, size(self%settings)
      if (self%settings(i)%name == name) word = self%settings(i)%value
    end do
    do i = 1, len(word)
      if (word(i:i) >= 'A' .and. word(i:i) <= 'Z') word(i:i) = achar(iachar(word(i:i)) + 32)
    end do
  end function

  !> The options as C has them, which the caller destroys.
  subroutine build_options(options, dims, o, status, fault)
    class(sf_options), intent(in) :: options
    integer, intent(in) :: dims
    type(c_ptr), intent(inout) :: o
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    integer :: i
    status = shardfft_options_create(o)
    if (allocated(options%settings)) then
      do i = 1, size(options%settings)
        if (status == 0) call set_one(o, options%settings(i), dims, status, fault)
      end do
    end if
    if (status == 0 .and. allocated(options%input)) call set_layout(o, 'input', options%input, dims, status, fault)
    if (status == 0 .and. allocated(options%output)) call set_layout(o, 'output', options%output, dims, status, fault)
    if (status == 0) call set_places(o, 'input_memory', options%input_places, dims, status, fault)
    if (status == 0) call set_places(o, 'output_memory', options%output_places, dims, status, fault)
  end subroutine

  subroutine set_one(o, one, dims, status, fault)
    type(c_ptr), intent(in) :: o
    type(setting), intent(in) :: one
    integer, intent(in) :: dims
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    character(longest) :: value
    if ((one%name == 'input' .or. one%name == 'output') .and. len(one%value) > 0) then
      call set_layout(o, one%name, sf_words(one%value), dims, status, fault)
      return
    end if
    value = one%value
    if (one%name == 'axis_order') call turn_axis_order(value, dims, fault)
    select case (one%name)
    case ('ranks_grid', 'SHARDFFT_RANKS_GRID', '--ranks-grid')  ! C knows the option by each of these names
      value = turned_grid(value)
    end select
    if (fault /= '') then
      status = invalid_argument
      return
    end if
    status = shardfft_options_set(o, c_text(one%name), c_text(value))
  end subroutine

  !> '1,3,2' of three axes becomes '2,0,1'.
  subroutine turn_axis_order(list, dims, fault)
    character(*), intent(inout) :: list
    integer, intent(in) :: dims
    character(*), intent(inout) :: fault
    integer, allocatable :: axes(:)
    integer :: i, wrong
    if (list == '') return
    allocate (axes(1 + count([(list(i:i) == ',', i=1, len(list))])))
    wrong = verify(list, '-0123456789, ')
    if (wrong == 0) read (list, *, iostat=wrong) axes
    if (wrong /= 0) then
      fault = 'axis_order is a list of axes joined by commas, such as 1,3,2; got '''//trim(list)// &
              '''; leave it out for the default'
      return
    end if
    fault = fault_of_axes(axes, dims)
    if (fault /= '') fault = 'axis_order: '//fault
    write (list, '(*(i0, :, ","))') axis_in_c(axes, dims)
  end subroutine

  subroutine set_layout(o, name, spec, dims, status, fault)
    type(c_ptr), intent(in) :: o
    character(*), intent(in) :: name
    type(sf_spec), intent(in) :: spec
    integer, intent(in) :: dims
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    type(c_ptr) :: s
    s = c_null_ptr
    call build_spec(spec, dims, s, status, fault)
    if (status == 0 .and. name == 'input') status = shardfft_options_input(o, s)
    if (status == 0 .and. name == 'output') status = shardfft_options_output(o, s)
    if (c_associated(s)) call shardfft_spec_destroy(s)
  end subroutine

  subroutine set_places(o, name, where, dims, status, fault)
    type(c_ptr), intent(in) :: o
    character(*), intent(in) :: name
    type(places), intent(in) :: where
    integer, intent(in) :: dims
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    integer(c_int64_t), allocatable :: strides(:, :)
    integer(c_int) :: boxes, axes
    if (.not. allocated(where%offset)) return
    boxes = int(size(where%offset), c_int)
    axes = int(dims, c_int)
    if (any(shape(where%strides) /= [dims, int(boxes)])) then
      fault = 'strides of '//name//' are '//in_words([int(dims, c_int64_t), int(boxes, c_int64_t)])// &
              ' numbers, axes and boxes; got '//in_words(shape(where%strides, c_int64_t))
      status = invalid_argument
      return
    end if
    strides = where%strides(dims:1:-1, :)
    if (name == 'input_memory') status = shardfft_options_input_memory(o, axes, boxes, where%offset, strides)
    if (name == 'output_memory') status = shardfft_options_output_memory(o, axes, boxes, where%offset, strides)
  end subroutine
end module
