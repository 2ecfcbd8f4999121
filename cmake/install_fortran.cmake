# The Fortran module: the library, its modules for programs of the same compiler, and its sources for those of others.
# An export of its own, on top of the C library's.
get_target_property(sources shardfft_fortran SOURCES)
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/bindings/fortran/)
get_target_property(modules shardfft_fortran Fortran_MODULE_DIRECTORY)
install(TARGETS shardfft_fortran EXPORT shardfft_fortran OPTIONAL
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
shardfft_install_if_built(shardfft_fortran ${CMAKE_INSTALL_INCLUDEDIR}/shardfft/fortran ${modules}/
  MATCHING *.mod)
shardfft_install_if_built(shardfft_fortran ${CMAKE_INSTALL_DATADIR}/shardfft/fortran ${sources})
install(EXPORT shardfft_fortran NAMESPACE shardfft:: FILE shardfftFortranTargets.cmake DESTINATION ${package_folder}
  COMPONENT development)
shardfft_pkg_config(shardfft-fortran "Distributed Fourier transforms, Fortran" OF shardfft_fortran REQUIRES shardfft
  CFLAGS -I\${includedir}/shardfft/fortran LIBS -L\${libdir} -lshardfft_fortran)
