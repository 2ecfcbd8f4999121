# A program with MPI, where shardfft knows one: the lines of README.
add_custom_target(consumers_with_mpi)
if(TARGET shardfft::mpi)
  add_executable(readme ${CMAKE_CURRENT_LIST_DIR}/readme.cpp)
  target_include_directories(readme PRIVATE ${README_LINES})
  target_link_libraries(readme PRIVATE shardfft::mpi)
  add_dependencies(consumers_with_mpi readme)
endif()
