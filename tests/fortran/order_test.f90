!> The one function that knows both orders: 3 x 5 x 7, every axis, every kind of words.
program order_test
  use checks
  use shardfft_counting, only: counted
  use shardfft_order
  implicit none
  integer :: axis
  integer(c_int64_t) :: lo(3), hi(3)

  do axis = 1, 3
    call check(axis_in_c(axis, 3) == 3 - axis, 'axis 1 of Fortran is C''s last')
    call check(axis_in_c(axis - 4, 3) == 3 - axis, 'negative axes count from the last, which is C''s axis 0')
    call check(axis_fault(axis, 3) == '' .and. axis_fault(-axis, 3) == '', 'axes that there are')
  end do
  call check(axis_fault(0, 3) /= '' .and. axis_fault(4, 3) /= '' .and. axis_fault(-4, 3) /= '', &
             'axes that there are not')
  call check(all(axes_in_c([1, 3], 3) == [0, 2]), 'the first axis of a list is C''s last one')
  call check(all(order_in_c([1, 2, 3], 3) == [0, 1, 2]), 'the order of Fortran is the order of C')
  call check(all(order_in_c([1, 3, 2], 3) == [1, 0, 2]), 'the order of FFTW''s transposed output')
  call check(all(memory_order([1, 0, 2]) == [1, 3, 2]), 'and back')
  call check(all(reversed([3, 5, 7]) == [7, 5, 3]), 'lists are reversed')
  call box_in_c([1_c_int64_t, 2_c_int64_t, 4_c_int64_t], [3_c_int64_t, 5_c_int64_t, 7_c_int64_t], lo, hi)
  call check(all(lo == [3, 1, 0]) .and. all(hi == [7, 5, 3]), 'boxes')
  call words('slabs:3', 'slabs:0')
  call words('slabs:3/4', 'slabs:0/4')
  call words('slabs:-1', 'slabs:0')
  call words('pencils:1', 'pencils:2')
  call words('Cyclic:2', 'Cyclic:1')
  call words('grid:1x2x4', 'grid:4x2x1')
  call words('grid:12X2x4', 'grid:4x2x12')
  call words('gRiD:1x2x4', 'gRiD:4x2x1')
  call words('GRID:2x1', 'GRID:1x2')
  call words('sLaBs:3/2', 'sLaBs:0/2')
  call words('grids:1x2x4', 'grids:4x2x1')
  call words('grid:2x', 'grid:2x')
  call words('grid:4', 'grid:4')
  call words('natural', 'natural')
  call words('any', 'any')
  call words('slab:2', 'slab:1')
  call words('slabs:two', 'slabs:two')
  call check(turned_grid('2x3') == '3x2' .and. turned_grid(' 2X3x1 ') == '1x3x2', 'grids of options are turned')
  call check(turned_grid('2x') == '2x' .and. turned_grid('') == '' .and. turned_grid('two') == 'two', 'words stay')
  call refused('slabs:4')
  call refused('pencils:0')
  call text('got ''pencil:2'' (did you mean ''pencils:2''?)', 'got ''pencil:1'' (did you mean ''pencils:1''?)')
  call text('got axes 0,2; along axis 1, 6; cuda:1, 2 x -3', 'got axes 1,3; along axis 2, 6; cuda:1, -3 x 2')
  call text('owns [0,4)x[2,5) of 9 x 7 x 5 in 3 axes', 'owns 3..5 x 1..4 of 5 x 7 x 9 in 3 axes')
  call text('axis_order names 0,1; got 2,0', 'axis_order names 3,2; got 1,3')
  call text('memory order 2,0,1; slabs:0/2; rank 1 of 2', 'memory order 2,3,1; slabs:3/2; rank 1 of 2')
  call text('ranks_grid holds at most the 4 ranks there are; got 5 x 3', &
            'ranks_grid holds at most the 4 ranks there are; got 3 x 5')
  call text('got ''grid:2x''', 'got ''grid:2x''')
  call text('options.input_memory[0].offset is not negative; got -2', &
            'options.input_memory(box 1).offset is not negative; got -2')
  call text('positions lie inside 7 x 5; got -1 x 5', 'positions lie inside 5 x 7; got 6 x 0')
  call text('', '')
  call text('[', '[')
  call finish()

contains

  !> What C says of an array of three axes.
  subroutine text(c, fortran)
    character(*), intent(in) :: c, fortran
    call check(counted(c, 3) == fortran, c//' became '//trim(counted(c, 3)))
  end subroutine

  subroutine words(fortran, c)
    character(*), intent(in) :: fortran, c
    character(200) :: got, fault
    call words_in_c(fortran, 3, got, fault)
    call check(got == c .and. fault == '', fortran//' became '//trim(got))
  end subroutine

  subroutine refused(words)
    character(*), intent(in) :: words
    character(200) :: got, fault
    call words_in_c(words, 3, got, fault)
    call check(index(fault, 'axes count from 1 to 3') > 0, words//' is refused')
  end subroutine
end program
