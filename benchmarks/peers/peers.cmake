# The peers of `shardfft compare`: one program per library, built where the library is found. Included by
# CMakeLists.txt.
add_custom_target(peers COMMENT "all peers whose libraries were found")
set(SHARDFFT_PEERS_FOLDER ${PROJECT_BINARY_DIR}/libexec/shardfft/peers)

# The common part. Of the library it takes the archive alone and not what the engines link: a peer must see no other FFT
# library than its own (MKL in front of FFTW answers FFTW's calls).
set(shardfft_cli_folder ${PROJECT_SOURCE_DIR}/apps/cli)
add_library(shardfft_peer STATIC
  common/arguments.cpp common/result.cpp common/run.cpp common/task.cpp common/ways.cpp
  measure/checks.cpp measure/energy.cpp measure/gpu_energy.cpp measure/measure.cpp measure/memory.cpp measure/pages.cpp
  ${shardfft_cli_folder}/launch/launch.cpp ${shardfft_cli_folder}/options/words.cpp
  $<TARGET_OBJECTS:shardfft_command_line>)
target_include_directories(shardfft_peer
  PUBLIC ${SHARDFFT_BENCHMARKS_FOLDER} ${PROJECT_SOURCE_DIR}/include
  PRIVATE ${shardfft_cli_folder})
target_link_libraries(shardfft_peer
  PUBLIC $<TARGET_FILE:shardfft> fmt::fmt hwy::hwy OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS}
  PRIVATE shardfft_flags nlohmann_json::nlohmann_json)
shardfft_precompile_as(shardfft_peer shardfft_cli_parts)
add_dependencies(shardfft_peer shardfft)
target_compile_features(shardfft_peer PUBLIC cxx_std_20)
if(TARGET MPI::MPI_C AND NOT SHARDFFT_WITH_MPI STREQUAL "OFF")
  target_sources(shardfft_peer PRIVATE ${shardfft_cli_folder}/launch/launch_mpi.cpp measure/mpi_traffic.cpp)
  target_link_libraries(shardfft_peer PUBLIC MPI::MPI_C)
  target_compile_definitions(shardfft_peer PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set(shardfft_peers_have_mpi TRUE)
else()
  target_sources(shardfft_peer PRIVATE ${shardfft_cli_folder}/launch/launch_loaded_mpi.cpp measure/no_traffic.cpp)
endif()

# shardfft_peer(name [MPI] SOURCES file... [LINKS target-or-path...] [INCLUDES folder...] [DEFINES ...])
# Adds peer_<name> if everything in LINKS and INCLUDES was found: none is empty, NOTFOUND or a missing target.
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
  if(NOT missing STREQUAL "")  # not if(missing): a text that ends in -NOTFOUND counts as false
    message(STATUS "shardfft: peer ${name}: left out, not found:${missing}")
    return()
  endif()
  if(arg_MPI)
    shardfft_other_mpi(other ${arg_LINKS})
    if(other)
      message(STATUS "shardfft: peer ${name}: left out, it was built for ${other}")
      return()
    endif()
  endif()
  message(STATUS "shardfft: peer ${name}: built")
  add_executable(peer_${name} common/peer_main.cpp ${arg_SOURCES})
  set_target_properties(peer_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${SHARDFFT_PEERS_FOLDER}
    INSTALL_RPATH_USE_LINK_PATH TRUE
    ENABLE_EXPORTS ${arg_MPI})  # so that libraries which it loads find the functions of mpi_traffic.cpp before MPI's
  # CMake leaves folders below the build folder out, and benchmarks/setup_peers installs there.
  set(folders ${arg_LINKS})
  list(FILTER folders INCLUDE REGEX "^/.*[.]so")
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  # A shared libshardfft lies beside the peers, wherever the prefix is moved to.
  file(RELATIVE_PATH from_peers_to_lib ${CMAKE_INSTALL_FULL_LIBEXECDIR}/shardfft/peers ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(peer_${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${from_peers_to_lib};${folders}")
  add_dependencies(peers peer_${name})
  target_include_directories(peer_${name} PRIVATE ${shardfft_cli_folder} ${arg_INCLUDES})
  target_compile_definitions(peer_${name} PRIVATE ${arg_DEFINES})
  target_link_libraries(peer_${name} PRIVATE shardfft_flags ${arg_LINKS} shardfft_peer)
  install(TARGETS peer_${name} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardfft/peers COMPONENT peers OPTIONAL)
  set_property(GLOBAL APPEND PROPERTY SHARDFFT_PEERS ${name})
endfunction()

# Peers in Python: the common part is one shared library, each peer a script that runs with the Python that
# benchmarks/setup_peers filled.
function(shardfft_python_peers)
  set(venv ${PROJECT_SOURCE_DIR}/build/peers-venv/bin/python)
  set(about "Python with the libraries that benchmarks/setup_peers installs")
  if(EXISTS ${venv})
    # benchmarks/setup_peers may have run since the last configuration
    set(SHARDFFT_PEERS_PYTHON ${venv} CACHE FILEPATH "${about}" FORCE)
  else()
    find_program(SHARDFFT_SYSTEM_PYTHON python3)
    set(SHARDFFT_PEERS_PYTHON ${SHARDFFT_SYSTEM_PYTHON} CACHE FILEPATH "${about}")
  endif()
  if(NOT SHARDFFT_PEERS_PYTHON OR NOT EXISTS ${SHARDFFT_PEERS_PYTHON})
    message(STATUS "shardfft: peers in Python: left out, no Python 3")
    return()
  endif()
  add_library(peer_support MODULE python/python_peer.cpp)
  set_target_properties(peer_support PROPERTIES PREFIX lib LIBRARY_OUTPUT_DIRECTORY ${SHARDFFT_PEERS_FOLDER}/support
    INSTALL_RPATH_USE_LINK_PATH TRUE)
  target_link_libraries(peer_support PRIVATE shardfft_flags shardfft_peer nlohmann_json::nlohmann_json)
  target_link_options(peer_support PRIVATE -Wl,--no-undefined)
  file(RELATIVE_PATH from_support_to_lib ${CMAKE_INSTALL_FULL_LIBEXECDIR}/shardfft/peers/support
    ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(peer_support PROPERTIES INSTALL_RPATH $ORIGIN/${from_support_to_lib})
  add_dependencies(peers peer_support)
  configure_file(python/peer_common.py ${SHARDFFT_PEERS_FOLDER}/support/peer_common.py COPYONLY)
  install(TARGETS peer_support DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardfft/peers/support COMPONENT peers OPTIONAL)
  install(FILES python/peer_common.py DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardfft/peers/support COMPONENT peers)
  execute_process(COMMAND ${SHARDFFT_PEERS_PYTHON} -c
    "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)"
    OUTPUT_VARIABLE mpi4py OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(other "")
  if(mpi4py AND shardfft_peers_have_mpi)
    shardfft_other_mpi(other ${mpi4py})
  endif()
  foreach(name IN LISTS ARGN)
    if(name STREQUAL "mpi4py_fft" AND (other OR NOT shardfft_peers_have_mpi))
      message(STATUS "shardfft: peer mpi4py_fft: left out, mpi4py was built for ${other}")
      continue()
    endif()
    set(script ${SHARDFFT_PEERS_FOLDER}/peer_${name}.py)
    configure_file(python/peer_${name}.py ${script} @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardfft/peers COMPONENT peers)
    set_property(GLOBAL APPEND PROPERTY SHARDFFT_PEERS ${name})
  endforeach()
  message(STATUS "shardfft: peers in Python, ${SHARDFFT_PEERS_PYTHON}: ${ARGN}")
endfunction()
