#define FFTW(name) fftwf_##name
#define F77(name) sfftw_##name##_
using Real = float;
#include "functions.inl"
