# NCCL, or RCCL, which has NCCL's names: the target nccl::nccl where one of them is found beside a device that it
# serves.
# The target has headers only: device/transport/nccl/nccl_library.cpp loads the library. Included after cmake/gpu.cmake.
if(NOT SHARDFFT_WITH_NCCL STREQUAL "OFF")
  if(SHARDFFT_CUDA_FOUND)
    find_path(SHARDFFT_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} $ENV{NCCL_HOME}/include)
    find_library(SHARDFFT_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib
      $ENV{NCCL_HOME}/lib)
    set(nccl_includes ${SHARDFFT_NCCL_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS})
    set(nccl_links CUDA::cudart_static)
  elseif(SHARDFFT_HIP_FOUND)
    find_path(SHARDFFT_NCCL_INCLUDE rccl/rccl.h HINTS $ENV{ROCM_PATH}/include /opt/rocm/include)
    find_library(SHARDFFT_NCCL_LIBRARY rccl HINTS $ENV{ROCM_PATH}/lib /opt/rocm/lib)
    set(nccl_includes ${SHARDFFT_NCCL_INCLUDE})
    set(nccl_links HIP::runtime)
    set(nccl_definitions SHARDFFT_RCCL=1 SHARDFFT_GPU_IS_HIP=1)
  endif()
  mark_as_advanced(SHARDFFT_NCCL_INCLUDE SHARDFFT_NCCL_LIBRARY)
  if(SHARDFFT_NCCL_INCLUDE AND SHARDFFT_NCCL_LIBRARY)
    add_library(nccl::nccl INTERFACE IMPORTED GLOBAL)
    set_target_properties(nccl::nccl PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${nccl_includes}"
      INTERFACE_LINK_LIBRARIES "${nccl_links}" INTERFACE_COMPILE_DEFINITIONS "${nccl_definitions}")
  endif()
endif()
