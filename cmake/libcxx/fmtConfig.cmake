# fmt's headers alone: a compiled fmt of the system belongs to the system's C++ library (preset libcxx).
find_path(SHARDFFT_FMT_INCLUDE_DIR fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED)
target_include_directories(fmt::fmt INTERFACE ${SHARDFFT_FMT_INCLUDE_DIR})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
