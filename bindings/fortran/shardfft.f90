!> Distributed Fourier transforms from Fortran, over the C library. The guide: docs/guide/fortran.md.
!>
!> All is said as the array is declared: shapes are [nx, ny, nz] with x fastest, axes count from 1, boxes are lo..hi,
!> from 1 and inclusive. Ranks count from 0, as in MPI. Nothing is copied or transposed.
!>
!> stat= takes the number of an error, 0 without one, errmsg= its text. Without stat= the text goes to standard error
!> and the program ends with status 2. "Collective": every rank of the group calls it, in the same order, and an error
!> of one is an error of all, with the same text.
module shardfft
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_float, c_float_complex, c_int64_t
  use shardfft_comm
  use shardfft_halo
  use shardfft_layout, only: sf_layout, sf_layout_of
  use shardfft_operators, only: sf_modes, sf_operator
  use shardfft_options, only: sf_options
  use shardfft_plan
  use shardfft_problem, only: sf_problem
  use shardfft_spec, only: sf_boxes, sf_grid, sf_spec, sf_words
  implicit none
end module
