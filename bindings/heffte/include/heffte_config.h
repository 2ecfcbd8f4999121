/* The version of heFFTe whose interface this is. Heffte_ENABLE_FFTW, _MKL, _CUDA and _ROCM are for the program to
   define: it then gets what the header of that name declares, and that backend by default. */
#ifndef SHARDFFT_HEFFTE_CONFIG_H
#define SHARDFFT_HEFFTE_CONFIG_H

#define Heffte_VERSION_MAJOR 2
#define Heffte_VERSION_MINOR 4
#define Heffte_VERSION_PATCH 1
#define Heffte_GIT_HASH "shardfft"

#if defined(Heffte_ENABLE_CUDA) || defined(Heffte_ENABLE_ROCM)
#define Heffte_ENABLE_GPU
#endif

#endif
