# One MPI, and its own launcher. Debian keeps several MPIs side by side under suffixed names (mpicc.openmpi,
# mpicc.mpich), but FindMPI takes the launcher from /usr/bin/mpiexec whatever wrapper was asked for, and a program of
# one MPI under the launcher of another runs as N separate jobs.
# Included before anything looks for MPI. What the caller sets (MPI_C_COMPILER, MPIEXEC_EXECUTABLE) is never changed.
if(NOT MPI_C_COMPILER)
  find_program(shardfft_mpicc mpicc)
  find_program(shardfft_mpicc_openmpi mpicc.openmpi)
  cmake_path(GET shardfft_mpicc PARENT_PATH mpicc_folder)
  cmake_path(GET shardfft_mpicc_openmpi PARENT_PATH openmpi_folder)
  if(shardfft_mpicc_openmpi AND (NOT shardfft_mpicc OR mpicc_folder STREQUAL openmpi_folder))
    # Not where another mpicc is earlier on PATH: that one was put there on purpose (a module, a virtual environment).
    set(MPI_C_COMPILER ${shardfft_mpicc_openmpi} CACHE FILEPATH "MPI compiler for C")
  endif()
endif()
if(MPI_C_COMPILER MATCHES "mpicc([.][a-z]+)$" AND NOT MPIEXEC_EXECUTABLE)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec${CMAKE_MATCH_1} mpirun${CMAKE_MATCH_1} DOC
    "starts programs of the MPI that was found")
endif()

# Sets `result` to the MPI that one of the shared libraries asks for where it is another than ours, else to nothing.
# Debian's FFTW and SpFFT are built for Open MPI only; two MPIs in one process do not find each other's ranks.
function(shardfft_other_mpi result)
  set(${result} "" PARENT_SCOPE)
  list(GET MPI_C_LIBRARIES 0 ours)
  file(REAL_PATH ${ours} ours)
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "[.]so" OR NOT EXISTS ${library})
      continue()
    endif()
    execute_process(COMMAND ldd ${library} OUTPUT_VARIABLE needs ERROR_QUIET)
    if(needs MATCHES "=> ([^ ]*/libmpi(ch)?[.]so[^ ]*)")
      file(REAL_PATH ${CMAKE_MATCH_1} theirs)
      if(NOT theirs STREQUAL ours)
        set(${result} ${theirs} PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()
