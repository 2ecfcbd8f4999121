// Which instruction sets the run-time dispatched code is compiled for; include before any header of Highway. SSSE3 and the later AVX-512 sets bring
// nothing here. Vectors of a length unknown to the compiler (SVE, RVV) are left out, because the numbers are structures of vectors; Arm runs NEON.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
