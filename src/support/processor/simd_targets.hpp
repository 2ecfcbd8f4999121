// Which instruction sets the run-time dispatched code is compiled for. Include before any header of Highway.
//
// On x86: the baseline, AVX2 and AVX-512; the ones between bring nothing here. Vectors of a length unknown to the
// compiler (SVE, RVV) are left out, because the kernels keep arrays of vectors in registers; Arm runs NEON.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
