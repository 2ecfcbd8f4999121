// Rows of numbers times rows of factors. The same bits from every instruction set, and whatever the length.
#pragma once

#include <complex>

#include "shardfft/box.hpp"

namespace shardfft {

/// values[i] *= factors[i]; `T` is float or double.
template <class T>
void multiply_row(std::complex<T>* values, const std::complex<T>* factors, Index count);
template <class T>
void multiply_row(std::complex<T>* values, const T* factors, Index count);
template <class T>
void multiply_row(T* values, const T* factors, Index count);

/// values[i] *= factor.
void multiply_row(std::complex<double>* values, std::complex<double> factor, Index count);
void multiply_row(double* values, double factor, Index count);

}  // namespace shardfft
