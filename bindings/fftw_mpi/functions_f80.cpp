#define FFTW(name) fftwl_##name
#define F77(name) lfftw_##name##_
using Real = long double;
#include "functions.inl"
