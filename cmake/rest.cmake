# SHARDFFT_REST: libshardfft_cpp.a of another build of these sources, with another MPI. What sees <mpi.h> is compiled
# here (tools/check_layers.py sees to it that it is called so), the rest of the library is taken from there, for it
# would be the same. Precompiled headers count as objects, but are none.
get_target_property(sources shardfft SOURCES)
list(FILTER sources INCLUDE REGEX "/(comm_)?mpi[^/]*$")
set_target_properties(shardfft PROPERTIES SOURCES "${sources}")
set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${SHARDFFT_REST})
add_custom_command(TARGET shardfft POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E copy ${SHARDFFT_REST} $<TARGET_FILE:shardfft>
  COMMAND ${CMAKE_AR} r $<TARGET_FILE:shardfft> $<FILTER:$<TARGET_OBJECTS:shardfft>,EXCLUDE,[.]gch$>
  COMMAND_EXPAND_LISTS VERBATIM)
