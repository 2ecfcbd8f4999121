!> Layouts as they are asked for: words, a grid of processes, or boxes. Values that own nothing.
module shardfft_spec
  use, intrinsic :: iso_c_binding
  use shardfft_c_library
  use shardfft_order
  use shardfft_text
  implicit none
  private
  public :: build_spec, sf_boxes, sf_grid, sf_spec, sf_words

  type :: sf_spec
    private
    character(:), allocatable :: words
    integer(c_int64_t), allocatable :: grid(:), lo(:, :), hi(:, :)
    integer, allocatable :: rank(:), order(:)
  end type

  !> Processes along each axis; rank = position in the grid, the first axis fastest.
  interface sf_grid
    module procedure grid_of_int, grid_of_long
  end interface
  !> Boxes lo(:, i)..hi(:, i) of rank(i), from 1, inclusive. Together they cover the array exactly once.
  interface sf_boxes
    module procedure boxes_of_int, boxes_of_long
  end interface

contains

  !> 'slabs:3', 'pencils:1', 'grid:1x2x4', 'bricks', 'cyclic:2', 'any'. `order`: of the axes in memory, fastest first
  pure type(sf_spec) function sf_words(words, order) result(spec)
    character(*), intent(in) :: words
    integer, intent(in), optional :: order(:)
    spec%words = words
    if (present(order)) spec%order = order
  end function

  pure type(sf_spec) function grid_of_long(processes, order) result(spec)
    integer(c_int64_t), intent(in) :: processes(:)
    integer, intent(in), optional :: order(:)
    spec%grid = processes
    if (present(order)) spec%order = order
  end function

  pure type(sf_spec) function grid_of_int(processes, order) result(spec)
    integer, intent(in) :: processes(:)
    integer, intent(in), optional :: order(:)
    spec = grid_of_long(int(processes, c_int64_t), order)
  end function

  pure type(sf_spec) function boxes_of_long(rank, lo, hi, order) result(spec)
    integer, intent(in) :: rank(:)
    integer(c_int64_t), intent(in) :: lo(:, :), hi(:, :)
    integer, intent(in), optional :: order(:)
    spec%rank = rank
    spec%lo = lo
    spec%hi = hi
    if (present(order)) spec%order = order
  end function

  pure type(sf_spec) function boxes_of_int(rank, lo, hi, order) result(spec)
    integer, intent(in) :: rank(:), lo(:, :), hi(:, :)
    integer, intent(in), optional :: order(:)
    spec = boxes_of_long(rank, int(lo, c_int64_t), int(hi, c_int64_t), order)
  end function

  !> The spec as C has it, which the caller destroys. `fault`: what C does not know of
  subroutine build_spec(spec, dims, s, status, fault)
    type(sf_spec), intent(in) :: spec
    integer, intent(in) :: dims
    type(c_ptr), intent(inout) :: s
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    character(longest) :: words
    if (allocated(spec%words)) then
      call words_in_c(spec%words, dims, words, fault)
      if (fault == '') status = shardfft_spec_words(c_text(words), int(dims, c_int), s)
    else if (allocated(spec%grid)) then
      status = shardfft_spec_grid(int(size(spec%grid), c_int), reversed(spec%grid), s)
    else if (allocated(spec%rank)) then
      call build_boxes(spec, dims, s, status, fault)
    else
      fault = 'a layout is words, a grid or boxes; got nothing; make it with sf_words, sf_grid or sf_boxes'
    end if
    if (fault /= '') status = invalid_layout
    if (status == 0 .and. allocated(spec%order)) call set_order(spec%order, dims, s, status, fault)
  end subroutine

  subroutine set_order(order, dims, s, status, fault)
    integer, intent(in) :: order(:), dims
    type(c_ptr), intent(in) :: s
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    fault = fault_of_axes(order, dims)
    if (fault == '' .and. .not. is_permutation(order, dims)) &
      fault = 'a memory order names each of the '//in_words(int(dims, c_int64_t))//' axes once, fastest first; got '// &
              in_list(order)
    status = invalid_layout
    if (fault == '') status = shardfft_spec_order(s, int(size(order), c_int), order_in_c(order, dims))
  end subroutine

  pure logical function is_permutation(order, dims)
    integer, intent(in) :: order(:), dims
    integer :: axis
    is_permutation = size(order) == dims
    do axis = 1, dims
      if (.not. any(modulo(order, dims + 1) == axis)) is_permutation = .false.
    end do
  end function

  !> "1,3,3"
  pure function in_list(numbers) result(words)
    integer, intent(in) :: numbers(:)
    character(200) :: words
    write (words, '(*(i0, :, ","))') numbers
  end function

  subroutine build_boxes(spec, dims, s, status, fault)
    type(sf_spec), intent(in) :: spec
    integer, intent(in) :: dims
    type(c_ptr), intent(inout) :: s
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    integer(c_int64_t), allocatable :: lo(:, :), hi(:, :)
    integer :: i
    if (any(shape(spec%lo) /= [dims, size(spec%rank)]) .or. any(shape(spec%hi) /= shape(spec%lo))) then
      fault = 'boxes have lo and hi of '//in_words(int([dims, size(spec%rank)], c_int64_t))// &
              ' numbers, axes and boxes; got '//in_words(shape(spec%lo, c_int64_t))//' and '// &
              in_words(shape(spec%hi, c_int64_t))
      return
    end if
    allocate (lo, source=spec%lo)
    allocate (hi, source=spec%hi)
    do i = 1, size(spec%rank)
      call box_in_c(spec%lo(:, i), spec%hi(:, i), lo(:, i), hi(:, i))
    end do
    status = shardfft_spec_boxes(int(dims, c_int), int(size(spec%rank), c_int), int(spec%rank, c_int), lo, hi, s)
  end subroutine
end module
