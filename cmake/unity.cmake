# The files of a folder are compiled as one: what they include is read once, and their unnamed namespaces are one. A
# change compiles one folder anew. `tests/install/run alone` builds the library file by file, and sees that each
# includes what it needs.
option(SHARDFFT_UNITY "compile the files of a folder as one" ON)

# shardfft_unite(target [pattern]): what it has at the end of its CMakeLists.txt, without what is compiled for several
# instruction sets, and without paths that match the pattern.
function(shardfft_unite target)
  if(SHARDFFT_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL shardfft_unite_all ${target} [[${ARGV1}]])")
  endif()
endfunction()

function(shardfft_unite_all target alone)
  get_target_property(sources ${target} SOURCES)
  get_target_property(root ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${root})
    cmake_path(GET source PARENT_PATH folder)
    set(sets "")
    if(EXISTS ${source})
      file(STRINGS ${source} sets REGEX "hwy/foreach_target" LIMIT_COUNT 1)
    endif()
    if(sets OR (alone AND source MATCHES "${alone}"))
      set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      string(REPLACE "${PROJECT_SOURCE_DIR}/" "" group "${folder}")
      string(MAKE_C_IDENTIFIER "${group}" group)
      set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
