!> Cells of neighbours around each rank's box.
module shardfft_halo
  use, intrinsic :: iso_c_binding
  use shardfft_arrays
  use shardfft_c_plan, only: shardfft_options_destroy
  use shardfft_c_runs
  use shardfft_comm, only: sf_comm
  use shardfft_counting, only: say_counted, settle_counted
  use shardfft_layout, only: sf_layout
  use shardfft_memory
  use shardfft_options
  use shardfft_order
  use shardfft_text
  implicit none
  private
  public :: sf_halo

  type :: sf_halo
    type(c_ptr) :: handle = c_null_ptr  !< shardfft_halo of C
    integer, private :: dims = 0
    type(expected), private :: cells
    type(memory_list), private :: memory
  contains
    procedure :: create
    procedure :: destroy
    procedure :: box
    procedure :: places
    procedure, private :: array_f32, array_f64, array_c32, array_c64
    !> Points to memory for box and halo, zero, with global bounds; these may begin before 1 and end behind the array.
    generic :: make_array => array_f32, array_f64, array_c32, array_c64
    procedure :: exchange
    procedure :: accumulate
    procedure :: start_exchange
    procedure :: start_accumulate
    procedure :: test
    procedure :: wait
    procedure :: describe
  end type

contains

  !> Collective. Each rank owns one box of the layout or none.
  !>   low, high      cells before and behind the box along each axis, 0 or more
  !>   periodic       of each axis, whether the array begins again at its end; of none without it
  !>   corners        .false.: only cells that lie outside of the box along a single axis
  !>   element_bytes  1, 2, 4, 8 or 16
  !>   options        threads, transport and input_memory count
  subroutine create(self, comm, layout, low, high, periodic, corners, element_bytes, options, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    type(sf_comm), intent(in) :: comm
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: low(:), high(:), element_bytes
    logical, intent(in), optional :: periodic(:), corners
    type(sf_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), allocatable :: repeats(:)
    type(c_ptr) :: o
    integer(c_int) :: status
    character(longest) :: fault
    o = c_null_ptr
    status = 0
    if (c_associated(self%handle)) call self%destroy()
    self%dims = layout%dims()
    allocate (repeats(self%dims), source=0_c_int)
    fault = fault_of_lengths([size(low), size(high)], self%dims)
    if (present(periodic)) fault = fault_of_lengths([size(low), size(high), size(periodic)], self%dims)
    if (fault /= '') status = invalid_argument
    if (status == 0 .and. present(periodic)) repeats = merge(1_c_int, 0_c_int, periodic)
    if (status == 0 .and. present(options)) call build_options(options, self%dims, o, status, fault)
    if (status /= 0 .and. fault == '') call say_counted(fault, self%dims)
    call agree(comm%handle, status, fault)
    if (status == 0) status = shardfft_halo_create(comm%handle, layout%handle, reversed(int(low, c_int64_t)), &
                                                   reversed(int(high, c_int64_t)), reversed(repeats), &
                                                   corner_number(corners), int(element_bytes, c_size_t), o, self%handle)
    if (c_associated(o)) call shardfft_options_destroy(o)
    if (status == 0) call expect(self, layout, element_bytes, present(options))
    call settle_counted(status, self%dims, stat, errmsg, fault)
  end subroutine

  pure integer(c_int) function corner_number(corners)
    logical, intent(in), optional :: corners
    corner_number = 1
    if (present(corners)) corner_number = merge(1_c_int, 0_c_int, corners)
  end function

  pure function fault_of_lengths(lengths, dims) result(fault)
    integer, intent(in) :: lengths(:), dims
    character(longest) :: fault
    fault = ''
    if (any(lengths /= dims)) fault = 'low, high and periodic of a halo have an entry for each axis, '// &
                                      in_words(int(dims, c_int64_t))//'; got '//in_words(int(lengths, c_int64_t))
  end function

  subroutine expect(self, layout, element_bytes, elsewhere)
    class(sf_halo), intent(inout) :: self
    type(sf_layout), intent(in) :: layout
    integer, intent(in) :: element_bytes
    logical, intent(in) :: elsewhere
    integer(c_int64_t) :: lo(self%dims), hi(self%dims)
    integer :: order(self%dims)
    self%cells%element = element_bytes
    self%cells%bytes = shardfft_halo_bytes(self%handle)
    self%cells%boxed = .not. elsewhere
    order = layout%order()
    call self%box(lo, hi)
    self%cells%lower = lo(order)
    self%cells%extent = hi(order) - lo(order) + 1
  end subroutine

  !> Not collective. Arrays of the halo go with it.
  subroutine destroy(self)
    class(sf_halo), intent(inout) :: self
    integer :: failed
    call self%memory%free()
    call settle(shardfft_halo_destroy(self%handle), failed)
    self%handle = c_null_ptr
    self%cells = expected()
  end subroutine

  !> This rank's box with its halo, lo..hi, from 1 and inclusive; hi is lo - 1 without a box.
  subroutine box(self, lo, hi, stat, errmsg)
    class(sf_halo), intent(in) :: self
    integer(c_int64_t), intent(out) :: lo(:), hi(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: c_lo(max(1, self%dims)), c_hi(max(1, self%dims))
    c_lo = 0
    c_hi = 0
    if (size(lo) /= self%dims .or. size(hi) /= self%dims) then
      call settle(invalid_argument, stat, errmsg, length_fault('a box', min(size(lo), size(hi)), self%dims))
      return
    end if
    call settle(shardfft_halo_box(self%handle, c_lo, c_hi), stat, errmsg)
    call box_of_c(c_lo(:self%dims), c_hi(:self%dims), lo, hi)
  end subroutine

  !> Where the box lies in the array, for input_memory of the options of a plan; of length 0 on a rank without a box.
  subroutine places(self, offset, strides, stat, errmsg)
    class(sf_halo), intent(in) :: self
    integer(c_int64_t), allocatable, intent(out) :: offset(:), strides(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: first, steps(max(1, self%dims))
    integer(c_int) :: boxes
    boxes = 0
    call settle(shardfft_halo_memory(self%handle, boxes, first, steps), stat, errmsg)
    allocate (offset(boxes), strides(self%dims, boxes))
    if (boxes == 0) return
    offset = first
    strides(:, 1) = reversed(steps)
  end subroutine

  subroutine array_f32(self, u, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    real(c_float), pointer, intent(out) :: u(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(place) :: p
    call find(self, 4, .false., rank(u), p, stat, errmsg)
    call point(u, p%at, p%lower, p%extent)
  end subroutine

  subroutine array_f64(self, u, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    real(c_double), pointer, intent(out) :: u(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(place) :: p
    call find(self, 8, .false., rank(u), p, stat, errmsg)
    call point(u, p%at, p%lower, p%extent)
  end subroutine

  subroutine array_c32(self, u, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    complex(c_float_complex), pointer, intent(out) :: u(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(place) :: p
    call find(self, 4, .true., rank(u), p, stat, errmsg)
    call point(u, p%at, p%lower, p%extent)
  end subroutine

  subroutine array_c64(self, u, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    complex(c_double_complex), pointer, intent(out) :: u(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(place) :: p
    call find(self, 8, .true., rank(u), p, stat, errmsg)
    call point(u, p%at, p%lower, p%extent)
  end subroutine

  subroutine find(self, scalar, complex_numbers, axes, p, stat, errmsg)
    class(sf_halo), intent(inout) :: self
    integer, intent(in) :: scalar, axes
    logical, intent(in) :: complex_numbers
    type(place), intent(out) :: p
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: array
    integer(c_int) :: status
    array = c_null_ptr
    status = shardfft_halo_make_array(self%handle, array)
    call self%memory%add(self%cells, scalar, complex_numbers, axes, status, array, p, stat, errmsg)
  end subroutine

  !> Collective. Every cell of the halo becomes what its owner has.
  subroutine exchange(self, array, stat, errmsg)
    class(sf_halo), intent(in) :: self
    type(*), intent(inout), asynchronous, target :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(begin(self, array, .false., finish=.true.), stat, errmsg)
  end subroutine

  !> Collective. The transposed operation: what halos hold is added to the owners' elements.
  subroutine accumulate(self, array, stat, errmsg)
    class(sf_halo), intent(in) :: self
    type(*), intent(inout), asynchronous, target :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(begin(self, array, .true., finish=.true.), stat, errmsg)
  end subroutine

  !> Collective. The same, split, as start() of plans: declare the array asynchronous, pointer or target.
  subroutine start_exchange(self, array, stat, errmsg)
    class(sf_halo), intent(in) :: self
    type(*), intent(inout), asynchronous, target :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(begin(self, array, .false., finish=.false.), stat, errmsg)
  end subroutine

  subroutine start_accumulate(self, array, stat, errmsg)
    class(sf_halo), intent(in) :: self
    type(*), intent(inout), asynchronous, target :: array(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(begin(self, array, .true., finish=.false.), stat, errmsg)
  end subroutine

  integer(c_int) function begin(self, array, adds, finish) result(status)
    class(sf_halo), intent(in) :: self
    type(*), intent(inout), asynchronous, target :: array(..)
    logical, intent(in) :: adds, finish
    type(sent), target :: a
    type(c_array) :: s
    call look_at(array, s)
    call see(array, self%cells, 'array', .true., a)
    if (adds) then
      ! Of no number there is no precision, which the halo refuses on all ranks.
      status = shardfft_halo_start_accumulate(self%handle, merge(1_c_int, merge(0_c_int, -1_c_int, s%scalar == 4), &
                                                                 s%scalar == 8), a%at, a%bytes)
    else
      status = shardfft_halo_start_exchange(self%handle, a%at, a%bytes)
    end if
    if (status == 0 .and. finish) status = shardfft_halo_wait(self%handle)
  end function

  logical function test(self, stat, errmsg)
    class(sf_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: done
    done = 0
    call settle(shardfft_halo_test(self%handle, done), stat, errmsg)
    test = done == 1
  end function

  subroutine wait(self, stat, errmsg)
    class(sf_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(shardfft_halo_wait(self%handle), stat, errmsg)
  end subroutine

  !> Widths, messages and bytes of this rank, transport; it counts axes as C does.
  function describe(self, stat, errmsg) result(text)
    class(sf_halo), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_ptr) :: where
    where = c_null_ptr
    call settle(shardfft_halo_describe(self%handle, where), stat, errmsg)
    call take_text(where, text)
  end function
end module
