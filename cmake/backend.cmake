# shardfft_has(option): the library is built with what `option` names. Only the registries see it, as the definition
# option=1, so that a library that is found later compiles no other file anew.
set(shardfft_registries codec/registry.cpp device/fused_registry.cpp device/registry.cpp engine/registry.cpp
                        transport/registry.cpp)
list(TRANSFORM shardfft_registries PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/src/)
function(shardfft_has option)
  set_property(SOURCE ${shardfft_registries} TARGET_DIRECTORY shardfft APPEND PROPERTY COMPILE_DEFINITIONS ${option}=1)
  set_property(GLOBAL APPEND PROPERTY shardfft_backends ${option})
endfunction()

# shardfft_backend(seam name SOURCES file... [LINKS target...] [PACKAGE target] [OPTION variable])
# Adds one backend to the library. With OPTION it is built if the targets exist (AUTO, ON); OFF leaves it out, ON
# without the targets is an error.
function(shardfft_backend seam name)
  cmake_parse_arguments(arg "" "OPTION" "SOURCES;LINKS" ${ARGN})
  if(arg_OPTION)
    set(found TRUE)
    foreach(target IN LISTS arg_LINKS)
      if(NOT TARGET ${target})
        set(found FALSE)
        set(missing ${target})
      endif()
    endforeach()
    if(${arg_OPTION} STREQUAL "OFF" OR (NOT found AND ${arg_OPTION} STREQUAL "AUTO"))
      message(STATUS "shardfft: ${seam} ${name}: left out")
      return()
    endif()
    if(NOT found)
      message(FATAL_ERROR "shardfft: ${seam} ${name} was asked for (${arg_OPTION}=ON) but ${missing} was not found")
    endif()
    shardfft_has(${arg_OPTION})
  endif()
  message(STATUS "shardfft: ${seam} ${name}: built")
  target_sources(shardfft PRIVATE ${arg_SOURCES})
  target_link_libraries(shardfft PRIVATE ${arg_LINKS})
endfunction()

# shardfft_inlined(file...): thousands of functions are inlined into these. The address sanitizer does not follow each
# of their temporaries, which would take twice as long to compile, up to two minutes a file.
function(shardfft_inlined)
  if(SHARDFFT_SANITIZE MATCHES address)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY shardfft APPEND PROPERTY COMPILE_OPTIONS
      -fno-sanitize-address-use-after-scope)
  endif()
endfunction()
