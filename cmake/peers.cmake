# The peers of `shardfft compare`: one program per library, built where the library is found. Included by apps/peers.
set(SHARDFFT_PEERS_FOLDER ${PROJECT_BINARY_DIR}/libexec/shardfft/peers)

# The common part. Of the library it takes the archive alone and not what the engines link: a peer must see no other FFT library than its own
# (MKL in front of FFTW answers FFTW's calls).
add_library(shardfft_peer STATIC arguments.cpp checks.cpp energy.cpp measure.cpp memory.cpp result.cpp run.cpp task.cpp ways.cpp
  ../cli/launch.cpp ../cli/words.cpp)
target_include_directories(shardfft_peer PUBLIC . ${PROJECT_SOURCE_DIR}/include PRIVATE ../cli ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(shardfft_peer
  PUBLIC $<TARGET_FILE:shardfft> fmt::fmt hwy::hwy OpenMP::OpenMP_CXX Threads::Threads
  PRIVATE shardfft_flags CLI11::CLI11 nlohmann_json::nlohmann_json)
add_dependencies(shardfft_peer shardfft)
if(TARGET MPI::MPI_C AND NOT SHARDFFT_WITH_MPI STREQUAL "OFF")
  target_sources(shardfft_peer PRIVATE ../cli/launch_mpi.cpp)
  target_link_libraries(shardfft_peer PUBLIC MPI::MPI_C)
  target_compile_definitions(shardfft_peer PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set(shardfft_peers_have_mpi TRUE)
endif()

# shardfft_peer(name [MPI] SOURCES file... [LINKS target-or-path...] [INCLUDES folder...] [DEFINES ...])
# Adds peer_<name> where everything in LINKS was found (none is empty, NOTFOUND or a missing target).
function(shardfft_peer name)
  cmake_parse_arguments(arg "MPI" "" "SOURCES;LINKS;INCLUDES;DEFINES" ${ARGN})
  set(missing "")
  if(arg_MPI AND NOT shardfft_peers_have_mpi)
    set(missing " MPI")
  endif()
  foreach(library IN LISTS arg_LINKS arg_INCLUDES)
    if(library MATCHES "NOTFOUND$" OR (library MATCHES "::" AND NOT TARGET ${library}))
      string(APPEND missing " ${library}")
    endif()
  endforeach()
  if(missing)
    message(STATUS "shardfft: peer ${name}: left out, not found:${missing}")
    return()
  endif()
  message(STATUS "shardfft: peer ${name}: built")
  add_executable(peer_${name} peer_main.cpp ${arg_SOURCES})
  set_target_properties(peer_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${SHARDFFT_PEERS_FOLDER})
  target_include_directories(peer_${name} PRIVATE ../cli ${PROJECT_SOURCE_DIR}/src ${arg_INCLUDES})
  target_compile_definitions(peer_${name} PRIVATE ${arg_DEFINES})
  target_link_libraries(peer_${name} PRIVATE shardfft_flags ${arg_LINKS} shardfft_peer)
  install(TARGETS peer_${name} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardfft/peers)
  set_property(GLOBAL APPEND PROPERTY SHARDFFT_PEERS ${name})
endfunction()
