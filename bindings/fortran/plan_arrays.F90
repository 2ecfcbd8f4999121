!> Pointers to the arrays of a plan. What sf_plan begins with.
module shardfft_plan_arrays
  use, intrinsic :: iso_c_binding
  use shardfft_arrays
  use shardfft_c_plan
  use shardfft_memory
  implicit none
  private
  public :: plan_arrays

  integer, parameter :: of_input = 1, of_output = 2, of_middle = 3, of_applied = 4

  type :: plan_arrays
    type(c_ptr) :: handle = c_null_ptr        !< shardfft_plan of C
    type(expected) :: in, out, mid, applied   !< what arrays hold; applied: the result of apply
    type(memory_list) :: memory
  contains
    procedure, private :: input_f32, input_f64, input_c32, input_c64
    procedure, private :: output_f32, output_f64, output_c32, output_c64
    procedure, private :: middle_f32, middle_f64, middle_c32, middle_c64
    procedure, private :: applied_f32, applied_f64, applied_c32, applied_c64
    !> Points to memory for this rank's part, zero, with global bounds: u(lo(1):hi(1), ...). It lives as long as the
    !> plan. A pointer with one axis has the bounds 1 and the number of elements. `over`: to that array's memory
    !> instead, for plans in place; it is a pointer or a target.
    generic :: make_input => input_f32, input_f64, input_c32, input_c64
    generic :: make_output => output_f32, output_f64, output_c32, output_c64
    generic :: make_middle => middle_f32, middle_f64, middle_c32, middle_c64
    generic :: make_applied => applied_f32, applied_f64, applied_c32, applied_c64
  end type

contains

#define NUMBERS real(c_float)
#define SCALAR 4
#define IS_COMPLEX .false.
#define INPUT input_f32
#define OUTPUT output_f32
#define MIDDLE middle_f32
#define APPLIED applied_f32
#include "make_arrays.inc"

#define NUMBERS real(c_double)
#define SCALAR 8
#define IS_COMPLEX .false.
#define INPUT input_f64
#define OUTPUT output_f64
#define MIDDLE middle_f64
#define APPLIED applied_f64
#include "make_arrays.inc"

#define NUMBERS complex(c_float_complex)
#define SCALAR 4
#define IS_COMPLEX .true.
#define INPUT input_c32
#define OUTPUT output_c32
#define MIDDLE middle_c32
#define APPLIED applied_c32
#include "make_arrays.inc"

#define NUMBERS complex(c_double_complex)
#define SCALAR 8
#define IS_COMPLEX .true.
#define INPUT input_c64
#define OUTPUT output_c64
#define MIDDLE middle_c64
#define APPLIED applied_c64
#include "make_arrays.inc"

  !> Where an array of this plan is, or lies over another one.
  subroutine find(self, which, scalar, complex_numbers, axes, p, stat, errmsg, over)
    class(plan_arrays), intent(inout) :: self
    integer, intent(in) :: which, scalar, axes
    logical, intent(in) :: complex_numbers
    type(place), intent(out) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(*), target, optional :: over(..)
    type(expected) :: holds
    type(c_ptr) :: array
    integer(c_int) :: status
    array = c_null_ptr
    status = 0
    select case (which)
    case (of_input)
      holds = self%in
      if (.not. present(over)) status = shardfft_plan_make_input(self%handle, array)
    case (of_output)
      holds = self%out
      if (.not. present(over)) status = shardfft_plan_make_output(self%handle, array)
    case (of_middle)
      holds = self%mid
      status = shardfft_plan_make_middle(self%handle, array)
    case (of_applied)
      holds = self%applied
      status = shardfft_plan_make_applied(self%handle, array)
    end select
    if (present(over)) then
      call self%memory%over(holds, scalar, complex_numbers, axes, over, p, stat, errmsg)
    else
      call self%memory%add(holds, scalar, complex_numbers, axes, status, array, p, stat, errmsg)
    end if
  end subroutine
end module
