! 2DECOMP&FFT through iso_c_binding: x-pencils in, z-pencils out, in the precision that the library was built for.
! One plan at a time.
module peer_2decomp
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_COMM_WORLD
  use decomp_2d
  use decomp_2d_constants
  use decomp_2d_fft
  implicit none

contains

  !> Bytes of a real number.
  integer(c_int) function shardfft_2decomp_real_bytes() bind(C)
    shardfft_2decomp_real_bytes = int(storage_size(0._mytype) / 8, c_int)
  end function

  !> Plans; x is the fastest axis. rows, columns: the grid of processes, 0 for the library's own search. Bounds
  !> count from 1, ends included.
  subroutine shardfft_2decomp_plan(nx, ny, nz, rows, columns, real_input, in_start, in_end, out_start, out_end) bind(C)
    integer(c_int), value :: nx, ny, nz, rows, columns, real_input
    integer(c_int), intent(out) :: in_start(3), in_end(3), out_start(3), out_end(3)
    integer :: size(3), p_row, p_col
    p_row = rows
    p_col = columns
    decomp_log = D2D_LOG_QUIET
    call decomp_2d_init(nx, ny, nz, p_row, p_col, complex_pool=.true.)
    call decomp_2d_fft_init(PHYSICAL_IN_X)
    in_start = xstart
    in_end = xend
    if (real_input /= 0) then
      call decomp_2d_fft_get_size(out_start, out_end, size)
    else
      out_start = zstart
      out_end = zend
    end if
  end subroutine

  subroutine shardfft_2decomp_run(from, to, from_size, to_size, direction, real_input) bind(C)
    type(c_ptr), value :: from, to
    integer(c_int), intent(in) :: from_size(3), to_size(3)
    integer(c_int), value :: direction, real_input
    complex(mytype), pointer, contiguous :: a(:, :, :), b(:, :, :)
    real(mytype), pointer, contiguous :: r(:, :, :)
    if (real_input == 0) then
      call c_f_pointer(from, a, from_size)
      call c_f_pointer(to, b, to_size)
      call decomp_2d_fft_3d(a, b, direction)
    else if (direction < 0) then
      call c_f_pointer(from, r, from_size)
      call c_f_pointer(to, b, to_size)
      call decomp_2d_fft_3d(r, b)
    else
      call c_f_pointer(from, a, from_size)
      call c_f_pointer(to, r, to_size)
      call decomp_2d_fft_3d(a, r)
    end if
  end subroutine

  subroutine shardfft_2decomp_end() bind(C)
    call decomp_2d_fft_finalize
    call decomp_2d_finalize
  end subroutine

end module
