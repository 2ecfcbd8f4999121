// 32 threads that answer each other without memory between them, from one source: on a GPU a value of each lane is a
// register and what is asked of all lanes is an instruction; on the host a value of all lanes is an array, the first
// thread does the work of all 32 and the others nothing. Sums are added in the same order in both.
//
//   const Warp warp(thread);
//   if (!warp.works()) return;
//   Lanes<double> x;
//   warp.each([&](int lane) { x[lane] = from[lane]; });
//   const double sum = warp.sum(x);
#pragma once

#include <cstdint>

#include "support/hd.hpp"
#if defined(__SYCL_DEVICE_ONLY__)
#include <sycl/sycl.hpp>
#endif

namespace shardfft::kernels {

inline constexpr int warp_lanes = 32;

#if SHARDFFT_ON_DEVICE

template <class T>
class Lanes {
 public:
  SHARDFFT_HD T& operator[](int) { return mine_; }
  SHARDFFT_HD const T& operator[](int) const { return mine_; }

 private:
  T mine_{};
};

class Warp {
 public:
  SHARDFFT_HD explicit Warp(int thread) : lane_(thread % warp_lanes) {}
  /// Whether this thread does anything.
  SHARDFFT_HD bool works() const { return true; }

  template <class Body>
  SHARDFFT_HD void each(const Body& body) const {
    body(lane_);
  }

  /// Bit i: of lane i.
  SHARDFFT_HD std::uint32_t ballot(const Lanes<bool>& x) const {
#if defined(__HIP_DEVICE_COMPILE__)  // 32 or 64 lanes at once
    return static_cast<std::uint32_t>(__ballot(x[0]) >> (__lane_id() & 32U));
#elif defined(__SYCL_DEVICE_ONLY__)
    std::uint32_t bits = 0;
    sycl::ext::oneapi::group_ballot(sub_group(), x[0]).extract_bits(bits);
    return bits;
#else
    return __ballot_sync(0xFFFFFFFFU, x[0]);
#endif
  }

  /// The sum over all lanes; each lane gets it.
  template <class T>
  SHARDFFT_HD T sum(const Lanes<T>& x) const {
    return of_all(x[0], [](T a, T b) { return a + b; });
  }
  /// Neither of two is larger: either. Not for NaN.
  template <class T>
  SHARDFFT_HD T max(const Lanes<T>& x) const {
    return of_all(x[0], [](T a, T b) { return a < b ? b : a; });
  }
  /// Sums over the lanes before each lane; integers.
  template <class T>
  SHARDFFT_HD Lanes<T> sums_before(const Lanes<T>& x) const {
    Lanes<T> sums;
    T value = x[0];
    for (int d = 1; d < warp_lanes; d *= 2) {
      const T other = from_lane_below(value, d);
      if (lane_ >= d) value += other;
    }
    sums[0] = value - x[0];
    return sums;
  }
  /// Exchanges values between lanes 0 and 1, 2 and 3 ...
  template <class T>
  SHARDFFT_HD Lanes<T> of_pair(const Lanes<T>& x) const {
    Lanes<T> others;
    others[0] = from_lane_across(x[0], 1);
    return others;
  }

 private:
#if defined(__SYCL_DEVICE_ONLY__)
  static sycl::sub_group sub_group() { return sycl::ext::oneapi::this_work_item::get_sub_group(); }
#endif
  template <class T, class Combine>
  SHARDFFT_HD static T of_all(T value, const Combine& combine) {
    for (int d = warp_lanes / 2; d > 0; d /= 2) value = combine(value, from_lane_across(value, d));
    return value;
  }
  template <class T>
  SHARDFFT_HD static T from_lane_across(T value, int distance) {
#if defined(__HIP_DEVICE_COMPILE__)
    return __shfl_xor(value, distance, warp_lanes);
#elif defined(__SYCL_DEVICE_ONLY__)
    return sycl::permute_group_by_xor(sub_group(), value, static_cast<std::uint32_t>(distance));
#else
    return __shfl_xor_sync(0xFFFFFFFFU, value, distance);
#endif
  }
  template <class T>
  SHARDFFT_HD static T from_lane_below(T value, int distance) {
#if defined(__HIP_DEVICE_COMPILE__)
    return __shfl_up(value, distance, warp_lanes);
#elif defined(__SYCL_DEVICE_ONLY__)
    return sycl::shift_group_right(sub_group(), value, static_cast<std::uint32_t>(distance));
#else
    return __shfl_up_sync(0xFFFFFFFFU, value, distance);
#endif
  }

  int lane_;
};

#else  // one thread for all

template <class T>
class Lanes {
 public:
  SHARDFFT_HD T& operator[](int lane) { return all_[lane]; }
  SHARDFFT_HD const T& operator[](int lane) const { return all_[lane]; }

 private:
  T all_[warp_lanes]{};
};

class Warp {
 public:
  SHARDFFT_HD explicit Warp(int thread) : works_(thread % warp_lanes == 0) {}
  SHARDFFT_HD bool works() const { return works_; }

  template <class Body>
  SHARDFFT_HD void each(const Body& body) const {
    for (int lane = 0; lane < warp_lanes; ++lane) body(lane);
  }

  SHARDFFT_HD std::uint32_t ballot(const Lanes<bool>& x) const {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) bits |= static_cast<std::uint32_t>(x[lane]) << lane;
    return bits;
  }

  template <class T>
  SHARDFFT_HD T sum(Lanes<T> x) const {
    for (int d = warp_lanes / 2; d > 0; d /= 2)
      for (int lane = 0; lane < d; ++lane) x[lane] += x[lane + d];
    return x[0];
  }
  template <class T>
  SHARDFFT_HD T max(const Lanes<T>& x) const {
    T value = x[0];
    for (int lane = 1; lane < warp_lanes; ++lane) value = value < x[lane] ? x[lane] : value;
    return value;
  }
  template <class T>
  SHARDFFT_HD Lanes<T> sums_before(const Lanes<T>& x) const {
    Lanes<T> sums;
    for (int lane = 1; lane < warp_lanes; ++lane) sums[lane] = sums[lane - 1] + x[lane - 1];
    return sums;
  }
  template <class T>
  SHARDFFT_HD Lanes<T> of_pair(const Lanes<T>& x) const {
    Lanes<T> others;
    for (int lane = 0; lane < warp_lanes; ++lane) others[lane] = x[lane ^ 1];
    return others;
  }

 private:
  bool works_;
};

#endif

}  // namespace shardfft::kernels
