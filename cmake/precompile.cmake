# Precompiled headers: a third of the time of most files. Not inside another project, and not beside a compiler launcher
# of the caller's. `tests/install/run alone` builds the library without them.
set(precompile ${PROJECT_IS_TOP_LEVEL})
if(SHARDFFT_FOREIGN_LAUNCHER)
  set(precompile OFF)
endif()
option(SHARDFFT_PRECOMPILE "precompiled headers for what is built here" ${precompile})
set(shardfft_standard_headers <algorithm> <array> <atomic> <chrono> <cmath> <complex> <functional> <map> <memory>
  <optional> <random> <span> <string> <vector> <fmt/format.h>)

# shardfft_precompile(target header...): the standard headers and these, once for all files of a target. Only what costs
# a file nothing where it is not used: with CLI11 or nlohmann-json among them every file takes 0.5 to 3 seconds longer,
# for what these headers define is made in each, and those that use them gain less.
function(shardfft_precompile target)
  if(SHARDFFT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${shardfft_standard_headers} ${ARGN})
  endif()
endfunction()

# shardfft_precompile_as(target other): the headers of another target with the same flags. gcc leaves them aside, with a
# warning, where a definition of the other one is missing.
function(shardfft_precompile_as target other)
  if(SHARDFFT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
