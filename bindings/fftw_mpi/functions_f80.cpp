#define FFTW(name) fftwl_##name
using Real = long double;
#include "functions.inl"
