!> From Fortran's order to C's and back. Fortran's first axis is the fastest, C's last one: lists are reversed, axes
!> count from 1, boxes are lo..hi inclusive. The only place that knows.
module shardfft_order
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  use shardfft_text, only: in_words, longest
  implicit none
  private
  public :: axes_in_c, axis_fault, axis_in_c, box_in_c, box_of_c, fault_of_axes, length_fault, memory_order
  public :: order_in_c, reversed, turned_grid, words_in_c

  interface reversed
    module procedure reversed_int, reversed_long
  end interface

contains

  pure function reversed_int(list) result(other)
    integer(c_int), intent(in) :: list(:)
    integer(c_int) :: other(size(list))
    other = list(size(list):1:-1)
  end function

  pure function reversed_long(list) result(other)
    integer(c_int64_t), intent(in) :: list(:)
    integer(c_int64_t) :: other(size(list))
    other = list(size(list):1:-1)
  end function

  !> Axis 1 is C's last one; -1 is the last axis, C's axis 0.
  pure elemental integer(c_int) function axis_in_c(axis, dims)
    integer, intent(in) :: axis, dims
    axis_in_c = int(merge(dims - axis, -axis - 1, axis > 0), c_int)
  end function

  !> '' if there is such an axis.
  pure function axis_fault(axis, dims) result(fault)
    integer, intent(in) :: axis, dims
    character(longest) :: fault
    fault = ''
    if (axis /= 0 .and. abs(axis) <= dims) return
    write (fault, '(a, i0, a, i0, a, i0, a)') 'axes count from 1 to ', dims, ', or from -', dims, &
      ' to -1, the last; got ', axis, '; name an axis of the array as it is declared'
  end function

  !> '' if a list has a number for each axis.
  pure function length_fault(name, got, dims) result(fault)
    character(*), intent(in) :: name
    integer, intent(in) :: got, dims
    character(longest) :: fault
    fault = ''
    if (got /= dims) write (fault, '(2a, i0, a, i0)') name, ' has a number for each axis, ', dims, '; got ', got
  end function

  pure function fault_of_axes(axes, dims) result(fault)
    integer, intent(in) :: axes(:), dims
    character(longest) :: fault
    integer :: i
    fault = ''
    do i = 1, size(axes)
      if (fault == '') fault = axis_fault(axes(i), dims)
    end do
  end function

  !> The first of `axes` is the real one of a half spectrum, in C the last.
  pure function axes_in_c(axes, dims) result(list)
    integer, intent(in) :: axes(:), dims
    integer(c_int) :: list(size(axes))
    list = reversed(axis_in_c(axes, dims))
  end function

  !> Memory order, fastest axis first, as C has it: slowest first.
  pure function order_in_c(fastest_first, dims) result(slowest_first)
    integer, intent(in) :: fastest_first(:), dims
    integer(c_int) :: slowest_first(size(fastest_first))
    slowest_first = axes_in_c(fastest_first, dims)
  end function

  pure function memory_order(slowest_first) result(fastest_first)
    integer(c_int), intent(in) :: slowest_first(:)
    integer :: fastest_first(size(slowest_first))
    fastest_first = size(slowest_first) - reversed(slowest_first)
  end function

  !> lo..hi of axes that count from 1 becomes C's [lo, hi).
  pure subroutine box_in_c(lo, hi, c_lo, c_hi)
    integer(c_int64_t), intent(in) :: lo(:), hi(:)
    integer(c_int64_t), intent(out) :: c_lo(:), c_hi(:)
    c_lo = reversed(lo) - 1
    c_hi = reversed(hi)
  end subroutine

  pure subroutine box_of_c(c_lo, c_hi, lo, hi)
    integer(c_int64_t), intent(in) :: c_lo(:), c_hi(:)
    integer(c_int64_t), intent(out) :: lo(:), hi(:)
    lo = reversed(c_lo) + 1
    hi = reversed(c_hi)
  end subroutine

  !> Words of a layout: 'slabs:3' of three axes is 'slabs:0' in C, 'grid:1x2x4' is 'grid:4x2x1'. C looks at the words.
  subroutine words_in_c(words, dims, in_c, fault)
    character(*), intent(in) :: words
    integer, intent(in) :: dims
    character(*), intent(out) :: in_c, fault
    character(len(words)) :: text
    integer :: colon
    text = adjustl(words)
    in_c = text
    fault = ''
    colon = index(text, ':')
    if (colon == 0) return
    if (is_grid(text(colon + 1:len_trim(text)))) then
      call turn(text(colon + 1:len_trim(text)), in_c(colon + 1:))
    else if (in_small(text(:colon)) /= 'grid:') then
      call axis_word(text(:colon), text(colon + 1:len_trim(text)), dims, in_c, fault)
    end if
  end subroutine

  pure function in_small(word) result(small)
    character(*), intent(in) :: word
    character(len(word)) :: small
    integer :: i
    small = word
    do i = 1, len(word)
      if (word(i:i) >= 'A' .and. word(i:i) <= 'Z') small(i:i) = achar(iachar(word(i:i)) + 32)
    end do
  end function

  !> '1x2x4', also behind a word that is none: C repeats it in its error.
  pure logical function is_grid(text)
    character(*), intent(in) :: text
    is_grid = scan(text, 'xX') > 1 .and. verify(text, '-0123456789xX') == 0
    if (is_grid) is_grid = scan(text, 'xX', back=.true.) < len(text)
  end function

  !> '2x3' becomes '3x2'; C looks at other words.
  function turned_grid(words) result(other)
    character(*), intent(in) :: words
    character(len(words)) :: other
    other = words
    if (is_grid(trim(adjustl(words)))) call turn(trim(adjustl(words)), other)
  end function

  !> '1x2x4' becomes '4x2x1'.
  subroutine turn(grid, other)
    character(*), intent(in) :: grid
    character(*), intent(inout) :: other
    integer :: first, last, at
    other = ''
    at = 0
    last = len(grid)
    do while (last >= 0)
      first = scan(grid(:last), 'xX', back=.true.) + 1
      other(at + 1:) = grid(first:last)
      at = at + last - first + 1
      if (first == 1) exit
      at = at + 1
      other(at:at) = 'x'
      last = first - 2
    end do
  end subroutine

  !> 'slabs:' and '3/4'
  subroutine axis_word(head, rest, dims, in_c, fault)
    character(*), intent(in) :: head, rest
    integer, intent(in) :: dims
    character(*), intent(inout) :: in_c, fault
    integer :: slash, axis, wrong
    slash = index(rest//'/', '/')
    read (rest(:slash - 1), *, iostat=wrong) axis
    if (wrong /= 0 .or. verify(rest(:slash - 1), '-0123456789') > 0) return  ! C says what a layout is
    fault = axis_fault(axis, dims)
    if (fault /= '') fault = 'layout '''//head//rest//''': '//trim(axis_fault(axis, dims))
    in_c = head//in_words(int(axis_in_c(axis, dims), c_int64_t))//rest(slash:)
  end subroutine
end module
