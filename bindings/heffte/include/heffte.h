/* heFFTe's interface on shardfft: docs/guide/from/heffte.md. */
#ifndef SHARDFFT_HEFFTE_H
#define SHARDFFT_HEFFTE_H

#ifdef __cplusplus
#if __cplusplus < 202002L
#error "shardfft's heffte.h needs C++20; compile with -std=c++20, or link Heffte::Heffte in CMake"
#endif
#include "heffte_fft3d_r2c.h"
#else
#include "heffte_c.h"
#endif

#endif
