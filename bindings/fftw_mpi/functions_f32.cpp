#define FFTW(name) fftwf_##name
using Real = float;
#include "functions.inl"
