!> The functions of shardfft.h that are about the library, groups of ranks and layouts, as C has them.
module shardfft_c_library
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  implicit none

  interface
    type(c_ptr) function shardfft_version_text() bind(C)
      import :: c_ptr
    end function
    integer(c_int) function shardfft_has(part) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: part(*)
    end function
    type(c_ptr) function shardfft_error() bind(C)
      import :: c_ptr
    end function
    subroutine shardfft_free(text) bind(C)
      import :: c_ptr
      type(c_ptr), value :: text
    end subroutine

    integer(c_int) function shardfft_comm_local(c) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: c
    end function
    integer(c_int) function shardfft_comm_mpi_f(handle, c) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: handle
      type(c_ptr), intent(inout) :: c
    end function
    integer(c_int) function shardfft_comm_dry_run(ranks, rank, ranks_per_node, c) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: ranks, rank, ranks_per_node
      type(c_ptr), intent(inout) :: c
    end function
    integer(c_int) function shardfft_on_ranks(ranks, body, user) bind(C)
      import :: c_funptr, c_int, c_ptr
      integer(c_int), value :: ranks
      type(c_funptr), value :: body
      type(c_ptr), value :: user
    end function
    integer(c_int) function shardfft_comm_rank(c) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c
    end function
    integer(c_int) function shardfft_comm_size(c) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c
    end function
    integer(c_int) function shardfft_comm_node(c, rank) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c
      integer(c_int), value :: rank
    end function
    integer(c_int) function shardfft_comm_nodes(c) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c
    end function
    type(c_ptr) function shardfft_comm_kind(c) bind(C)
      import :: c_ptr
      type(c_ptr), value :: c
    end function
    integer(c_int) function shardfft_comm_barrier(c) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: c
    end function
    integer(c_int) function shardfft_comm_broadcast(c, bytes, n, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: c, bytes
      integer(c_size_t), value :: n
      integer(c_int), value :: root
    end function
    integer(c_int) function shardfft_comm_allgather(c, mine, n, all) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: c, mine, all
      integer(c_size_t), value :: n
    end function
    subroutine shardfft_comm_destroy(c) bind(C)
      import :: c_ptr
      type(c_ptr), value :: c
    end subroutine

    integer(c_int) function shardfft_spec_words(words, dims, s) bind(C)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: words(*)
      integer(c_int), value :: dims
      type(c_ptr), intent(inout) :: s
    end function
    integer(c_int) function shardfft_spec_grid(dims, processes, s) bind(C)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: dims
      integer(c_int64_t), intent(in) :: processes(*)
      type(c_ptr), intent(inout) :: s
    end function
    integer(c_int) function shardfft_spec_boxes(dims, boxes, rank, lo, hi, s) bind(C)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: dims, boxes
      integer(c_int), intent(in) :: rank(*)
      integer(c_int64_t), intent(in) :: lo(*), hi(*)
      type(c_ptr), intent(inout) :: s
    end function
    integer(c_int) function shardfft_spec_order(s, dims, slowest_first) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: dims
      integer(c_int), intent(in) :: slowest_first(*)
    end function
    subroutine shardfft_spec_destroy(s) bind(C)
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine

    integer(c_int) function shardfft_layout_create(s, dims, shape, ranks, l) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: dims, ranks
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), intent(inout) :: l
    end function
    integer(c_int) function shardfft_layout_dims(l) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: l
    end function
    integer(c_int) function shardfft_layout_ranks(l) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: l
    end function
    subroutine shardfft_layout_shape(l, shape) bind(C)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), intent(inout) :: shape(*)
    end subroutine
    subroutine shardfft_layout_order(l, slowest_first) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: l
      integer(c_int), intent(inout) :: slowest_first(*)
    end subroutine
    subroutine shardfft_layout_grid(l, processes) bind(C)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), intent(inout) :: processes(*)
    end subroutine
    integer(c_int) function shardfft_layout_boxes(l, rank, count) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: rank
      integer(c_int), intent(inout) :: count
    end function
    integer(c_int) function shardfft_layout_box(l, rank, i, lo, hi) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: rank, i
      integer(c_int64_t), intent(inout) :: lo(*), hi(*)
    end function
    integer(c_int) function shardfft_layout_count(l, rank, elements) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int), value :: rank
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function shardfft_layout_owners(l, lo, hi, room, rank, part_lo, part_hi, count) bind(C)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: l
      integer(c_int64_t), intent(in) :: lo(*), hi(*)
      integer(c_int), value :: room
      integer(c_int), intent(inout) :: rank(*), count
      integer(c_int64_t), intent(inout) :: part_lo(*), part_hi(*)
    end function
    integer(c_int) function shardfft_layout_describe(l, text) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: l
      type(c_ptr), intent(inout) :: text
    end function
    subroutine shardfft_layout_destroy(l) bind(C)
      import :: c_ptr
      type(c_ptr), value :: l
    end subroutine
  end interface
end module
