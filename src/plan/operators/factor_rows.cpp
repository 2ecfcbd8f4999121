#include "plan/operators/factor_rows.hpp"

#include <algorithm>

#include "support/processor/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plan/operators/factor_rows.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Without fused operations.
template <class D, class V, class T>
void multiply_vectors(D d, V f_re, V f_im, T* v) {
  V v_re, v_im;
  hn::LoadInterleaved2(d, v, v_re, v_im);
  hn::StoreInterleaved2(hn::Sub(hn::Mul(f_re, v_re), hn::Mul(f_im, v_im)),
                        hn::Add(hn::Mul(f_re, v_im), hn::Mul(f_im, v_re)), d, v);
}

// What is left of a row fills a vector with zeros and takes the same instructions: from a loop over numbers GCC 12
// makes fused multiply-add-subtract, whatever -ffp-contract says.
template <class T>
void multiply_by_complex(T* values, const T* factors, Index count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto multiply = [d](T* v, const T* f) {
    hn::Vec<decltype(d)> f_re, f_im;
    hn::LoadInterleaved2(d, f, f_re, f_im);
    multiply_vectors(d, f_re, f_im, v);
  };
  Index i = 0;
  for (; i + lanes <= count; i += lanes) multiply(values + 2 * i, factors + 2 * i);
  if (i == count) return;
  HWY_ALIGN T v[2 * hn::MaxLanes(d)] = {};
  HWY_ALIGN T f[2 * hn::MaxLanes(d)] = {};
  std::copy(values + 2 * i, values + 2 * count, v);
  std::copy(factors + 2 * i, factors + 2 * count, f);
  multiply(v, f);
  std::copy(v, v + 2 * (count - i), values + 2 * i);
}

void multiply_by_one(double* values, const double* factor, Index count) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto re = hn::Set(d, factor[0]), im = hn::Set(d, factor[1]);
  Index i = 0;
  for (; i + lanes <= count; i += lanes) multiply_vectors(d, re, im, values + 2 * i);
  if (i == count) return;
  HWY_ALIGN double v[2 * hn::MaxLanes(d)] = {};
  std::copy(values + 2 * i, values + 2 * count, v);
  multiply_vectors(d, re, im, v);
  std::copy(v, v + 2 * (count - i), values + 2 * i);
}

template <class T>
void multiply_by_real(T* values, const T* factors, Index count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> re, im;
    const auto factor = hn::LoadU(d, factors + i);
    hn::LoadInterleaved2(d, values + 2 * i, re, im);
    hn::StoreInterleaved2(hn::Mul(factor, re), hn::Mul(factor, im), d, values + 2 * i);
  }
  for (; i < count; ++i) {
    values[2 * i] *= factors[i];
    values[2 * i + 1] *= factors[i];
  }
}

template <class T>
void multiply_reals(T* values, const T* factors, Index count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, factors + i), hn::LoadU(d, values + i)), d, values + i);
  for (; i < count; ++i) values[i] *= factors[i];
}

void by_complex_f32(float* values, const float* factors, Index count) { multiply_by_complex(values, factors, count); }
void by_complex_f64(double* values, const double* factors, Index count) { multiply_by_complex(values, factors, count); }
void by_real_f32(float* values, const float* factors, Index count) { multiply_by_real(values, factors, count); }
void by_real_f64(double* values, const double* factors, Index count) { multiply_by_real(values, factors, count); }
void reals_f32(float* values, const float* factors, Index count) { multiply_reals(values, factors, count); }
void reals_f64(double* values, const double* factors, Index count) { multiply_reals(values, factors, count); }

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {

HWY_EXPORT(by_complex_f32);
HWY_EXPORT(by_complex_f64);
HWY_EXPORT(multiply_by_one);
HWY_EXPORT(by_real_f32);
HWY_EXPORT(by_real_f64);
HWY_EXPORT(reals_f32);
HWY_EXPORT(reals_f64);

template <>
void multiply_row(std::complex<float>* values, const std::complex<float>* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(by_complex_f32)
  (reinterpret_cast<float*>(values), reinterpret_cast<const float*>(factors), count);
}
template <>
void multiply_row(std::complex<double>* values, const std::complex<double>* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(by_complex_f64)
  (reinterpret_cast<double*>(values), reinterpret_cast<const double*>(factors), count);
}
void multiply_row(std::complex<double>* values, std::complex<double> factor, Index count) {
  HWY_DYNAMIC_DISPATCH(multiply_by_one)
  (reinterpret_cast<double*>(values), reinterpret_cast<const double*>(&factor), count);
}
void multiply_row(double* values, double factor, Index count) {
  for (Index i = 0; i < count; ++i) values[i] *= factor;
}
template <>
void multiply_row(std::complex<float>* values, const float* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(by_real_f32)(reinterpret_cast<float*>(values), factors, count);
}
template <>
void multiply_row(std::complex<double>* values, const double* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(by_real_f64)(reinterpret_cast<double*>(values), factors, count);
}
template <>
void multiply_row(float* values, const float* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(reals_f32)(values, factors, count);
}
template <>
void multiply_row(double* values, const double* factors, Index count) {
  HWY_DYNAMIC_DISPATCH(reals_f64)(values, factors, count);
}

}  // namespace shardfft
#endif
