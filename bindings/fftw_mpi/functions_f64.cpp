#define FFTW(name) fftw_##name
#define F77(name) dfftw_##name##_
using Real = double;
#include "functions.inl"
