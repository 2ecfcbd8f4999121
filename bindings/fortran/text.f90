!> Texts of C and of Fortran, and how a call ends that failed.
module shardfft_text
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use shardfft_c_library
  implicit none
  private
  public :: agree, c_text, copy_text, in_words, names_argument, say_by_c, settle, take_text, word_number

  integer, parameter, public :: invalid_argument = 3, invalid_problem = 1, invalid_layout = 2
  !> Of a text that says what is wrong. Such texts have this length, and no function gives one of a deferred length:
  !> gfortran keeps that length in static memory, and threads as ranks would spoil it for each other.
  integer, parameter, public :: longest = 2000
  !> What C says of axes counts them as C does.
  character(*), parameter, public :: in_c = &
    ' (this text counts as C does: its axis 0 is the last of the Fortran array)'

  interface in_words
    module procedure number_in_words, list_in_words
  end interface

  interface
    integer(c_size_t) function strlen(s) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: s
    end function
  end interface

contains

  pure function c_text(text) result(ended)
    character(*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: ended
    ended = trim(text)//c_null_char
  end function

  !> Of C's memory; '' of NULL.
  subroutine copy_text(where, text)
    type(c_ptr), intent(in) :: where
    character(:), allocatable, intent(out) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = ''
    if (.not. c_associated(where)) return
    call c_f_pointer(where, letters, [strlen(where)])
    text = repeat(' ', size(letters))
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end subroutine

  !> The same, and the memory goes back.
  subroutine take_text(where, text)
    type(c_ptr), intent(in) :: where
    character(:), allocatable, intent(out) :: text
    call copy_text(where, text)
    call shardfft_free(where)
  end subroutine

  pure integer function width(number)
    integer(c_int64_t), intent(in) :: number
    character(24) :: digits
    write (digits, '(i0)') number
    width = len_trim(digits)
  end function

  pure function number_in_words(number) result(words)
    integer(c_int64_t), intent(in) :: number
    character(width(number)) :: words
    write (words, '(i0)') number
  end function

  pure integer function list_width(numbers)
    integer(c_int64_t), intent(in) :: numbers(:)
    integer :: i
    list_width = 3*max(0, size(numbers) - 1)
    do i = 1, size(numbers)
      list_width = list_width + width(numbers(i))
    end do
  end function

  !> "3 x 5 x 7"
  pure function list_in_words(numbers) result(words)
    integer(c_int64_t), intent(in) :: numbers(:)
    character(list_width(numbers)) :: words
    integer :: i, at
    words = ''
    at = 0
    do i = 1, size(numbers)
      if (i > 1) words(at + 1:at + 3) = ' x '
      if (i > 1) at = at + 3
      words(at + 1:at + width(numbers(i))) = number_in_words(numbers(i))
      at = at + width(numbers(i))
    end do
  end function

  !> Place of `word` in `words`, from 0; -1 if it is none of them.
  pure integer(c_int) function word_number(word, words)
    character(*), intent(in) :: word, words(:)
    integer :: i
    word_number = -1
    do i = 1, size(words)
      if (word == words(i)) word_number = int(i - 1, c_int)
    end do
  end function

  !> Collective. A failure of one rank becomes one of all, with the text of the lowest. `fault`: what is wrong here,
  !> else ''
  subroutine agree(c, status, fault)
    type(c_ptr), intent(in) :: c
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    integer(c_int), allocatable, target :: all(:)
    integer(c_int), target :: mine
    character(kind=c_char, len=longest), target :: text
    integer(c_int) :: told
    integer :: first
    if (.not. c_associated(c)) return
    mine = status
    allocate (all(shardfft_comm_size(c)), source=0_c_int)
    told = shardfft_comm_allgather(c, c_loc(mine), c_sizeof(mine), c_loc(all))
    if (told == 0 .and. all(1) == 0 .and. maxval(all) == 0) return
    if (told == 0) then
      first = findloc(all /= 0, .true., dim=1)
      text = fault
      told = shardfft_comm_broadcast(c, c_loc(text), int(longest, c_size_t), int(first - 1, c_int))
      status = all(first)
      if (told == 0) fault = trim(text)
      if (told == 0 .and. any(all /= status)) fault = 'rank '//in_words(int(first - 1, c_int64_t))//': '//text
    end if
    if (told /= 0) then
      status = told
      call say_by_c(fault)
    end if
  end subroutine

  !> Whether a text names an argument: it was made in Fortran, sent to all ranks by C, and counts as Fortran does.
  pure logical function names_argument(text)
    character(*), intent(in) :: text
    names_argument = index(text, '`') == 1 .or. index(text, ': `') > 0
  end function

  !> The last text of C in this thread.
  subroutine say_by_c(text)
    character(*), intent(inout) :: text
    character(:), allocatable :: all
    call copy_text(shardfft_error(), all)
    text = all
    if (names_argument(all)) return
    if (index(all, 'axis') + index(all, 'axes') + index(all, 'shape') + index(all, 'box') > 0) text = all//in_c
  end subroutine

  !> The end of a call: as allocate() has it, stat= takes the number, errmsg= the text; without stat= the program ends
  !> with status 2. `fault`: the text, if C does not have it.
  subroutine settle(status, stat, errmsg, fault)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: fault
    character(longest) :: text
    if (present(stat)) stat = status
    if (status == 0) return
    text = ''
    if (present(fault)) text = fault
    if (text == '') call say_by_c(text)
    if (present(errmsg)) errmsg = text
    if (present(stat)) return
    write (error_unit, '(2a)') 'shardfft: ', trim(text)
    error stop 2, quiet=.true.
  end subroutine
end module
