# ccache, where it is installed: a second build, here or in another clone, compiles only what has changed. Paths below
# the source folder count as relative ones; precompiled headers count by what they hold.
option(SHARDFFT_CCACHE "compile through ccache, where it is installed" ${PROJECT_IS_TOP_LEVEL})
find_program(SHARDFFT_CCACHE_PROGRAM ccache)
mark_as_advanced(SHARDFFT_CCACHE_PROGRAM)
set(SHARDFFT_FOREIGN_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
if(SHARDFFT_CCACHE AND SHARDFFT_CCACHE_PROGRAM AND NOT SHARDFFT_FOREIGN_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
               CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
               ${SHARDFFT_CCACHE_PROGRAM})
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
  endforeach()
  message(STATUS "shardfft: compiled through ${SHARDFFT_CCACHE_PROGRAM}")
endif()
