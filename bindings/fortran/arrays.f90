!> The caller's arrays beside what a plan or a halo expects of them.
module shardfft_arrays
  use, intrinsic :: iso_c_binding
  use shardfft_text, only: in_words, longest
  implicit none
  private
  public :: bounds_for, c_array, expected, fits, look_at, numbers_in_words, point, refuse, see, sent

  integer, parameter :: most_axes = 15

  !> As `seen` in descriptor.c.
  type, bind(C) :: c_array
    type(c_ptr) :: at
    integer(c_int64_t) :: bytes, element
    integer(c_int32_t) :: scalar, complex_numbers, rank, contiguous
    integer(c_int64_t) :: extent(most_axes)
  end type

  !> What an array of this rank's part holds, and how it is declared.
  type :: expected
    integer :: scalar = 0                   !< bytes of each real number; 0: elements of any type
    logical :: complex_numbers = .false.
    integer(c_int64_t) :: element = 0       !< bytes; 0: nothing is known
    integer(c_int64_t) :: bytes = 0         !< at least
    logical :: boxed = .false.              !< it is one box without gaps, with these bounds, fastest axis first:
    integer(c_int64_t), allocatable :: lower(:), extent(:)
  end type

  !> What goes to C: an address and its length, or, with the length that means so, a text that says what is wrong.
  type :: sent
    type(c_ptr) :: at = c_null_ptr
    integer(c_size_t) :: bytes = 0
    character(kind=c_char, len=longest + 1) :: fault = ''
  end type
  integer(c_size_t), parameter :: refused = -1_c_size_t  !< SHARDFFT_REFUSED

  interface
    subroutine look_at(a, s) bind(C, name='shardfft_fortran_look')
      import :: c_array
      type(*), target :: a(..)
      type(c_array), intent(inout) :: s
    end subroutine
  end interface

  interface point
    subroutine point_f32(u, at, lower, extent) bind(C, name='shardfft_fortran_point')
      import :: c_float, c_int64_t, c_ptr
      real(c_float), pointer, intent(out) :: u(..)
      type(c_ptr), value :: at
      integer(c_int64_t), intent(in) :: lower(*), extent(*)
    end subroutine
    subroutine point_f64(u, at, lower, extent) bind(C, name='shardfft_fortran_point')
      import :: c_double, c_int64_t, c_ptr
      real(c_double), pointer, intent(out) :: u(..)
      type(c_ptr), value :: at
      integer(c_int64_t), intent(in) :: lower(*), extent(*)
    end subroutine
    subroutine point_c32(u, at, lower, extent) bind(C, name='shardfft_fortran_point')
      import :: c_float_complex, c_int64_t, c_ptr
      complex(c_float_complex), pointer, intent(out) :: u(..)
      type(c_ptr), value :: at
      integer(c_int64_t), intent(in) :: lower(*), extent(*)
    end subroutine
    subroutine point_c64(u, at, lower, extent) bind(C, name='shardfft_fortran_point')
      import :: c_double_complex, c_int64_t, c_ptr
      complex(c_double_complex), pointer, intent(out) :: u(..)
      type(c_ptr), value :: at
      integer(c_int64_t), intent(in) :: lower(*), extent(*)
    end subroutine
  end interface

contains

  !> "complex f64 numbers"
  pure function numbers_in_words(scalar, complex_numbers, element) result(words)
    integer, intent(in) :: scalar
    logical, intent(in) :: complex_numbers
    integer(c_int64_t), intent(in) :: element
    character(40) :: words
    if (scalar == 0) then
      words = 'elements of '//in_words(element)//' bytes'
    else if (complex_numbers) then
      words = 'complex f'//in_words(8_c_int64_t*scalar)//' numbers'
    else
      words = 'real f'//in_words(8_c_int64_t*scalar)//' numbers'
    end if
  end function

  !> Whether an array of this type holds what is expected.
  pure logical function fits(e, scalar, complex_numbers, element)
    type(expected), intent(in) :: e
    integer, intent(in) :: scalar
    logical, intent(in) :: complex_numbers
    integer(c_int64_t), intent(in) :: element
    fits = e%element == element
    if (e%scalar > 0) fits = e%scalar == scalar .and. (e%complex_numbers .eqv. complex_numbers)
  end function

  !> What is wrong with an array; '' if nothing is. `shaped`: its extents count, too, if it has as many axes.
  pure function fault_of(s, e, name, shaped) result(fault)
    type(c_array), intent(in) :: s
    type(expected), intent(in) :: e
    character(*), intent(in) :: name
    logical, intent(in) :: shaped
    character(longest) :: fault
    fault = ''
    if (e%element == 0) return
    if (.not. fits(e, int(s%scalar), s%complex_numbers == 1, s%element)) then
      fault = '`'//name//'` holds '//trim(numbers_in_words(e%scalar, e%complex_numbers, e%element))//'; got '// &
              trim(numbers_in_words(int(s%scalar), s%complex_numbers == 1, s%element))//'; declare it so'
    else if (e%bytes > 0 .and. .not. c_associated(s%at)) then
      fault = '`'//name//'` holds this rank''s part, '//in_words(e%bytes)//' bytes; got an array without memory; '// &
              'allocate it, or take make_input() or make_output()'
    else if (s%contiguous == 0) then
      fault = '`'//name//'` lies in memory without gaps; got a section that does not; pass a copy, or the whole '// &
              'array and say where the part lies with input_memory or output_memory of the options'
    else if (shaped .and. e%boxed .and. e%bytes > 0 .and. s%bytes >= 0) then
      if (s%rank == size(e%extent)) fault = fault_of_shape(s%extent(:s%rank), e%extent, name)
    end if
  end function

  !> The last axis may be longer: it is the slowest one.
  pure function fault_of_shape(got, wanted, name) result(fault)
    integer(c_int64_t), intent(in) :: got(:), wanted(:)
    character(*), intent(in) :: name
    character(longest) :: fault
    integer :: last
    last = size(wanted)
    fault = ''
    if (all(got(:last - 1) == wanted(:last - 1)) .and. got(last) >= wanted(last)) return
    fault = '`'//name//'` has this rank''s extents, '//in_words(wanted)//'; got '//in_words(got)// &
            '; declare it so, or with one axis'
  end function

  !> Looks at `a`, which is to hold `e`, and writes what C gets. An array may do for `otherwise` as well.
  subroutine see(a, e, name, shaped, b, otherwise)
    type(*), target :: a(..)
    type(expected), intent(in) :: e
    character(*), intent(in) :: name
    logical, intent(in) :: shaped
    type(sent), intent(inout), target :: b
    type(expected), intent(in), optional :: otherwise
    type(c_array) :: s
    character(longest) :: fault
    call look_at(a, s)
    fault = fault_of(s, e, name, shaped)
    if (present(otherwise) .and. fault /= '') then
      if (fault_of(s, otherwise, name, shaped) == '') fault = ''
    end if
    b%at = s%at
    b%bytes = int(merge(s%bytes, huge(0_c_int64_t), s%bytes >= 0), c_size_t)
    if (fault /= '') call refuse(fault, b)
  end subroutine

  !> The call fails with this text, on all ranks.
  subroutine refuse(fault, b)
    character(*), intent(in) :: fault
    type(sent), intent(inout), target :: b
    b%fault = trim(fault)//c_null_char
    b%at = c_loc(b%fault)
    b%bytes = refused
  end subroutine

  !> The bounds of a pointer with `axes` axes to such an array: those of the box, or 1 to the number of elements.
  subroutine bounds_for(e, axes, lower, extent, fault)
    type(expected), intent(in) :: e
    integer, intent(in) :: axes
    integer(c_int64_t), intent(out) :: lower(most_axes), extent(most_axes)
    character(*), intent(inout) :: fault
    integer :: boxed
    lower = 1
    extent = 1
    boxed = 0  ! axes of the box, if there is one
    if (e%boxed) boxed = size(e%lower)
    if (e%boxed .and. axes == boxed) then
      lower(:axes) = e%lower
      extent(:axes) = e%extent
    else if (axes == 1 .and. e%element > 0) then
      extent(1) = e%bytes/e%element
    else if (e%boxed) then
      fault = 'the pointer has as many axes as the array, '//in_words(int(boxed, c_int64_t))//', or one; got '// &
              in_words(int(axes, c_int64_t))//'; declare it so'
    else
      fault = 'this rank''s part is no single box without gaps: the pointer has one axis; got '// &
              in_words(int(axes, c_int64_t))//'; the layout says where each element lies'
    end if
  end subroutine
end module
