// Rows of numbers times rows of factors. The same bits from every instruction set, and whatever the length.
#pragma once

#include <complex>

#include "shardfft/box.hpp"

namespace shardfft {

/// values[i] *= by * factors[i]; `T` is float or double.
template <class T>
void multiply_row(std::complex<T>* values, const std::complex<T>* factors, std::complex<T> by, Index count);
/// The same of reals.
template <class T>
void multiply_row(T* values, const T* factors, T by, Index count);
/// values[i] *= factors[i].
template <class T>
void multiply_row(std::complex<T>* values, const T* factors, Index count);
template <class T>
void multiply_row(T* values, const T* factors, Index count) {
  multiply_row(values, factors, T(1), count);
}

}  // namespace shardfft
