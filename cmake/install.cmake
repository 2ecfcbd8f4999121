# `cmake --install`: libraries, headers, program, and what find_package(shardfft) and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/shardfft)
set_target_properties(shardfft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
  ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# What the package must look for again. A static library passes on everything that it links; a shared one nothing.
get_target_property(shardfft_type shardfft TYPE)
get_property(shardfft_backends GLOBAL PROPERTY shardfft_backends)
foreach(part MPI FFTW MKL ZFP CUDA HIP NCCL)
  if("SHARDFFT_WITH_${part}" IN_LIST shardfft_backends)
    set(shardfft_has_${part} TRUE)
  else()
    set(shardfft_has_${part} FALSE)
  endif()
endforeach()

# shardfft_install_if_built(target destination path... [MATCHING pattern]): files, folders, or what a folder/ holds, of
# names like the pattern; nothing if the target was not built
function(shardfft_install_if_built target destination)
  cmake_parse_arguments(arg "" "MATCHING" "" ${ARGN})
  list(JOIN arg_UNPARSED_ARGUMENTS "\" \"" paths)
  set(which "")
  if(arg_MATCHING)
    set(which "FILES_MATCHING PATTERN \"${arg_MATCHING}\"")
  endif()
  install(CODE "if(EXISTS \"$<TARGET_FILE:${target}>\")
  file(INSTALL \"${paths}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${destination}\" ${which})
endif()" COMPONENT development)
endfunction()

# Components, each of use alone: library (shared ones), development, program, peers. What was not built is left out,
# with its headers.
install(TARGETS shardfft EXPORT shardfft
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
if(shardfft_type STREQUAL "SHARED_LIBRARY")
  foreach(component development program peers)
    install(TARGETS shardfft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_SKIP)
  endforeach()
endif()
foreach(plugin IN LISTS shardfft_mpi_plugins)  # beside the library, which looks for them there
  set_target_properties(${plugin} PROPERTIES INSTALL_RPATH $ORIGIN)
  foreach(component library program)
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} OPTIONAL)
  endforeach()
endforeach()
if(TARGET shardfft_mpi)
  install(TARGETS shardfft_mpi EXPORT shardfft)
endif()
if(TARGET shardfft_heffte)
  install(TARGETS shardfft_heffte EXPORT shardfft)
  install(TARGETS shardfft_heffte_c EXPORT shardfft_heffte_c OPTIONAL
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT shardfft_heffte_c NAMESPACE shardfft:: FILE shardfftHeffteCTargets.cmake
    DESTINATION ${package_folder}/heffte COMPONENT development)
  # Folders of their own: they must not hide heFFTe.
  install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../bindings/heffte/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heffte-compat COMPONENT development)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeffteConfigVersion.cmake VERSION 2.4.1
    COMPATIBILITY SameMajorVersion)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/HeffteConfig.cmake ${PROJECT_BINARY_DIR}/HeffteConfigVersion.cmake
    DESTINATION ${package_folder}/heffte COMPONENT development)
endif()
if(TARGET shardfft_solvers)
  install(TARGETS shardfft_solvers EXPORT shardfft_solvers OPTIONAL
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
  set_target_properties(shardfft_solvers PROPERTIES INSTALL_RPATH $ORIGIN VERSION ${PROJECT_VERSION} SOVERSION
    ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(shardfft_type STREQUAL "SHARED_LIBRARY")
    install(TARGETS shardfft_solvers OPTIONAL
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_SKIP)
  endif()
  shardfft_install_if_built(shardfft_solvers ${CMAKE_INSTALL_INCLUDEDIR}
    ${CMAKE_CURRENT_LIST_DIR}/../solvers/include/shardfft)
  install(EXPORT shardfft_solvers NAMESPACE shardfft:: FILE shardfftSolversTargets.cmake DESTINATION ${package_folder}
    COMPONENT development)
endif()
if(TARGET shardfft_hdf5)
  install(TARGETS shardfft_hdf5 EXPORT shardfft_files OPTIONAL
    OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/shardfft COMPONENT development)
  install(EXPORT shardfft_files NAMESPACE shardfft:: FILE shardfftFilesTargets.cmake DESTINATION ${package_folder}
    COMPONENT development)
endif()
# An export of its own: a C program needs nothing that the C++ library needs.
install(TARGETS shardfft_c EXPORT shardfft_c OPTIONAL
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS shardfft_c OPTIONAL
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_SKIP)
if(TARGET shardfft_fftw3_mpi)
  install(TARGETS shardfft_fftw3_mpi OPTIONAL
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
  install(TARGETS shardfft_fftw3_mpi OPTIONAL
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_SKIP)
  # A folder of their own: they must not hide FFTW's headers.
  shardfft_install_if_built(shardfft_fftw3_mpi ${CMAKE_INSTALL_INCLUDEDIR}/shardfft/fftw3
    ${CMAKE_CURRENT_LIST_DIR}/../bindings/fftw_mpi/include/)
  set_target_properties(shardfft_fftw3_mpi PROPERTIES INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH TRUE)
endif()
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../include/shardfft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.hpp")
shardfft_install_if_built(shardfft_c ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_CURRENT_LIST_DIR}/../include/shardfft.h)
install(EXPORT shardfft NAMESPACE shardfft:: FILE shardfftTargets.cmake DESTINATION ${package_folder}
  COMPONENT development)
install(EXPORT shardfft_c NAMESPACE shardfft:: FILE shardfftCTargets.cmake DESTINATION ${package_folder}
  COMPONENT development)
# What is linked and lies outside the system's folders (CUDA's libraries) is found there again.
set_target_properties(shardfft shardfft_c PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
set_target_properties(shardfft_c PROPERTIES INSTALL_RPATH $ORIGIN)  # a shared C++ library lies beside it
if(TARGET shardfft_program)  # installed by apps/cli
  # Finds the shared library beside it, wherever the prefix is moved to.
  file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(shardfft_program PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin_to_lib};$ORIGIN/.."
    INSTALL_RPATH_USE_LINK_PATH TRUE)
  # What the program says of itself, of those that run here.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "
      if(EXISTS \"$<TARGET_FILE:shardfft_program>\")
        execute_process(COMMAND \"$<TARGET_FILE:shardfft_program>\" help --man
          OUTPUT_FILE \"${PROJECT_BINARY_DIR}/shardfft.1\" COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND \"$<TARGET_FILE:shardfft_program>\" completion bash
          OUTPUT_FILE \"${PROJECT_BINARY_DIR}/shardfft.bash\" COMMAND_ERROR_IS_FATAL ANY)
      endif()" COMPONENT program)
    install(FILES ${PROJECT_BINARY_DIR}/shardfft.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
    install(FILES ${PROJECT_BINARY_DIR}/shardfft.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME shardfft COMPONENT program OPTIONAL)
  endif()
  if(TARGET shardfft_python)  # below the Python package, whose library is one folder up
    install(TARGETS shardfft_program RUNTIME DESTINATION shardfft/bin COMPONENT python OPTIONAL EXCLUDE_FROM_ALL)
  endif()
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/shardfftConfig.cmake.in
  ${PROJECT_BINARY_DIR}/shardfftConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/shardfftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/shardfftConfig.cmake ${PROJECT_BINARY_DIR}/shardfftConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT development)
include(${CMAKE_CURRENT_LIST_DIR}/pkg_config.cmake)
if(TARGET shardfft_fortran)
  include(${CMAKE_CURRENT_LIST_DIR}/install_fortran.cmake)
endif()
foreach(component library development program peers)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/../LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
