! What a Fortran program that uses shardfft looks like: a plan, forward, backward, and a look at the result.
program consumer
  use shardfft
  implicit none
  complex(c_double_complex) :: x(8, 7, 6), spectrum(8, 7, 6), back(8, 7, 6)
  type(sf_comm) :: comm
  type(sf_plan) :: plan
  real(c_double) :: worst
  comm = sf_comm_local()
  call plan%create(comm, sf_problem(shape(x)))
  x = 0
  x(1, 1, 1) = (3, -4)  ! an impulse: its spectrum is the same number everywhere
  call plan%forward(x, spectrum)
  call plan%backward(spectrum, back)
  worst = max(maxval(abs(spectrum - x(1, 1, 1))), maxval(abs(back - x)))
  print '(3a, es7.1)', 'shardfft ', sf_version(), ' in Fortran, largest deviation ', worst
  call plan%destroy()
  call comm%destroy()
  if (worst > 1d-13) error stop 1
end program
