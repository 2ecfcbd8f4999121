!> The functions of shardfft.h that run plans, look at results and fill halos, as C has them.
module shardfft_c_runs
  use, intrinsic :: iso_c_binding, only: c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  use shardfft_c_plan, only: c_loss, c_step, c_verdict
  implicit none

  interface
    integer(c_int) function shardfft_forward_scaled(plan, in, in_bytes, out, out_bytes, factor) bind(C)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out
      integer(c_size_t), value :: in_bytes, out_bytes
      real(c_double), value :: factor
    end function
    integer(c_int) function shardfft_backward_scaled(plan, in, in_bytes, out, out_bytes, factor) bind(C)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out
      integer(c_size_t), value :: in_bytes, out_bytes
      real(c_double), value :: factor
    end function
    integer(c_int) function shardfft_adjoint(plan, of, in, in_bytes, out, out_bytes, factor) bind(C)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out
      integer(c_int), value :: of
      integer(c_size_t), value :: in_bytes, out_bytes
      real(c_double), value :: factor
    end function
    integer(c_int) function shardfft_start_scaled(plan, direction, in, in_bytes, out, out_bytes, factor) bind(C)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out
      integer(c_int), value :: direction
      integer(c_size_t), value :: in_bytes, out_bytes
      real(c_double), value :: factor
    end function
    integer(c_int) function shardfft_test(plan, done) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
    end function
    integer(c_int) function shardfft_wait(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
    end function
    integer(c_int) function shardfft_apply(plan, in, in_bytes, out, out_bytes, f, user) bind(C)
      import :: c_funptr, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out, user
      integer(c_size_t), value :: in_bytes, out_bytes
      type(c_funptr), value :: f
    end function
    integer(c_int) function shardfft_apply_physical(plan, in, in_bytes, out, out_bytes, f, user) bind(C)
      import :: c_funptr, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, out, user
      integer(c_size_t), value :: in_bytes, out_bytes
      type(c_funptr), value :: f
    end function

    integer(c_int) function shardfft_verify_scaled(plan, in, in_bytes, out, out_bytes, direction, factor, v) bind(C)
      import :: c_double, c_int, c_ptr, c_size_t, c_verdict
      type(c_ptr), value :: plan, in, out
      integer(c_size_t), value :: in_bytes, out_bytes
      integer(c_int), value :: direction
      real(c_double), value :: factor
      type(c_verdict), intent(inout) :: v
    end function
    integer(c_int) function shardfft_error_bound(plan, bound) bind(C)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: plan
      real(c_double), intent(inout) :: bound
    end function
    integer(c_int) function shardfft_last_loss(plan, l) bind(C)
      import :: c_int, c_loss, c_ptr
      type(c_ptr), value :: plan
      type(c_loss), intent(inout) :: l
    end function
    integer(c_int) function shardfft_exact_samples(plan, in, in_bytes, direction, count, positions, re_im) bind(C)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: plan, in, re_im
      integer(c_size_t), value :: in_bytes
      integer(c_int), value :: direction, count
      integer(c_int64_t), intent(in) :: positions(*)
    end function
    integer(c_int) function shardfft_hash_input(plan, in, bytes, hash) bind(C)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: plan, in
      integer(c_size_t), value :: bytes
      integer(c_int64_t), intent(inout) :: hash
    end function
    integer(c_int) function shardfft_hash_output(plan, out, bytes, hash) bind(C)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: plan, out
      integer(c_size_t), value :: bytes
      integer(c_int64_t), intent(inout) :: hash
    end function
    integer(c_int) function shardfft_describe(plan, text) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function shardfft_describe_json(plan, text) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function shardfft_steps(plan, count) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: count
    end function
    integer(c_int) function shardfft_step_at(plan, i, s) bind(C)
      import :: c_int, c_ptr, c_step
      type(c_ptr), value :: plan
      integer(c_int), value :: i
      type(c_step), intent(inout) :: s
    end function

    integer(c_int) function shardfft_halo_create(c, l, low, high, periodic, corners, element_bytes, o, h) bind(C)
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: c, l, o
      integer(c_int64_t), intent(in) :: low(*), high(*)
      integer(c_int), intent(in) :: periodic(*)
      integer(c_int), value :: corners
      integer(c_size_t), value :: element_bytes
      type(c_ptr), intent(inout) :: h
    end function
    integer(c_int) function shardfft_halo_destroy(h) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: h
    end function
    integer(c_int) function shardfft_halo_box(h, lo, hi) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: h
      integer(c_int64_t), intent(inout) :: lo(*), hi(*)
    end function
    integer(c_int) function shardfft_halo_memory(h, boxes, offset, strides) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: h
      integer(c_int), intent(inout) :: boxes
      integer(c_int64_t), intent(inout) :: offset, strides(*)
    end function
    integer(c_size_t) function shardfft_halo_bytes(h) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: h
    end function
    integer(c_int) function shardfft_halo_make_array(h, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: h
      type(c_ptr), intent(inout) :: a
    end function
    integer(c_int) function shardfft_halo_start_exchange(h, array, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: h, array
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function shardfft_halo_start_accumulate(h, precision, array, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: h, array
      integer(c_int), value :: precision
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function shardfft_halo_test(h, done) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: h
      integer(c_int), intent(inout) :: done
    end function
    integer(c_int) function shardfft_halo_wait(h) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: h
    end function
    integer(c_int) function shardfft_halo_describe(h, text) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: h
      type(c_ptr), intent(inout) :: text
    end function
  end interface
end module
