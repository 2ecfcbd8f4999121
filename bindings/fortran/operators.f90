!> Operators between forward and backward: what a Fortran procedure sees of the elements in the middle.
module shardfft_operators
  use, intrinsic :: iso_c_binding
  use shardfft_order, only: axis_in_c, reversed
  use shardfft_text, only: in_words, invalid_argument, settle
  implicit none
  private
  public :: call_operator, operator_holder, sf_modes, sf_operator

  integer, parameter :: most_axes = 8

  !> shardfft_modes of C.
  type, bind(C) :: c_modes
    integer(c_size_t) :: bytes
    integer(c_int) :: axes, axis
    integer(c_int64_t) :: count
    integer(c_int) :: components_in, components_out, precision, complex_elements
    type(c_ptr) :: first, wave, data
    integer(c_int64_t) :: component_bytes, place, step, component_step
  end type

  type :: table
    real(c_double), pointer :: number(:) => null()
  end type

  !> Neighbouring elements, all their components, in cache. They are read and written in place.
  type :: sf_modes
    integer :: dims = 0                    !< axes of the array
    integer :: axis = 0                    !< along which the elements follow each other
    integer :: count = 0                   !< of elements
    integer :: components_in = 1, components_out = 1
    integer(c_int64_t) :: first(most_axes) = 1  !< global index of the first one, from 1
    type(c_ptr), private :: data = c_null_ptr
    integer(c_int64_t), private :: component_bytes = 0
    integer, private :: scalar = 8            !< bytes of each real number
    logical, private :: complex_numbers = .true.
    type(table), private :: tables(most_axes)
  contains
    procedure :: index => global_index
    procedure :: wave
    procedure, private :: values_r4, values_r8, values_c4, values_c8
    !> call m%values(z), call m%values(z, component): a pointer of the plan's precision, real or complex as elements are
    generic :: values => values_r4, values_r8, values_c4, values_c8
  end type

  abstract interface
    !> Called once for each element, by several threads at once. Depends on the element's place and values alone.
    subroutine sf_operator(m)
      import :: sf_modes
      type(sf_modes), intent(in) :: m
    end subroutine
  end interface
  type :: operator_holder
    procedure(sf_operator), pointer, nopass :: f => null()
  end type

contains

  !> Global index along an axis of element i of 1..count, from 1.
  pure integer(c_int64_t) function global_index(self, axis, i)
    class(sf_modes), intent(in) :: self
    integer, intent(in) :: axis
    integer, intent(in) :: i
    global_index = self%first(axis)
    if (axis == self%axis) global_index = global_index + i - 1
  end function

  !> Frequency of element i along an axis, ... -2, -1, 0, 1, 2 ...; of cosines and sines the number of half periods; of
  !> points their place, from 0 to 1; 0 along axes that are not transformed.
  pure real(c_double) function wave(self, axis, i)
    class(sf_modes), intent(in) :: self
    integer, intent(in) :: axis
    integer, intent(in) :: i
    wave = self%tables(axis)%number(self%index(axis, i))
  end function

  subroutine values_r4(self, z, component)
    class(sf_modes), intent(in) :: self
    real(c_float), pointer, intent(out) :: z(:)
    integer, intent(in), optional :: component
    call c_f_pointer(at(self, 4, .false., component), z, [self%count])
  end subroutine
  subroutine values_r8(self, z, component)
    class(sf_modes), intent(in) :: self
    real(c_double), pointer, intent(out) :: z(:)
    integer, intent(in), optional :: component
    call c_f_pointer(at(self, 8, .false., component), z, [self%count])
  end subroutine
  subroutine values_c4(self, z, component)
    class(sf_modes), intent(in) :: self
    complex(c_float_complex), pointer, intent(out) :: z(:)
    integer, intent(in), optional :: component
    call c_f_pointer(at(self, 4, .true., component), z, [self%count])
  end subroutine
  subroutine values_c8(self, z, component)
    class(sf_modes), intent(in) :: self
    complex(c_double_complex), pointer, intent(out) :: z(:)
    integer, intent(in), optional :: component
    call c_f_pointer(at(self, 8, .true., component), z, [self%count])
  end subroutine

  !> Address of a component, from 1. Nobody can be told of a wrong one in the middle of a run: the program ends.
  type(c_ptr) function at(self, scalar, complex_numbers, component)
    class(sf_modes), intent(in) :: self
    integer, intent(in) :: scalar
    logical, intent(in) :: complex_numbers
    integer, intent(in), optional :: component
    integer(c_intptr_t) :: address
    integer :: number
    number = 1
    if (present(component)) number = component
    if (scalar /= self%scalar .or. (complex_numbers .neqv. self%complex_numbers)) &
      call settle(invalid_argument, fault='an operator sees '//trim(words(self%scalar, self%complex_numbers))// &
                  '; got a pointer to '//trim(words(scalar, complex_numbers))//'; declare it so')
    if (number < 1 .or. number > max(self%components_in, self%components_out)) &
      call settle(invalid_argument, fault='components count from 1 to '// &
                  in_words(int(max(self%components_in, self%components_out), c_int64_t))//'; got '// &
                  in_words(int(number, c_int64_t)))
    address = transfer(self%data, address)
    at = transfer(address + (number - 1)*self%component_bytes, at)
  end function

  pure function words(scalar, complex_numbers)
    integer, intent(in) :: scalar
    logical, intent(in) :: complex_numbers
    character(19) :: words
    words = trim(merge('complex', 'real   ', complex_numbers))//' f'//merge('32', '64', scalar == 4)//' numbers'
  end function

  !> What C calls: finds the procedure behind `user`.
  recursive subroutine call_operator(c, user) bind(C, name='shardfft_fortran_call_operator')
    type(c_modes), intent(in) :: c
    type(c_ptr), value :: user
    type(operator_holder), pointer :: holder
    type(sf_modes) :: m
    call c_f_pointer(user, holder)
    call fill(m, c)
    call holder%f(m)
  end subroutine

  recursive subroutine fill(m, c)
    type(sf_modes), intent(inout) :: m
    type(c_modes), intent(in) :: c
    integer(c_int64_t), pointer :: first(:)
    type(c_ptr), pointer :: wave(:)
    integer :: axis
    m%dims = c%axes
    m%axis = c%axes - c%axis
    m%count = int(c%count)
    m%components_in = c%components_in
    m%components_out = c%components_out
    m%data = c%data
    m%component_bytes = c%component_bytes
    m%scalar = merge(4, 8, c%precision == 0)
    m%complex_numbers = c%complex_elements == 1
    call c_f_pointer(c%first, first, [m%dims])
    call c_f_pointer(c%wave, wave, [m%dims])
    m%first(:m%dims) = reversed(first) + 1
    do axis = 1, m%dims
      call c_f_pointer(wave(axis_in_c(axis, m%dims) + 1), m%tables(axis)%number, [m%index(axis, m%count)])
    end do
  end subroutine
end module
