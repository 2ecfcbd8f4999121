!> The functions of shardfft.h that are about problems, options, plans and their runs, as C has them.
module shardfft_c_plan
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  implicit none

  !> shardfft_verdict of C.
  type, bind(C) :: c_verdict
    integer(c_size_t) :: bytes
    real(c_double) :: error_rel_l2, bound
    integer(c_int) :: ok
  end type
  !> shardfft_loss of C.
  type, bind(C) :: c_loss
    integer(c_size_t) :: bytes
    real(c_double) :: bound, encoded, bits, bytes_before, bytes_after, floor
  end type
  !> shardfft_step of C.
  type, bind(C) :: c_step
    integer(c_size_t) :: bytes
    character(kind=c_char) :: label(64)
    real(c_double) :: seconds
    integer(c_int64_t) :: bytes_memory, bytes_network, bytes_shared, bytes_link, messages
  end type

  interface
    integer(c_int) function shardfft_problem_create(dims, shape, kind, precision, p) bind(C)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: dims, kind, precision
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(inout) :: p
    end function
    integer(c_int) function shardfft_problem_axes(p, count, axes) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: p
      integer(c_int), value :: count
      integer(c_int), intent(in) :: axes(*)
    end function
    integer(c_int) function shardfft_problem_kinds(p, count, kinds) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: p
      integer(c_int), value :: count
      integer(c_int), intent(in) :: kinds(*)
    end function
    integer(c_int) function shardfft_problem_scaling(p, forward, backward) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: p
      integer(c_int), value :: forward, backward
    end function
    integer(c_int) function shardfft_problem_element(p, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: p
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function shardfft_problem_modes(p, modes) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: p
      integer(c_int64_t), intent(in) :: modes(*)
    end function
    integer(c_int) function shardfft_problem_support(p, support) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: p
      integer(c_int64_t), intent(in) :: support(*)
    end function
    subroutine shardfft_problem_destroy(p) bind(C)
      import :: c_ptr
      type(c_ptr), value :: p
    end subroutine

    integer(c_int) function shardfft_options_create(o) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: o
    end function
    integer(c_int) function shardfft_options_set(o, name, value) bind(C)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: o
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function shardfft_options_input(o, s) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: o, s
    end function
    integer(c_int) function shardfft_options_output(o, s) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: o, s
    end function
    integer(c_int) function shardfft_options_input_memory(o, dims, boxes, offset, strides) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: o
      integer(c_int), value :: dims, boxes
      integer(c_int64_t), intent(in) :: offset(*), strides(*)
    end function
    integer(c_int) function shardfft_options_output_memory(o, dims, boxes, offset, strides) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: o
      integer(c_int), value :: dims, boxes
      integer(c_int64_t), intent(in) :: offset(*), strides(*)
    end function
    subroutine shardfft_options_destroy(o) bind(C)
      import :: c_ptr
      type(c_ptr), value :: o
    end subroutine

    integer(c_int) function shardfft_plan_create(c, p, o, plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c, p, o
      type(c_ptr), intent(inout) :: plan
    end function
    integer(c_int) function shardfft_plan_destroy(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
    end function
    integer(c_int) function shardfft_tune(c, p, o, report) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c, p, o
      type(c_ptr), intent(inout) :: report
    end function
    type(c_ptr) function shardfft_plan_input(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function shardfft_plan_output(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function shardfft_plan_middle(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    integer(c_size_t) function shardfft_plan_input_bytes(plan) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
    end function
    integer(c_size_t) function shardfft_plan_output_bytes(plan) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
    end function
    integer(c_size_t) function shardfft_plan_applied_bytes(plan) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
    end function
    integer(c_size_t) function shardfft_plan_workspace_bytes(plan) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: plan
    end function
    integer(c_int) function shardfft_plan_make_input(plan, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: a
    end function
    integer(c_int) function shardfft_plan_make_output(plan, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: a
    end function
    integer(c_int) function shardfft_plan_make_middle(plan, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: a
    end function
    integer(c_int) function shardfft_plan_make_applied(plan, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: a
    end function
    type(c_ptr) function shardfft_array_data(a) bind(C)
      import :: c_ptr
      type(c_ptr), value :: a
    end function
    integer(c_size_t) function shardfft_array_bytes(a) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: a
    end function
    subroutine shardfft_array_destroy(a) bind(C)
      import :: c_ptr
      type(c_ptr), value :: a
    end subroutine
  end interface
end module
