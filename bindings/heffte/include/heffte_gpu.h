// Memory of GPUs: containers, and copies. Included if the program asks for CUDA or HIP, whose run-time library it
// links.
#pragma once

#include "heffte_common.h"

#if defined(Heffte_ENABLE_CUDA)
#include <cuda_runtime_api.h>
#define SHARDFFT_HEFFTE_GPU(name) cuda##name
#elif defined(Heffte_ENABLE_ROCM)
#include <hip/hip_runtime_api.h>
#define SHARDFFT_HEFFTE_GPU(name) hip##name
#endif

namespace heffte {
namespace detail {

using gpu_stream = SHARDFFT_HEFFTE_GPU(Stream_t);
inline void check_gpu(SHARDFFT_HEFFTE_GPU(Error_t) status, const char* what) {
  if (status != SHARDFFT_HEFFTE_GPU(Success))
    throw std::runtime_error(std::string(what) + ": " + SHARDFFT_HEFFTE_GPU(GetErrorString)(status));
}
inline void copy_gpu(const void* from, std::size_t bytes, void* to, gpu_stream stream) {
  check_gpu(SHARDFFT_HEFFTE_GPU(MemcpyAsync)(to, from, bytes, SHARDFFT_HEFFTE_GPU(MemcpyDefault), stream), "copy");
  check_gpu(SHARDFFT_HEFFTE_GPU(StreamSynchronize)(stream), "copy");
}

}  // namespace detail

namespace backend {

template <>
struct device_instance<tag::gpu> {
  using stream_type = detail::gpu_stream;
  device_instance(stream_type stream = nullptr) : stream_(stream) {}
  stream_type stream() const { return stream_; }
  void synchronize_device() const {
    detail::check_gpu(SHARDFFT_HEFFTE_GPU(StreamSynchronize)(stream_), "synchronize_device");
  }

 private:
  stream_type stream_;
};
template <>
struct default_backend<tag::gpu> {
#if defined(Heffte_ENABLE_CUDA)
  using type = cufft;
#else
  using type = rocfft;
#endif
};
template <>
struct data_manipulator<tag::gpu> {
  using stream_type = detail::gpu_stream;
  template <typename T>
  static void copy_n(stream_type stream, const T from[], std::size_t count, T to[]) {
    detail::copy_gpu(from, count * sizeof(T), to, stream);
  }
};

}  // namespace backend

namespace gpu {

/// An array on the current device.
template <typename T>
class vector {
 public:
  using value_type = T;
  explicit vector(std::size_t count = 0) : count_(count) {
    if (count > 0)
      detail::check_gpu(SHARDFFT_HEFFTE_GPU(Malloc)(reinterpret_cast<void**>(&data_), count * sizeof(T)),
                        "gpu::vector");
  }
  vector(const T* begin, const T* end) : vector(static_cast<std::size_t>(end - begin)) {
    detail::copy_gpu(begin, count_ * sizeof(T), data_, nullptr);
  }
  vector(const vector& other) : vector(other.data_, other.data_ + other.count_) {}
  vector(vector&& other) noexcept
      : count_(std::exchange(other.count_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  vector& operator=(vector other) noexcept {
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~vector() { static_cast<void>(SHARDFFT_HEFFTE_GPU(Free)(data_)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

struct transfer {
  template <typename T>
  static vector<T> load(const std::vector<T>& host) {
    return vector<T>(host.data(), host.data() + host.size());
  }
  template <typename T>
  static std::vector<T> unload(const vector<T>& device) {
    std::vector<T> host(device.size());
    detail::copy_gpu(device.data(), host.size() * sizeof(T), host.data(), nullptr);
    return host;
  }
};

inline int device_count() {
  int count = 0;
  detail::check_gpu(SHARDFFT_HEFFTE_GPU(GetDeviceCount)(&count), "device_count");
  return count;
}
inline void device_set(int device) { detail::check_gpu(SHARDFFT_HEFFTE_GPU(SetDevice)(device), "device_set"); }
inline void synchronize_default_stream() { backend::device_instance<tag::gpu>().synchronize_device(); }

}  // namespace gpu

template <>
struct backend::location_traits<tag::gpu> {
  template <typename T>
  using container = gpu::vector<T>;
};

template <typename scalar_type>
gpu::vector<scalar_type> make_buffer_container(detail::gpu_stream, std::size_t size) {
  return gpu::vector<scalar_type>(size);
}

}  // namespace heffte

#undef SHARDFFT_HEFFTE_GPU
