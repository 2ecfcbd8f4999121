!> What is asked, in the words of all languages. A value that owns nothing; what is wrong with it is said when a plan is
!> made of it.
module shardfft_problem
  use, intrinsic :: iso_c_binding
  use shardfft_c_plan
  use shardfft_order
  use shardfft_text
  implicit none
  private
  public :: build_problem, sf_problem

  character(*), parameter, public :: kinds_of_plans(5) = [character(4) :: 'c2c', 'r2c', 'c2r', 'move', 'r2r']
  character(*), parameter :: precisions(2) = ['f32', 'f64']
  character(*), parameter :: scalings(4) = [character(11) :: 'none', 'by_sqrt_n', 'by_n', 'orthonormal']
  character(*), parameter :: kinds_of_axes(10) = [character(8) :: 'fourier', 'cosine1', 'cosine2', 'cosine3', &
                                                  'cosine4', 'sine1', 'sine2', 'sine3', 'sine4', 'hartley']

  !> Forward is unscaled, backward is scaled by 1/N, unless said otherwise.
  type :: sf_problem
    integer(c_int64_t), allocatable :: shape(:)     !< extents as the array is declared; those of the reals for r2c, c2r
    character(:), allocatable :: kind               !< 'c2c', 'r2c', 'c2r', 'r2r' or 'move'
    character(:), allocatable :: precision          !< 'f64' or 'f32'
    integer, allocatable :: axes(:)                 !< transformed ones; the first is the real one of r2c and c2r
    character(8), allocatable :: kinds(:)           !< of each of `axes`: 'fourier', 'cosine2', 'sine1' and so on
    character(:), allocatable :: forward, backward  !< 'none', 'by_sqrt_n', 'by_n', 'orthonormal'
    integer(c_int64_t), allocatable :: modes(:), support(:)  !< of each axis of the shape; 0: all
    integer :: element_bytes = 0                    !< of 'move': 1, 2, 4, 8 or 16; 0: a complex number
  end type
  interface sf_problem
    module procedure problem_of_int, problem_of_long
  end interface

contains

  pure type(sf_problem) function problem_of_long(shape, kind, precision, axes, kinds, forward, backward, modes, &
                                                 support, element_bytes) result(p)
    integer(c_int64_t), intent(in) :: shape(:)
    character(*), intent(in), optional :: kind, precision, kinds(:), forward, backward
    integer, intent(in), optional :: axes(:), element_bytes
    integer(c_int64_t), intent(in), optional :: modes(:), support(:)
    p%shape = shape
    p%kind = 'c2c'
    p%precision = 'f64'
    p%forward = 'none'
    p%backward = 'by_n'
    if (present(kind)) p%kind = kind
    if (present(precision)) p%precision = precision
    if (present(axes)) p%axes = axes
    if (present(kinds)) p%kinds = kinds
    if (present(forward)) p%forward = forward
    if (present(backward)) p%backward = backward
    if (present(modes)) p%modes = modes
    if (present(support)) p%support = support
    if (present(element_bytes)) p%element_bytes = element_bytes
  end function

  pure type(sf_problem) function problem_of_int(shape, kind, precision, axes, kinds, forward, backward, modes, &
                                                support, element_bytes) result(p)
    integer, intent(in) :: shape(:)
    character(*), intent(in), optional :: kind, precision, kinds(:), forward, backward
    integer, intent(in), optional :: axes(:), element_bytes, modes(:), support(:)
    p = problem_of_long(int(shape, c_int64_t), kind, precision, axes, kinds, forward, backward, &
                        element_bytes=element_bytes)
    if (present(modes)) p%modes = modes
    if (present(support)) p%support = support
  end function

  !> The problem as C has it, which the caller destroys.
  subroutine build_problem(problem, c_problem, status, fault)
    type(sf_problem), intent(in) :: problem
    type(c_ptr), intent(inout) :: c_problem
    integer(c_int), intent(inout) :: status
    character(*), intent(inout) :: fault
    integer :: dims
    status = invalid_problem
    if (.not. allocated(problem%shape)) fault = 'a problem has a shape; got none; make it with sf_problem(shape)'
    if (fault /= '') return
    dims = size(problem%shape)
    fault = first_fault(problem, dims)
    if (fault /= '') return
    status = shardfft_problem_create(int(dims, c_int), reversed(problem%shape), &
                                     word_number(problem%kind, kinds_of_plans), &
                                     word_number(problem%precision, precisions), c_problem)
    if (status == 0) status = shardfft_problem_scaling(c_problem, word_number(problem%forward, scalings), &
                                                       word_number(problem%backward, scalings))
    if (status == 0 .and. allocated(problem%axes)) &
      status = shardfft_problem_axes(c_problem, int(size(problem%axes), c_int), axes_in_c(problem%axes, dims))
    if (status == 0 .and. allocated(problem%kinds)) status = set_kinds(c_problem, problem%kinds)
    if (status == 0 .and. allocated(problem%modes)) status = shardfft_problem_modes(c_problem, reversed(problem%modes))
    if (status == 0 .and. allocated(problem%support)) &
      status = shardfft_problem_support(c_problem, reversed(problem%support))
    if (status == 0 .and. problem%element_bytes /= 0) &
      status = shardfft_problem_element(c_problem, int(problem%element_bytes, c_size_t))
  end subroutine

  integer(c_int) function set_kinds(c_problem, kinds) result(status)
    type(c_ptr), intent(in) :: c_problem
    character(*), intent(in) :: kinds(:)
    integer(c_int) :: numbers(size(kinds))
    integer :: i
    numbers = [(word_number(kinds(i), kinds_of_axes), i=1, size(kinds))]
    status = shardfft_problem_kinds(c_problem, int(size(kinds), c_int), reversed(numbers))
  end function

  !> What C would say in its own order, or could not say; '' if there is nothing.
  pure function first_fault(problem, dims) result(fault)
    type(sf_problem), intent(in) :: problem
    integer, intent(in) :: dims
    character(longest) :: fault
    integer :: i
    fault = word_fault('kind', problem%kind, kinds_of_plans)
    if (fault == '') fault = word_fault('precision', problem%precision, precisions)
    if (fault == '') fault = word_fault('forward', problem%forward, scalings)
    if (fault == '') fault = word_fault('backward', problem%backward, scalings)
    if (allocated(problem%kinds)) then
      do i = 1, size(problem%kinds)
        if (fault == '') fault = word_fault('a kind of an axis', problem%kinds(i), kinds_of_axes)
      end do
    end if
    if (fault == '' .and. allocated(problem%axes)) fault = fault_of_axes(problem%axes, dims)
    if (fault == '' .and. allocated(problem%modes)) fault = length_fault('modes', size(problem%modes), dims)
    if (fault == '' .and. allocated(problem%support)) fault = length_fault('support', size(problem%support), dims)
    if (fault == '' .and. problem%element_bytes < 0) &
      fault = 'an element has 1, 2, 4, 8 or 16 bytes; got '//in_words(int(problem%element_bytes, c_int64_t))
  end function

  pure function word_fault(name, word, words) result(fault)
    character(*), intent(in) :: name, word, words(:)
    character(longest) :: fault
    integer :: i
    fault = ''
    if (word_number(word, words) >= 0) return
    fault = name//' is one of'
    do i = 1, size(words)
      fault = trim(fault)//' '//trim(words(i))//merge(',', ' ', i < size(words))
    end do
    fault = trim(fault)//'; got '''//trim(word)//'''; name one of these'
  end function
end module
