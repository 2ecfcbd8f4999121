// Which instruction sets the run-time dispatched code is compiled for. Include before any header of Highway.
//
// On x86: SSE4, AVX2 and AVX-512; the ones between bring nothing here, nor do the later kinds of AVX-512, which newer
// releases of Highway have under the bits below that of AVX-512. Vectors of a length unknown to the compiler
// (SVE, RVV) are left out, because the kernels keep arrays of vectors in registers; Arm runs NEON.
#pragma once

#ifdef __FAST_MATH__
#error "shardfft: -ffast-math changes what kernels compute; compile without it"
#endif

// Results have the same bits wherever there are fused multiply-adds. SSE4 has none. With SHARDFFT_EMULATE_FMA, for
// tests, it computes them in software, and is all that is compiled.
#ifdef SHARDFFT_EMULATE_FMA
#define SHARDFFT_BEST_TARGETS (HWY_AVX2 | HWY_AVX3)
#else
#define SHARDFFT_BEST_TARGETS 0
#endif
// A build for one instruction set with vectors of 64 bytes also compiles code for half of them, in files that define
// SHARDFFT_HALF_VECTORS; it is not dispatched to.
#if defined(SHARDFFT_HALF_VECTORS) && defined(HWY_COMPILE_ONLY_STATIC) && defined(__AVX512F__) && \
    defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#undef HWY_COMPILE_ONLY_STATIC
#define HWY_COMPILE_ALL_ATTAINABLE
#define SHARDFFT_BESIDE_STATIC HWY_AVX2
#define SHARDFFT_WORSE_TARGETS (HWY_SSE4 | HWY_EMU128 | HWY_SCALAR)
#else
#define SHARDFFT_BESIDE_STATIC 0
#define SHARDFFT_WORSE_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS                                                                                        \
  ((HWY_AVX3 - 1) | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | SHARDFFT_BEST_TARGETS | \
   SHARDFFT_WORSE_TARGETS)

// Compilers whose own choice is less than SSE4 would add slow code for processors from before 2010.
#if defined(__x86_64__) && !defined(__AVX2__)
#define HWY_BASELINE_TARGETS HWY_SSE4
#endif
