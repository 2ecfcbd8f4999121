program hash_fortran
  use checks
  implicit none
  type(sf_comm) :: comm
  comm = sf_comm_local()
  print '(a, z16.16)', 'hash ', hash_on(comm)
  call comm%destroy()
end program
