# SYCL and oneMKL as Intel's packages on PyPI have them (`tools/setup sycl`). Sets SHARDFFT_SYCL_FOUND; makes the
# targets sycl::sycl and sycl::dft. The host's compiler compiles all; the runtime's own compiles the kernels later.
set(SHARDFFT_SYCL_FOUND FALSE)
if(SHARDFFT_WITH_SYCL STREQUAL "OFF")
  return()
endif()
set(SHARDFFT_SYCL_ROOT "$ENV{SHARDFFT_SYCL_ROOT}" CACHE PATH
  "virtual environment with Intel's packages for SYCL; empty: sycl-venv beside the build's folder")
set(sycl_root ${SHARDFFT_SYCL_ROOT})
if(NOT sycl_root)
  cmake_path(SET sycl_root NORMALIZE ${PROJECT_BINARY_DIR}/../sycl-venv)
endif()
find_path(SHARDFFT_SYCL_INCLUDE sycl/sycl.hpp HINTS ${sycl_root}/include NO_DEFAULT_PATH)
find_path(SHARDFFT_SYCL_DFT_INCLUDE oneapi/mkl/dft.hpp HINTS ${sycl_root}/include NO_DEFAULT_PATH)
find_library(SHARDFFT_SYCL_LIBRARY sycl HINTS ${sycl_root}/lib NO_DEFAULT_PATH)
mark_as_advanced(SHARDFFT_SYCL_INCLUDE SHARDFFT_SYCL_DFT_INCLUDE SHARDFFT_SYCL_LIBRARY)
set(sycl_dft "")  # the packages have no names without a version
foreach(part sycl_dft intel_lp64 sequential core)
  file(GLOB found ${sycl_root}/lib/libmkl_${part}.so.*)
  list(APPEND sycl_dft ${found})
endforeach()
list(LENGTH sycl_dft sycl_dft_parts)
if(SHARDFFT_SYCL_INCLUDE AND SHARDFFT_SYCL_DFT_INCLUDE AND SHARDFFT_SYCL_LIBRARY AND sycl_dft_parts EQUAL 4)
  set(SHARDFFT_SYCL_FOUND TRUE)
  set(SHARDFFT_SYCL_CPU ${sycl_root}/lib/libintelocl.so)
  add_library(sycl::sycl INTERFACE IMPORTED GLOBAL)
  set_target_properties(sycl::sycl PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SHARDFFT_SYCL_INCLUDE};${SHARDFFT_SYCL_INCLUDE}/sycl"
    INTERFACE_COMPILE_DEFINITIONS SYCL_DISABLE_FSYCL_SYCLHPP_WARNING
    INTERFACE_LINK_LIBRARIES "${SHARDFFT_SYCL_LIBRARY}")
  add_library(sycl::dft INTERFACE IMPORTED GLOBAL)
  set_target_properties(sycl::dft PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${SHARDFFT_SYCL_DFT_INCLUDE}
    INTERFACE_LINK_LIBRARIES "-Wl,--no-as-needed;${sycl_dft};sycl::sycl")
elseif(SHARDFFT_WITH_SYCL STREQUAL "ON")
  message(FATAL_ERROR
    "shardfft: device sycl was asked for (SHARDFFT_WITH_SYCL=ON) but SYCL's headers and library or oneMKL's were not "
    "found in ${sycl_root}; run tools/setup sycl, or set SHARDFFT_SYCL_ROOT")
endif()
