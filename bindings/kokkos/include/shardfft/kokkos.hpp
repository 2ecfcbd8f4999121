// Kokkos::Views in, Kokkos::Views out: KokkosFFT's names and order of arguments, on one process or many ranks.
// Link shardfft::kokkos, which also finds Kokkos. docs/guide/kokkos.md is the guide.
#pragma once

#include "shardfft/kokkos/functions.hpp"
#include "shardfft/kokkos/plan.hpp"
