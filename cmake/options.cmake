include(${CMAKE_CURRENT_LIST_DIR}/ccache.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/mpi.cmake)

# What a user may switch. AUTO means: built where it is found.
option(SHARDFFT_BUILD_APPS "the program shardfft and the examples" ${PROJECT_IS_TOP_LEVEL})
option(SHARDFFT_BUILD_BENCHMARKS "commands compare and report of the program, and what measures speeds: benchmarks/"
  ${SHARDFFT_BUILD_APPS})
option(SHARDFFT_BUILD_PEERS "programs that run other FFT libraries for shardfft compare, of those that are found"
  ${PROJECT_IS_TOP_LEVEL})
option(SHARDFFT_BUILD_TESTS "unit and system tests" ${PROJECT_IS_TOP_LEVEL})
set(SHARDFFT_LEAVE_OUT "" CACHE STRING "labels of tests that are not built (tests/CMakeLists.txt)")
set(SHARDFFT_WITH_MPI AUTO CACHE STRING "MPI transports and shardfft/mpi.hpp: AUTO, ON or OFF")
set(SHARDFFT_MPI_PLUGINS "" CACHE STRING
  "instead of one MPI that is built in: compilers of those for which plug-ins are built (AUTO: all that are found)")
set(SHARDFFT_WITH_NCCL AUTO CACHE STRING "transport nccl (NCCL or RCCL): AUTO, ON or OFF")
set(SHARDFFT_WITH_FFTW AUTO CACHE STRING "engine fftw (GPL): AUTO, ON or OFF")
set(SHARDFFT_WITH_MKL AUTO CACHE STRING "engine mkl: AUTO, ON or OFF")
set(SHARDFFT_WITH_ZFP AUTO CACHE STRING "codec zfp: AUTO, ON or OFF")
set(SHARDFFT_WITH_HDF5 AUTO CACHE STRING "datasets of HDF5 files in shardfft transform (serial HDF5): AUTO, ON or OFF")
set(SHARDFFT_WITH_CUDA AUTO CACHE STRING "device cuda: AUTO, ON or OFF")
set(SHARDFFT_WITH_CUFFTDX AUTO CACHE STRING
  "fused transforms on device cuda, by the headers of NVIDIA's cuFFTDx: AUTO, ON or OFF")
set(SHARDFFT_WITH_HIP AUTO CACHE STRING "device hip: AUTO, ON or OFF")
set(SHARDFFT_WITH_SYCL AUTO CACHE STRING "device sycl, a plug-in: AUTO, ON or OFF")
set(SHARDFFT_WITH_PYTHON AUTO CACHE STRING "the Python package, bindings/python: AUTO, ON or OFF")
set(SHARDFFT_WITH_FORTRAN AUTO CACHE STRING "the Fortran module, bindings/fortran: AUTO, ON or OFF")
option(SHARDFFT_FORTRAN_WERROR "warnings of gfortran are errors: the project's presets ask for it" OFF)
set(SHARDFFT_WITH_KOKKOS AUTO CACHE STRING "tests and example of Views of Kokkos: AUTO, ON or OFF")
option(SHARDFFT_WITH_EMULATED "devices in host memory, for tests of what runs on devices" ON)
set(SHARDFFT_TARGETS all CACHE STRING
    "instruction sets: all, of which the best is taken at run time, or native, those of this processor")
set(SHARDFFT_RADICES all CACHE STRING
    "radices with code of their own: all, or a list with 2, 3, 5, 7 and 8, which computes every length, too")
if(SHARDFFT_RADICES STREQUAL "all")
  set(shardfft_radices 2 3 4 5 6 7 8 9 10 11 12 13 16)  # as in engine/native/step.hpp
else()
  set(shardfft_radices ${SHARDFFT_RADICES})
  list(JOIN shardfft_radices , radices)
  set(shardfft_own_radices SHARDFFT_RADICES=${radices})  # for engine/native/step.hpp, in what includes it
endif()
set(SHARDFFT_REST "" CACHE FILEPATH
  "libshardfft_cpp.a of another build, with another MPI: only what sees <mpi.h> is compiled anew (cmake/rest.cmake)")
set(SHARDFFT_SANITIZE "" CACHE STRING "address, undefined, thread; comma-separated")

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_package(fmt REQUIRED)
find_package(hwy REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
if(NOT SHARDFFT_WITH_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS C)  # here, because imported targets are seen from the folder that finds them downwards
endif()

# Flags of everything that is built here. No contraction of a*b+c by the compiler: which operations are fused is written
# in the kernels, so that the same pencil gives the same bits in every build of one machine type.
add_library(shardfft_flags INTERFACE)
set(shardfft_warnings -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND shardfft_warnings -Wshadow=local)  # that of clang also speaks of members
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # gcc 12's headers call what they deprecate. gcc wants targets around explicit instantiations, clang does not.
  list(APPEND shardfft_warnings -Wno-deprecated-declarations -Wno-pragma-clang-attribute)
endif()
target_compile_options(shardfft_flags INTERFACE ${shardfft_warnings} -ffp-contract=off $<$<CONFIG:Release>:-O3>)
if(SHARDFFT_TARGETS STREQUAL "native")
  target_compile_options(shardfft_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  target_compile_definitions(shardfft_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
elseif(NOT SHARDFFT_TARGETS STREQUAL "all")
  message(FATAL_ERROR "shardfft: SHARDFFT_TARGETS is all or native, got ${SHARDFFT_TARGETS}")
endif()
if(SHARDFFT_SANITIZE)
  target_compile_options(shardfft_flags INTERFACE -fsanitize=${SHARDFFT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  if(SHARDFFT_SANITIZE MATCHES address AND SHARDFFT_SANITIZE MATCHES undefined)
    # The address sanitizer stops where null pointers are followed and beyond objects, too; to check that twice takes up
    # to a quarter of the time of compiling a file.
    target_compile_options(shardfft_flags INTERFACE -fno-sanitize=null,object-size)
  endif()
  if(SHARDFFT_SANITIZE MATCHES address)
    # What gcc copies or computes in 64 bytes at once it stores as if each frame were aligned so, which those that
    # detect_stack_use_after_return makes are not always.
    include(CheckCXXCompilerFlag)
    foreach(flag prefer-vector-width move-max store-max)
      check_cxx_compiler_flag(-m${flag}=256 SHARDFFT_HAS_${flag})
      if(SHARDFFT_HAS_${flag})
        target_compile_options(shardfft_flags INTERFACE -m${flag}=256)
      endif()
    endforeach()
  endif()
  # The library calls its own copies of inline functions, not those of programs, which are compiled otherwise.
  target_link_options(shardfft_flags INTERFACE -fsanitize=${SHARDFFT_SANITIZE} -Wl,-Bsymbolic-functions)
  target_compile_definitions(shardfft_flags INTERFACE SHARDFFT_SANITIZED=1)
endif()

# For what is compiled long and runs briefly: tests' own files, and those of the program, which hold its command line.
# Linked behind shardfft_flags, for the last -O counts.
add_library(shardfft_brief_flags INTERFACE)
if(SHARDFFT_SANITIZE)
  target_compile_options(shardfft_brief_flags INTERFACE -O0)
else()
  target_compile_options(shardfft_brief_flags INTERFACE $<$<CONFIG:Release>:-O1>)
endif()
