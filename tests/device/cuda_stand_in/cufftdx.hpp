// Stands for NVIDIA's cuFFTDx: what src/device/gpu/cufftdx takes of it, as plain transforms. As there, the caller has
// met at a barrier before and meets at one after; what shared memory held is lost.
#pragma once

#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "cuda_runtime_api.h"
#include "device/emulated/dft.hpp"

namespace cufftdx {

enum class fft_type { c2c };
enum class fft_direction { forward };

struct Operator {};
template <unsigned n>
struct Size : Operator {
  static constexpr unsigned size = n;
};
template <class T>
struct Precision : Operator {
  using Scalar = T;
};
template <fft_type>
struct Type : Operator {};
template <fft_direction>
struct Direction : Operator {};
template <unsigned n>
struct FFTsPerBlock : Operator {
  static constexpr unsigned ffts = n;
};
template <unsigned n>
struct ElementsPerThread : Operator {
  static constexpr unsigned elements = n;
};
template <unsigned>
struct SM : Operator {};
struct Block : Operator {};

template <class... Operators>
struct Description {};

template <class... Operators>
struct Execution : Operators... {
  using Self = Execution;
  using T = typename Self::Scalar;
  static_assert(Self::size % Self::elements == 0);
  static constexpr unsigned elements_per_thread = Self::elements, stride = Self::size / Self::elements;
  static constexpr dim3 block_dim{stride, Self::ffts};
  static constexpr unsigned shared_memory_size = Self::size * Self::ffts * 2 * sizeof(T);

  template <class Number>
  void execute(Number* x, void* shared) const {
    static_assert(sizeof(Number) == 2 * sizeof(T));
    Number* const row = static_cast<Number*>(shared) + threadIdx.y * Self::size;
    const auto own = [&](unsigned i) -> Number& { return row[threadIdx.x + i * stride]; };
    for (unsigned i = 0; i < Self::elements; ++i) own(i) = x[i];
    __syncthreads();
    if (threadIdx.x == 0) transform(reinterpret_cast<T*>(row));
    __syncthreads();
    for (unsigned i = 0; i < Self::elements; ++i) {
      x[i] = own(i);
      own(i) = {{std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()}};
    }
  }

 private:
  static void transform(T* row) {
    using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;
    static const shardfft::emulated::Dft<Real> dft(Self::size);
    std::vector<std::complex<Real>> in(Self::size), out(Self::size);
    for (unsigned k = 0; k < Self::size; ++k) in[k] = {row[2 * k], row[2 * k + 1]};
    dft.run(in.data(), out.data());
    for (unsigned k = 0; k < Self::size; ++k)
      row[2 * k] = static_cast<T>(out[k].real()), row[2 * k + 1] = static_cast<T>(out[k].imag());
  }
};

template <class A, class B>
  requires std::is_base_of_v<Operator, A> && std::is_base_of_v<Operator, B>
Description<A, B> operator+(A, B);
template <class... Operators, class B>
Description<Operators..., B> operator+(Description<Operators...>, B);
template <class... Operators>
Execution<Operators...> operator+(Description<Operators...>, Block);

}  // namespace cufftdx
