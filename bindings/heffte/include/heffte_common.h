// Backends. On the processor all of them are shardfft's own engine; they differ by name, and those of cosines and sines
// by what they compute.
#pragma once

#include "heffte_geometry.h"
#include "heffte_trace.h"
#include "shardfft/problem.hpp"

#if defined(Heffte_ENABLE_FFTW) && __has_include(<fftw3.h>)
#include <fftw3.h>  // programs that ask for it call FFTW beside heFFTe
#endif

namespace heffte {

namespace tag {
struct cpu {};
struct gpu {};
}  // namespace tag

enum class scale { none, full, symmetric };
enum class direction { forward, backward };

namespace backend {

template <std::size_t length>
struct literal {
  constexpr literal(const char (&from)[length]) { std::copy_n(from, length, text); }
  char text[length]{};
};

/// What is known of a backend. `pair_gain`: what its unscaled pair of transforms has beside that of FFTW, which is the
/// product of the logical lengths: 2n, 2(n - 1) or 2(n + 1) of cosines and sines.
template <literal backend_name, typename at, shardfft::AxisKind axis_kind, int pair_gain, literal on_device = "">
struct description {
  using location = at;
  static constexpr const char* name = backend_name.text;
  static constexpr const char* device = on_device.text;
  static constexpr shardfft::AxisKind kind = axis_kind;
  static constexpr int gain = pair_gain;
};
template <literal name, shardfft::AxisKind kind = shardfft::AxisKind::fourier, int gain = 1>
using on_cpu = description<name, tag::cpu, kind, gain>;
template <literal name, literal device, shardfft::AxisKind kind = shardfft::AxisKind::fourier, int gain = 1>
using on_gpu = description<name, tag::gpu, kind, gain, device>;

struct stock : on_cpu<"stock"> {};
struct stock_cos : on_cpu<"stock-cos-type-II", shardfft::AxisKind::cosine2, 8> {};
struct stock_sin : on_cpu<"stock-sin-type-II", shardfft::AxisKind::sine2, 8> {};
struct stock_cos1 : on_cpu<"stock-cos-type-I", shardfft::AxisKind::cosine1, 8> {};
struct fftw : on_cpu<"fftw"> {};
struct fftw_cos : on_cpu<"fftw-cos-type-II", shardfft::AxisKind::cosine2> {};
struct fftw_sin : on_cpu<"fftw-sin-type-II", shardfft::AxisKind::sine2> {};
struct fftw_cos1 : on_cpu<"fftw-cos-type-I", shardfft::AxisKind::cosine1> {};
struct fftw_sin1 : on_cpu<"fftw-sin-type-I", shardfft::AxisKind::sine1> {};
struct mkl : on_cpu<"mkl"> {};
struct mkl_cos : on_cpu<"mkl-cos", shardfft::AxisKind::cosine2, 8> {};
struct mkl_sin : on_cpu<"mkl-sin", shardfft::AxisKind::sine2, 8> {};
struct cufft : on_gpu<"cufft", "cuda"> {};
struct cufft_cos : on_gpu<"cufft-cos-type-II", "cuda", shardfft::AxisKind::cosine2, 8> {};
struct cufft_sin : on_gpu<"cufft-sin-type-II", "cuda", shardfft::AxisKind::sine2, 8> {};
struct cufft_cos1 : on_gpu<"cufft-cos-type-I", "cuda", shardfft::AxisKind::cosine1, 8> {};
struct rocfft : on_gpu<"rocfft", "hip"> {};
struct rocfft_cos : on_gpu<"rocfft-cos", "hip", shardfft::AxisKind::cosine2, 8> {};
struct rocfft_sin : on_gpu<"rocfft-sin", "hip", shardfft::AxisKind::sine2, 8> {};
struct rocfft_cos1 : on_gpu<"rocfft-cos1", "hip", shardfft::AxisKind::cosine1, 8> {};
// Names alone: there is no device for them.
struct onemkl : on_gpu<"onemkl", ""> {};
struct onemkl_cos : on_gpu<"onemkl-cos", "", shardfft::AxisKind::cosine2, 8> {};
struct onemkl_sin : on_gpu<"onemkl-sin", "", shardfft::AxisKind::sine2, 8> {};

/// Whether there is this backend; those of GPUs exist if the program asked for them.
template <typename backend_tag, typename = void>
struct is_enabled : std::false_type {};
template <typename backend_tag>
struct is_enabled<backend_tag, std::enable_if_t<std::is_same_v<typename backend_tag::location, tag::cpu>>>
    : std::true_type {};
#ifdef Heffte_ENABLE_CUDA
template <typename backend_tag>
struct is_enabled<backend_tag, std::enable_if_t<std::string_view(backend_tag::device) == "cuda">> : std::true_type {};
#endif
#ifdef Heffte_ENABLE_ROCM
template <typename backend_tag>
struct is_enabled<backend_tag, std::enable_if_t<std::string_view(backend_tag::device) == "hip">> : std::true_type {};
#endif

/// What holds arrays there.
template <typename location_tag>
struct location_traits {
  template <typename T>
  using container = std::vector<T>;
};
template <typename backend_tag>
struct buffer_traits {
  using location = typename backend_tag::location;
  template <typename T>
  using container = typename location_traits<location>::template container<T>;
};
template <typename backend_tag>
struct uses_gpu : std::is_same<typename backend_tag::location, tag::gpu> {};
template <typename backend_tag>
struct uses_fft_types : std::bool_constant<backend_tag::kind == shardfft::AxisKind::fourier> {};

template <typename backend_tag>
std::string name() {
  if constexpr (std::is_same_v<backend_tag, tag::cpu>)
    return "cpu";
  else if constexpr (std::is_same_v<backend_tag, tag::gpu>)
    return "gpu";
  else
    return backend_tag::name;
}

/// What the macro of a backend asks for; stock without one.
template <typename location_tag>
struct default_backend {
#if defined(Heffte_ENABLE_MKL)
  using type = mkl;
#elif defined(Heffte_ENABLE_FFTW)
  using type = fftw;
#else
  using type = stock;
#endif
};

/// The stream that a program gave; on the processor there is none.
template <typename location_tag>
struct device_instance {
  using stream_type = void*;
  device_instance(void* = nullptr) {}
  void* stream() const { return nullptr; }
  void synchronize_device() const {}
};

template <typename location_tag>
struct data_manipulator;
template <>
struct data_manipulator<tag::cpu> {
  using stream_type = void*;
  template <typename from_type, typename to_type>
  static void copy_n(const from_type from[], std::size_t count, to_type to[]) {
    std::copy_n(from, count, to);
  }
  template <typename from_type, typename to_type>
  static void copy_n(void*, const from_type from[], std::size_t count, to_type to[]) {
    std::copy_n(from, count, to);
  }
};

}  // namespace backend

namespace detail {

template <typename T>
inline constexpr bool is_complex = is_ccomplex<T>::value || is_zcomplex<T>::value;
template <typename T>
inline constexpr bool is_single = std::is_same_v<T, float> || is_ccomplex<T>::value;
template <typename T>
inline constexpr bool is_number = is_complex<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <typename T>
using real_of = std::conditional_t<is_single<T>, float, double>;

}  // namespace detail

/// What a transform of these numbers gives.
template <typename scalar_type>
struct fft_output {
  using type = scalar_type;
};
template <>
struct fft_output<float> {
  using type = std::complex<float>;
};
template <>
struct fft_output<double> {
  using type = std::complex<double>;
};
template <typename scalar_type, typename backend_tag>
struct transform_output {
  using type = std::conditional_t<backend::uses_fft_types<backend_tag>::value, typename fft_output<scalar_type>::type,
                                  scalar_type>;
};

template <typename scalar_type>
std::vector<scalar_type> make_buffer_container(void*, std::size_t size) {
  return std::vector<scalar_type>(size);
}

namespace data_scaling {

template <typename scalar_type, typename index>
void apply(index count, scalar_type* data, double factor) {
  const auto by = static_cast<detail::real_of<scalar_type>>(factor);
  std::for_each_n(convert_to_standard(data), count, [by](auto& x) { x *= by; });
}
template <typename scalar_type, typename index>
void apply(void*, index count, scalar_type* data, double factor) {
  apply(count, data, factor);
}

}  // namespace data_scaling

}  // namespace heffte
