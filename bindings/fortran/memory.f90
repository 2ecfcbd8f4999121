!> Memory that plans and halos make, and where pointers to it begin and end.
module shardfft_memory
  use, intrinsic :: iso_c_binding
  use shardfft_arrays
  use shardfft_c_plan
  use shardfft_text
  implicit none
  private
  public :: memory_list, place

  !> What a pointer becomes; null after an error.
  type :: place
    type(c_ptr) :: at = c_null_ptr
    integer(c_int64_t) :: lower(15) = 1, extent(15) = 1
  end type

  !> Arrays that live as long as their plan or halo.
  type :: memory_list
    type(c_ptr), allocatable :: arrays(:)
  contains
    procedure :: add
    procedure :: over
    procedure :: free
  end type

contains

  !> Where a pointer of this type and number of axes to a new array goes. `status`, `array`: what C said and gave
  subroutine add(self, e, scalar, complex_numbers, axes, status, array, p, stat, errmsg)
    class(memory_list), intent(inout) :: self
    type(expected), intent(in) :: e
    integer, intent(in) :: scalar, axes
    logical, intent(in) :: complex_numbers
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: array
    type(place), intent(out) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (status /= 0) then
      call settle(status, stat, errmsg)
      return
    end if
    if (.not. allocated(self%arrays)) allocate (self%arrays(0))
    self%arrays = [self%arrays, array]
    p%at = shardfft_array_data(array)
    call aim(e, scalar, complex_numbers, axes, p, stat, errmsg)
  end subroutine

  !> The same, over memory that is there.
  subroutine over(self, e, scalar, complex_numbers, axes, there, p, stat, errmsg)
    class(memory_list), intent(in) :: self
    type(expected), intent(in) :: e
    integer, intent(in) :: scalar, axes
    logical, intent(in) :: complex_numbers
    type(*), target :: there(..)
    type(place), intent(out) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_array) :: s
    call look_at(there, s)
    if (s%contiguous == 0 .or. (s%bytes >= 0 .and. s%bytes < e%bytes)) then
      call settle(invalid_argument, stat, errmsg, 'the array `over` has '//in_words(e%bytes)// &
                  ' bytes or more without gaps; got '//in_words(s%bytes)//'; take the larger one of both first')
      return
    end if
    p%at = s%at
    call aim(e, scalar, complex_numbers, axes, p, stat, errmsg)
  end subroutine

  subroutine aim(e, scalar, complex_numbers, axes, p, stat, errmsg)
    type(expected), intent(in) :: e
    integer, intent(in) :: scalar, axes
    logical, intent(in) :: complex_numbers
    type(place), intent(inout) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(longest) :: fault
    integer(c_int64_t) :: element
    element = merge(2, 1, complex_numbers)*scalar
    fault = ''
    if (.not. fits(e, scalar, complex_numbers, element)) then
      fault = 'the array holds '//trim(numbers_in_words(e%scalar, e%complex_numbers, e%element))// &
              '; got a pointer to '//trim(numbers_in_words(scalar, complex_numbers, element))//'; declare it so'
    else
      call bounds_for(e, axes, p%lower, p%extent, fault)
    end if
    if (fault /= '') p%at = c_null_ptr
    call settle(merge(0, invalid_argument, fault == ''), stat, errmsg, fault)
  end subroutine

  subroutine free(self)
    class(memory_list), intent(inout) :: self
    integer :: i
    if (.not. allocated(self%arrays)) return
    do i = 1, size(self%arrays)
      call shardfft_array_destroy(self%arrays(i))
    end do
    deallocate (self%arrays)
  end subroutine
end module
