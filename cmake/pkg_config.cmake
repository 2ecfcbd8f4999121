# shardfft.pc (C), shardfft_cpp.pc and shardfft-mpi.pc (C++), and those of other parts. The prefix is found from where
# the files lie, wherever it is moved to.

# Sets `result` to where the library of an imported target lies; nothing for one without a file.
function(shardfft_location result target)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  set(${result} "" PARENT_SCOPE)
  foreach(suffix "" _RELEASE _${configurations})
    get_target_property(path ${target} IMPORTED_LOCATION${suffix})
    if(path)
      set(${result} ${path} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Sets `result` to what a program links in place of these items: paths and flags, of targets also what they link.
function(shardfft_link_words result)
  set(words "")
  foreach(item IN LISTS ARGN)
    set(more "")
    if(TARGET ${item})
      shardfft_location(more ${item})
      get_target_property(behind ${item} INTERFACE_LINK_LIBRARIES)
      shardfft_link_words(behind ${behind})
      list(APPEND more ${behind})
    elseif(item MATCHES "^[a-z0-9_]+$")
      set(more -l${item})
    elseif(item MATCHES "^[-/]" AND NOT item MATCHES "NOTFOUND$")
      set(more ${item})
    endif()
    list(APPEND words ${more})
  endforeach()
  list(REMOVE_DUPLICATES words)
  set(${result} ${words} PARENT_SCOPE)
endfunction()

# shardfft_pkg_config(name description [OF target] REQUIRES name... CFLAGS word... LIBS word...): installed if the
# target was built
function(shardfft_pkg_config name description)
  cmake_parse_arguments(arg "" "OF" "REQUIRES;CFLAGS;LIBS" ${ARGN})
  foreach(word IN LISTS arg_LIBS)  # what is shared and not in the system's folders is found again when a program runs
    cmake_path(GET word PARENT_PATH folder)
    if(word MATCHES "^/.*[.]so" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND arg_LIBS -Wl,-rpath,${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES arg_LIBS)
  list(JOIN arg_REQUIRES " " requires)
  list(JOIN arg_CFLAGS " " cflags)
  list(JOIN arg_LIBS " " libs)
  file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc CONTENT "prefix=\${pcfiledir}/${to_prefix}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}

Name: ${name}
Description: ${description}
Version: ${PROJECT_VERSION}
Requires: ${requires}
Cflags: ${cflags}
Libs: ${libs}
")
  if(arg_OF)
    shardfft_install_if_built(${arg_OF} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${PROJECT_BINARY_DIR}/${name}.pc)
  else()
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
      COMPONENT development)
  endif()
endfunction()

shardfft_pkg_config(shardfft "Distributed Fourier transforms, C" OF shardfft_c LIBS -L\${libdir} -lshardfft
  CFLAGS -I\${includedir})
# A static library has no list of what it needs; a program links that, too.
set(libs -L\${libdir} -lshardfft_cpp)
if(shardfft_type STREQUAL "STATIC_LIBRARY")
  get_target_property(linked shardfft LINK_LIBRARIES)
  shardfft_link_words(words ${linked})
  list(APPEND libs ${words})
endif()
shardfft_pkg_config(shardfft_cpp "Distributed Fourier transforms, C++" OF shardfft LIBS ${libs}
  CFLAGS -I\${includedir} -std=c++20 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
if(TARGET shardfft_solvers)
  shardfft_pkg_config(shardfft-solvers "Solvers of equations on shardfft, C++" OF shardfft_solvers
    REQUIRES shardfft_cpp LIBS -L\${libdir} -lshardfft_solvers)
endif()
if(TARGET shardfft_mpi)
  shardfft_link_words(words MPI::MPI_C)
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  shardfft_pkg_config(shardfft-mpi "shardfft for programs that include shardfft/mpi.hpp" REQUIRES shardfft_cpp
    CFLAGS ${includes} LIBS ${words})
  shardfft_pkg_config(shardfft-heffte "heFFTe's interface on shardfft" REQUIRES shardfft-mpi
    CFLAGS -I\${includedir}/heffte-compat)
  shardfft_pkg_config(shardfft-fftw3-mpi "FFTW-MPI's interface on shardfft" OF shardfft_fftw3_mpi
    CFLAGS -I\${includedir}/shardfft/fftw3 ${includes} LIBS -L\${libdir} -lshardfft_fftw3_mpi ${words})
endif()
