!> Who owns what of an array of a known shape, on a known number of ranks.
module shardfft_layout
  use, intrinsic :: iso_c_binding
  use shardfft_arrays, only: expected
  use shardfft_c_library
  use shardfft_counting, only: settle_counted
  use shardfft_order
  use shardfft_spec
  use shardfft_text
  implicit none
  private
  public :: boxed_part, sf_layout, sf_layout_of

  integer, parameter :: most_axes = 8

  !> A plan lends its layouts: as long as it lives, and destroy() does nothing to them.
  type :: sf_layout
    type(c_ptr) :: handle = c_null_ptr  !< shardfft_layout of C
  contains
    procedure :: dims
    procedure :: ranks
    procedure :: shape => layout_shape
    procedure :: order
    procedure :: grid
    procedure :: boxes
    procedure :: box
    procedure :: count => layout_count
    procedure :: owners
    procedure :: describe
    procedure :: destroy
  end type

  !> The layout of an array of this shape: of words or of an sf_spec. 'any' is none.
  interface sf_layout_of
    module procedure of_words_int, of_words_long, of_spec_int, of_spec_long
  end interface

contains

  type(sf_layout) function of_spec_long(spec, shape, ranks, stat, errmsg) result(layout)
    type(sf_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: s
    integer(c_int) :: status
    character(longest) :: fault
    s = c_null_ptr
    fault = ''
    status = 0
    call build_spec(spec, size(shape), s, status, fault)
    if (status == 0) status = shardfft_layout_create(s, int(size(shape), c_int), reversed(shape), int(ranks, c_int), &
                                                     layout%handle)
    call settle_counted(status, size(shape), stat, errmsg, fault)
    if (c_associated(s)) call shardfft_spec_destroy(s)
  end function

  type(sf_layout) function of_spec_int(spec, shape, ranks, stat, errmsg) result(layout)
    type(sf_spec), intent(in) :: spec
    integer, intent(in) :: shape(:), ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    layout = of_spec_long(spec, int(shape, c_int64_t), ranks, stat, errmsg)
  end function

  type(sf_layout) function of_words_long(words, shape, ranks, stat, errmsg) result(layout)
    character(*), intent(in) :: words
    integer(c_int64_t), intent(in) :: shape(:)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    layout = of_spec_long(sf_words(words), shape, ranks, stat, errmsg)
  end function

  type(sf_layout) function of_words_int(words, shape, ranks, stat, errmsg) result(layout)
    character(*), intent(in) :: words
    integer, intent(in) :: shape(:), ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    layout = of_spec_long(sf_words(words), int(shape, c_int64_t), ranks, stat, errmsg)
  end function

  !> Number of axes.
  integer function dims(self)
    class(sf_layout), intent(in) :: self
    dims = shardfft_layout_dims(self%handle)
  end function

  integer function ranks(self)
    class(sf_layout), intent(in) :: self
    ranks = shardfft_layout_ranks(self%handle)
  end function

  !> Global extents.
  function layout_shape(self) result(shape)
    class(sf_layout), intent(in) :: self
    integer(c_int64_t), allocatable :: shape(:)
    allocate (shape(self%dims()))
    call shardfft_layout_shape(self%handle, shape)
    shape = reversed(shape)
  end function

  !> Axes of each box in memory, fastest first.
  function order(self)
    class(sf_layout), intent(in) :: self
    integer, allocatable :: order(:)
    integer(c_int), allocatable :: slowest_first(:)
    allocate (slowest_first(self%dims()))
    call shardfft_layout_order(self%handle, slowest_first)
    order = memory_order(slowest_first)
  end function

  !> Processes along each axis; all 1 of cyclic layouts and those of boxes.
  function grid(self)
    class(sf_layout), intent(in) :: self
    integer(c_int64_t), allocatable :: grid(:)
    allocate (grid(self%dims()))
    call shardfft_layout_grid(self%handle, grid)
    grid = reversed(grid)
  end function

  !> How many boxes a rank owns; empty ones are left out.
  integer function boxes(self, rank, stat, errmsg)
    class(sf_layout), intent(in) :: self
    integer, intent(in) :: rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: number
    number = 0
    call settle_counted(shardfft_layout_boxes(self%handle, int(rank, c_int), number), self%dims(), stat, errmsg)
    boxes = number
  end function

  !> Box `i` of a rank, from 1, as lo..hi, both inclusive and counted from 1.
  subroutine box(self, rank, i, lo, hi, stat, errmsg)
    class(sf_layout), intent(in) :: self
    integer, intent(in) :: rank, i
    integer(c_int64_t), intent(out) :: lo(:), hi(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: c_lo(most_axes), c_hi(most_axes)
    integer(c_int) :: status, number
    character(longest) :: fault
    c_lo = 0
    c_hi = 0
    lo = 1
    hi = 0
    fault = length_fault('a box', size(lo), self%dims())
    if (fault == '') fault = length_fault('a box', size(hi), self%dims())
    status = 0
    number = 0
    if (fault == '') status = shardfft_layout_boxes(self%handle, int(rank, c_int), number)
    if (fault == '' .and. status == 0 .and. (i < 1 .or. i > number)) &
      fault = 'rank '//in_words(int(rank, c_int64_t))//' owns '//in_words(int(number, c_int64_t))// &
              trim(merge(' box  ', ' boxes', number == 1))//', counted from 1; got box '//in_words(int(i, c_int64_t))
    if (fault /= '') then
      call settle(invalid_argument, stat, errmsg, fault)
    else
      if (status == 0) status = shardfft_layout_box(self%handle, int(rank, c_int), int(i - 1, c_int), c_lo, c_hi)
      call settle_counted(status, self%dims(), stat, errmsg)
      call box_of_c(c_lo(:size(lo)), c_hi(:size(hi)), lo, hi)
    end if
  end subroutine

  !> Elements that a rank owns.
  integer(c_int64_t) function layout_count(self, rank, stat, errmsg) result(elements)
    class(sf_layout), intent(in) :: self
    integer, intent(in) :: rank
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    elements = 0
    call settle_counted(shardfft_layout_count(self%handle, int(rank, c_int), elements), self%dims(), stat, errmsg)
  end function

  !> Who owns which part of lo..hi: rank(i) owns part_lo(:, i)..part_hi(:, i).
  subroutine owners(self, lo, hi, rank, part_lo, part_hi, stat, errmsg)
    class(sf_layout), intent(in) :: self
    integer(c_int64_t), intent(in) :: lo(:), hi(:)
    integer, allocatable, intent(out) :: rank(:)
    integer(c_int64_t), allocatable, intent(out) :: part_lo(:, :), part_hi(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: c_lo(size(lo)), c_hi(size(lo))
    integer(c_int64_t), allocatable :: parts_lo(:, :), parts_hi(:, :)
    integer(c_int), allocatable :: owner(:)
    integer(c_int) :: room, number, status
    character(longest) :: fault
    integer :: i
    allocate (rank(0), part_lo(self%dims(), 0), part_hi(self%dims(), 0))
    fault = length_fault('a box', size(lo), self%dims())
    if (fault == '') fault = length_fault('a box', size(hi), self%dims())
    if (fault /= '') then
      call settle(invalid_argument, stat, errmsg, fault)
      return
    end if
    call box_in_c(lo, hi, c_lo, c_hi)
    room = 0
    do
      allocate (owner(room), parts_lo(size(lo), room), parts_hi(size(lo), room))
      status = shardfft_layout_owners(self%handle, c_lo, c_hi, room, owner, parts_lo, parts_hi, number)
      if (status /= 0) number = 0
      if (number <= room) exit
      room = number
      deallocate (owner, parts_lo, parts_hi)
    end do
    rank = owner(:number)
    part_lo = parts_lo(:, :number)
    part_hi = parts_hi(:, :number)
    do i = 1, number
      call box_of_c(parts_lo(:, i), parts_hi(:, i), part_lo(:, i), part_hi(:, i))
    end do
    call settle_counted(status, self%dims(), stat, errmsg)
  end subroutine

  !> One line; it counts axes as C does.
  function describe(self, stat, errmsg) result(text)
    class(sf_layout), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: where
    where = c_null_ptr
    call settle(shardfft_layout_describe(self%handle, where), stat, errmsg)
    call take_text(where, text)
  end function

  subroutine destroy(self)
    class(sf_layout), intent(inout) :: self
    call shardfft_layout_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  !> Tells the bounds of a rank's part, in memory order, if it is one box or nothing.
  subroutine boxed_part(layout, rank, e)
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: rank
    type(expected), intent(inout) :: e
    integer(c_int64_t) :: lo(most_axes), hi(most_axes)
    integer, allocatable :: order(:)
    e%boxed = layout%boxes(rank) <= 1
    if (.not. e%boxed) return
    lo = 1
    hi = 0
    if (layout%boxes(rank) == 1) call layout%box(rank, 1, lo(:layout%dims()), hi(:layout%dims()))
    order = layout%order()
    e%lower = lo(order)
    e%extent = hi(order) - lo(order) + 1
  end subroutine
end module
