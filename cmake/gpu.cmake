# What there is for GPUs. Sets SHARDFFT_CUDA_FOUND and SHARDFFT_HIP_FOUND; src/device/gpu uses them. Included by the
# first CMakeLists.txt, because a language must be enabled where all that link it see it.
set(SHARDFFT_CUDA_FOUND FALSE)
if(NOT SHARDFFT_WITH_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      # Machine code for A100 and H100, H200; the intermediate code of the last one is for those that come after it.
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      # CMake 3.25 believes that nvcc ends with C++17, and appends that to what it is told otherwise.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
      list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
    endif()
    if(TARGET CUDA::cudart_static AND TARGET CUDA::cufft AND "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
      set(SHARDFFT_CUDA_FOUND TRUE)
    endif()
  endif()
  if(SHARDFFT_WITH_CUDA STREQUAL "ON" AND NOT SHARDFFT_CUDA_FOUND)
    message(FATAL_ERROR
      "shardfft: device cuda was asked for (SHARDFFT_WITH_CUDA=ON) but nvcc of CUDA 12 or later, its run-time "
      "library or cuFFT was not found; put nvcc on PATH or set CMAKE_CUDA_COMPILER")
  endif()
endif()

set(SHARDFFT_CUFFTDX_FOUND FALSE)
if(NOT SHARDFFT_WITH_CUFFTDX STREQUAL "OFF")
  find_path(CUFFTDX_INCLUDE_DIR cufftdx.hpp HINTS $ENV{MATHDX_ROOT}/include $ENV{CUFFTDX_ROOT}/include)
  mark_as_advanced(CUFFTDX_INCLUDE_DIR)
  if(SHARDFFT_CUDA_FOUND AND CUFFTDX_INCLUDE_DIR)
    set(SHARDFFT_CUFFTDX_FOUND TRUE)
  elseif(SHARDFFT_WITH_CUFFTDX STREQUAL "ON")
    message(FATAL_ERROR
      "shardfft: fused transforms were asked for (SHARDFFT_WITH_CUFFTDX=ON) but device cuda is left out or "
      "cufftdx.hpp was not found; set MATHDX_ROOT or CUFFTDX_INCLUDE_DIR")
  endif()
endif()

set(SHARDFFT_HIP_FOUND FALSE)
if(NOT SHARDFFT_WITH_HIP STREQUAL "OFF")
  find_program(SHARDFFT_HIPCC hipcc HINTS $ENV{ROCM_PATH}/bin /opt/rocm/bin)
  find_path(SHARDFFT_HIP_INCLUDE hip/hip_runtime_api.h HINTS $ENV{ROCM_PATH}/include /opt/rocm/include)
  find_path(SHARDFFT_HIPFFT_INCLUDE NAMES hipfft/hipfft.h hipfft.h HINTS $ENV{ROCM_PATH}/include /opt/rocm/include)
  find_library(SHARDFFT_HIP_LIBRARY amdhip64 HINTS $ENV{ROCM_PATH}/lib /opt/rocm/lib)
  find_library(SHARDFFT_HIPFFT_LIBRARY hipfft HINTS $ENV{ROCM_PATH}/lib /opt/rocm/lib)
  mark_as_advanced(SHARDFFT_HIPCC SHARDFFT_HIP_INCLUDE SHARDFFT_HIPFFT_INCLUDE SHARDFFT_HIP_LIBRARY
    SHARDFFT_HIPFFT_LIBRARY)
  set(SHARDFFT_HIP_ARCHITECTURES gfx90a CACHE STRING
    "AMD GPUs to build for, as hipcc's --offload-arch names them; several with semicolons")
  if(SHARDFFT_HIPCC AND SHARDFFT_HIP_INCLUDE AND SHARDFFT_HIPFFT_INCLUDE AND SHARDFFT_HIP_LIBRARY AND
    SHARDFFT_HIPFFT_LIBRARY)
    set(SHARDFFT_HIP_FOUND TRUE)
    foreach(part runtime fft)
      add_library(HIP::${part} UNKNOWN IMPORTED GLOBAL)
    endforeach()
    set_target_properties(HIP::runtime PROPERTIES IMPORTED_LOCATION ${SHARDFFT_HIP_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SHARDFFT_HIP_INCLUDE} INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
    set_target_properties(HIP::fft PROPERTIES IMPORTED_LOCATION ${SHARDFFT_HIPFFT_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SHARDFFT_HIPFFT_INCLUDE})
  elseif(SHARDFFT_WITH_HIP STREQUAL "ON")
    message(FATAL_ERROR
      "shardfft: device hip was asked for (SHARDFFT_WITH_HIP=ON) but hipcc, the HIP run-time library or hipFFT was "
      "not found; set ROCM_PATH or SHARDFFT_HIPCC")
  endif()
endif()
