# Is there a Fortran compiler, and which MPI does it know? Sets shardfft_has_fortran and shardfft_has_mpi_f08. Included
# by the project's own CMakeLists.txt: CMake enables languages there.
set(shardfft_has_fortran FALSE)
set(shardfft_has_mpi_f08 FALSE)
set(why "")
if(SHARDFFT_WITH_FORTRAN STREQUAL "OFF")
  set(why "SHARDFFT_WITH_FORTRAN=OFF")
elseif(SHARDFFT_WITH_FORTRAN STREQUAL "AUTO" AND (CMAKE_CROSSCOMPILING OR SHARDFFT_SANITIZE))
  set(why "neither for another machine nor with sanitizers, unless asked for")
else()
  include(CheckLanguage)
  include(CheckIncludeFile)
  check_language(Fortran)
  check_include_file(ISO_Fortran_binding.h SHARDFFT_HAS_DESCRIPTORS)  # the C compiler's, of one family with Fortran's
  if(NOT CMAKE_Fortran_COMPILER)
    set(why "no Fortran compiler was found")
  elseif(NOT SHARDFFT_HAS_DESCRIPTORS)
    set(why "the C compiler has no ISO_Fortran_binding.h; take one of the Fortran compiler's family")
  endif()
endif()
if(why STREQUAL "")
  enable_language(Fortran)
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    set(why "clang's ISO_Fortran_binding.h is that of flang, not gfortran's; take compilers of one family")
  endif()
endif()
if(why STREQUAL "")
  set(shardfft_has_fortran TRUE)
  string(REGEX MATCH "^[0-9]+" shardfft_fortran_major "${CMAKE_Fortran_COMPILER_VERSION}")
elseif(SHARDFFT_WITH_FORTRAN STREQUAL "ON")
  message(FATAL_ERROR "shardfft: Fortran was asked for (SHARDFFT_WITH_FORTRAN=ON): ${why}")
else()
  message(STATUS "shardfft: Fortran: left out, ${why}")
endif()

# Flags of everything in Fortran that is built here. Operators run in several threads: -frecursive. These warnings are
# exceptions:
#   uninitialized, maybe-uninitialized  gfortran 12 takes allocatable components that are assigned for such
#   unused-dummy-argument               procedures of one interface need not use every argument
#   compare-reals, integer-division     zeros are exact, and numbers of modes are rounded down
#   function-elimination                look-ups behind a condition that is false need not be called
add_library(shardfft_fortran_flags INTERFACE)
if(shardfft_has_fortran AND CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shardfft_fortran_flags INTERFACE $<$<COMPILE_LANGUAGE:Fortran>:-frecursive;-Wall;-Wextra;
    $<$<BOOL:${SHARDFFT_FORTRAN_WERROR}>:-Werror>;-Wno-uninitialized;-Wno-maybe-uninitialized;
    -Wno-unused-dummy-argument;-Wno-compare-reals;-Wno-integer-division;-Wno-function-elimination>)
endif()

# The Fortran half of the MPI that was found for C: beside mpicc.openmpi lies mpifort.openmpi.
if(shardfft_has_fortran AND TARGET MPI::MPI_C)
  if(NOT MPI_Fortran_COMPILER AND MPI_C_COMPILER MATCHES "mpicc([.][a-z]+)?$")
    cmake_path(GET MPI_C_COMPILER PARENT_PATH folder)
    find_program(MPI_Fortran_COMPILER NAMES mpifort${CMAKE_MATCH_1} mpif90${CMAKE_MATCH_1} HINTS ${folder}
      DOC "MPI compiler for Fortran")
  endif()
  find_package(MPI COMPONENTS C Fortran)
  if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
    set(shardfft_has_mpi_f08 TRUE)
  endif()
endif()
