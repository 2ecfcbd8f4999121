!> Texts of C, as a Fortran caller counts: axis 0 of three is axis 3, 3 x 5 x 7 is 7 x 5 x 3, [0,4)x[2,5) is
!> 3..5 x 1..4, and 'pencil:2' is 'pencil:1'.
module shardfft_counting
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use shardfft_c_library, only: shardfft_error
  use shardfft_text, only: copy_text, in_words, longest, names_argument, settle
  implicit none
  private
  public :: counted, say_counted, settle_counted

  character(*), parameter :: digits = '0123456789'
  integer, parameter :: most_numbers = 64

  !> Numbers of a list such as 3 x 5 x 7 or 0,1,2, all with the same word between them.
  type :: list
    integer :: count = 0, last = 0
    integer :: from(most_numbers) = 1, to(most_numbers) = 0
    character(3) :: between = ''
    integer :: gap = 0  !< length of `between`
  end type

contains

  !> The last text of C in this thread, about an array of so many axes.
  subroutine say_counted(text, dims)
    character(*), intent(inout) :: text
    integer, intent(in) :: dims
    character(:), allocatable :: all
    call copy_text(shardfft_error(), all)
    text = all
    if (.not. names_argument(all)) text = counted(all, dims)
  end subroutine

  !> As settle(): what C says counts as Fortran does.
  subroutine settle_counted(status, dims, stat, errmsg, fault)
    integer(c_int), intent(in) :: status
    integer, intent(in) :: dims
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: fault
    character(longest) :: text
    text = ''
    if (present(fault)) text = fault
    if (status /= 0 .and. text == '') call say_counted(text, dims)
    call settle(status, stat, errmsg, text)
  end subroutine

  pure function counted(text, dims) result(other)
    character(*), intent(in) :: text
    integer, intent(in) :: dims
    character(longest) :: other
    logical :: all_are_axes
    integer :: i, o
    all_are_axes = index(text, 'axis_order ') == 1
    other = ''
    i = 1
    o = 0
    do while (i <= len(text))
      if (text(i:i) == '[' .and. is_box(text(i:))) then
        call add_box(text, i, other, o)
      else if (index(text(:i), '_memory[') == i - 7 .and. i > 7) then
        call add_place(text, i, other, o)
      else if (begins_number(text, i)) then
        call add_list(text, dims, all_are_axes, i, other, o)
      else
        call add(text(i:i), other, o)
        i = i + 1
      end if
    end do
  end function

  pure logical function begins_number(text, i)
    character(*), intent(in) :: text
    integer, intent(in) :: i
    begins_number = length_of_number(text(i:)) > 0
    if (begins_number .and. i > 1) begins_number = verify(text(i - 1:i - 1), ' :,''(') == 0
  end function

  !> Of a number that the text begins with, with its sign; else 0.
  pure integer function length_of_number(text) result(length)
    character(*), intent(in) :: text
    integer :: sign
    sign = 0
    if (index(text, '-') == 1) sign = 1
    length = verify(text(sign + 1:)//' ', digits) - 1
    if (length > 0) length = length + sign
  end function

  pure integer function mapped(axis, dims)
    integer, intent(in) :: axis, dims
    mapped = merge(dims - axis, axis, axis >= 0 .and. axis < dims)
  end function

  !> A list is one of extents or of axes, or it is left as it is. Positions count from 1.
  pure subroutine add_list(text, dims, all_are_axes, i, other, o)
    character(*), intent(in) :: text
    integer, intent(in) :: dims
    logical, intent(in) :: all_are_axes
    integer, intent(inout) :: i, o
    character(*), intent(inout) :: other
    type(list) :: l
    integer :: k
    l = list_at(text, i)
    if (l%between == ' x ' .or. l%between == 'x') then
      do k = l%count, 1, -1
        if (index(text, 'positions lie ') == 1 .and. ends_with(text, i, 'got ')) then
          call add_position(text(l%from(k):l%to(k)), other, o)
        else
          call add(text(l%from(k):l%to(k)), other, o)
        end if
        if (k > 1) call add(l%between(:l%gap), other, o)
      end do
      i = l%last + 1
    else if (ends_with(text, i, 'axes ') .or. ends_with(text, i, 'order ')) then
      do k = l%count, 1, -1
        call add_axis(text(l%from(k):l%to(k)), dims, other, o)
        if (k > 1) call add(l%between(:l%gap), other, o)
      end do
      i = l%last + 1
    else
      if (all_are_axes .or. ends_with(text, i, 'axis ') .or. follows_word(text, i)) then
        call add_axis(text(l%from(1):l%to(1)), dims, other, o)
      else
        call add(text(l%from(1):l%to(1)), other, o)
      end if
      i = l%to(1) + 1
    end if
  end subroutine

  pure subroutine add_position(number, other, o)
    character(*), intent(in) :: number
    character(*), intent(inout) :: other
    integer, intent(inout) :: o
    integer(c_int64_t) :: position
    read (number, *) position
    call add(in_words(position + 1), other, o)
  end subroutine

  !> "_memory[0]" is of box 1.
  pure subroutine add_place(text, i, other, o)
    character(*), intent(in) :: text
    integer, intent(inout) :: i, o
    character(*), intent(inout) :: other
    integer :: close
    close = i + index(text(i:), ']') - 1
    call add('(box ', other, o)
    call add_position(text(i + 1:close - 1), other, o)
    call add(')', other, o)
    i = close + 1
  end subroutine

  pure subroutine add_axis(number, dims, other, o)
    character(*), intent(in) :: number
    integer, intent(in) :: dims
    character(*), intent(inout) :: other
    integer, intent(inout) :: o
    integer :: axis
    if (len(number) > 2) then
      call add(number, other, o)
      return
    end if
    read (number, *) axis
    call add(in_words(int(mapped(axis, dims), c_int64_t)), other, o)
  end subroutine

  !> The longest list that begins here.
  pure type(list) function list_at(text, i) result(l)
    character(*), intent(in) :: text
    integer, intent(in) :: i
    integer :: at, length, gap
    at = i
    do while (l%count < most_numbers)
      length = length_of_number(text(at:))
      if (length == 0) exit
      l%count = l%count + 1
      l%from(l%count) = at
      l%to(l%count) = at + length - 1
      l%last = at + length - 1
      at = at + length
      if (l%count == 1) then
        gap = 0
        if (text(at:min(at + 2, len(text))) == ' x ') gap = 3
        if (gap == 0 .and. scan(text(at:min(at, len(text))), 'x,') == 1) gap = 1
        if (gap == 0) exit
        l%between = text(at:at + gap - 1)
        l%gap = gap
      end if
      if (at + l%gap > len(text)) exit
      if (text(at:at + l%gap - 1) /= l%between(:l%gap)) exit
      at = at + l%gap
    end do
    if (l%count < 2) l%between = ''
  end function

  pure logical function ends_with(text, i, word)
    character(*), intent(in) :: text, word
    integer, intent(in) :: i
    ends_with = .false.
    if (i > len(word)) ends_with = text(i - len(word):i - 1) == word
  end function

  !> A layout's word, as in 'slabs:2'; devices have numbers of their own, and 'grid:2x' is no list.
  pure logical function follows_word(text, i)
    character(*), intent(in) :: text
    integer, intent(in) :: i
    follows_word = .false.
    if (i < 3) return
    if (text(i - 1:i - 1) /= ':') return
    if (scan(text(i + length_of_number(text(i:)):), 'xX') == 1) return
    if (verify(text(i - 2:i - 2), 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') > 0) return
    follows_word = .not. (ends_with(text, i, 'cuda:') .or. ends_with(text, i, 'hip:') .or. &
                          ends_with(text, i, 'emulated:'))
  end function

  !> "[0,4)"
  pure logical function is_box(text)
    character(*), intent(in) :: text
    integer :: comma, close
    comma = index(text, ',')
    close = index(text, ')')
    is_box = comma > 2 .and. close > comma + 1
    if (is_box) is_box = verify(text(2:comma - 1), '-'//digits) == 0 .and. verify(text(comma + 1:close - 1), &
                                                                                 '-'//digits) == 0
  end function

  !> "[0,4)x[2,5)" becomes "3..5 x 1..4".
  pure subroutine add_box(text, i, other, o)
    character(*), intent(in) :: text
    integer, intent(inout) :: i, o
    character(*), intent(inout) :: other
    integer(c_int64_t) :: lo(most_numbers), hi(most_numbers)
    integer :: count, k, comma, close
    count = 0
    do while (count < most_numbers)
      comma = i + index(text(i:), ',') - 1
      close = i + index(text(i:), ')') - 1
      count = count + 1
      read (text(i + 1:comma - 1), *) lo(count)
      read (text(comma + 1:close - 1), *) hi(count)
      i = close + 1
      if (i + 1 > len(text)) exit
      if (text(i:i + 1) /= 'x[') exit
      if (.not. is_box(text(i + 1:))) exit
      i = i + 1
    end do
    do k = count, 1, -1
      call add(in_words(lo(k) + 1)//'..'//in_words(hi(k)), other, o)
      if (k > 1) call add(' x ', other, o)
    end do
  end subroutine

  pure subroutine add(part, other, o)
    character(*), intent(in) :: part
    character(*), intent(inout) :: other
    integer, intent(inout) :: o
    if (o < len(other)) other(o + 1:) = part
    o = o + len(part)
  end subroutine
end module
