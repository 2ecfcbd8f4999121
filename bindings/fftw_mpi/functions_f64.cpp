#define FFTW(name) fftw_##name
using Real = double;
#include "functions.inl"
