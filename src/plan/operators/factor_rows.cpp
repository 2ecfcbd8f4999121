#include "plan/operators/factor_rows.hpp"

#include "support/processor/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plan/operators/factor_rows.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Without fused operations, as product() is.
template <class T>
void multiply_by_complex(T* values, const T* factors, T re, T im, Index count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto by_re = hn::Set(d, re), by_im = hn::Set(d, im);
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> f_re, f_im, v_re, v_im;
    hn::LoadInterleaved2(d, factors + 2 * i, f_re, f_im);
    hn::LoadInterleaved2(d, values + 2 * i, v_re, v_im);
    const auto re_all = hn::Sub(hn::Mul(by_re, f_re), hn::Mul(by_im, f_im)),
               im_all = hn::Add(hn::Mul(by_re, f_im), hn::Mul(by_im, f_re));
    hn::StoreInterleaved2(hn::Sub(hn::Mul(re_all, v_re), hn::Mul(im_all, v_im)),
                          hn::Add(hn::Mul(re_all, v_im), hn::Mul(im_all, v_re)), d, values + 2 * i);
  }
  for (; i < count; ++i) {
    const std::complex<T> result =
        product<T>(product<T>({re, im}, {factors[2 * i], factors[2 * i + 1]}), {values[2 * i], values[2 * i + 1]});
    values[2 * i] = result.real();
    values[2 * i + 1] = result.imag();
  }
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
void multiply_reals(T* values, const T* factors, T by, Index count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto all = hn::Set(d, by);
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::Mul(all, hn::LoadU(d, factors + i)), hn::LoadU(d, values + i)), d, values + i);
  for (; i < count; ++i) values[i] *= by * factors[i];
}

void by_complex_f32(float* values, const float* factors, float re, float im, Index count) {
  multiply_by_complex(values, factors, re, im, count);
}
void by_complex_f64(double* values, const double* factors, double re, double im, Index count) {
  multiply_by_complex(values, factors, re, im, count);
}
void by_real_f32(float* values, const float* factors, Index count) { multiply_by_real(values, factors, count); }
void by_real_f64(double* values, const double* factors, Index count) { multiply_by_real(values, factors, count); }
void reals_f32(float* values, const float* factors, float by, Index count) {
  multiply_reals(values, factors, by, count);
}
void reals_f64(double* values, const double* factors, double by, Index count) {
  multiply_reals(values, factors, by, count);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {

HWY_EXPORT(by_complex_f32);
HWY_EXPORT(by_complex_f64);
HWY_EXPORT(by_real_f32);
HWY_EXPORT(by_real_f64);
HWY_EXPORT(reals_f32);
HWY_EXPORT(reals_f64);

template <>
void multiply_row(std::complex<float>* values, const std::complex<float>* factors, std::complex<float> by,
                  Index count) {
  HWY_DYNAMIC_DISPATCH(by_complex_f32)
  (reinterpret_cast<float*>(values), reinterpret_cast<const float*>(factors), by.real(), by.imag(), count);
}
template <>
void multiply_row(std::complex<double>* values, const std::complex<double>* factors, std::complex<double> by,
                  Index count) {
  HWY_DYNAMIC_DISPATCH(by_complex_f64)
  (reinterpret_cast<double*>(values), reinterpret_cast<const double*>(factors), by.real(), by.imag(), count);
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
void multiply_row(float* values, const float* factors, float by, Index count) {
  HWY_DYNAMIC_DISPATCH(reals_f32)(values, factors, by, count);
}
template <>
void multiply_row(double* values, const double* factors, double by, Index count) {
  HWY_DYNAMIC_DISPATCH(reals_f64)(values, factors, by, count);
}

}  // namespace shardfft
#endif
