// FFTW's functions by precision, so that an adapter is written once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <fftw3.h>

#include "peers/common/peer.hpp"

namespace shardfft::peers {

template <class T>
struct Fftw;

#define SHARDFFT_FFTW(T, X)                                      \
  template <>                                                    \
  struct Fftw<T> {                                               \
    using Complex = X##complex;                                  \
    using Plan = X##plan;                                        \
    static constexpr auto allocate = X##malloc;                  \
    static constexpr auto release = X##free;                     \
    static constexpr auto execute = X##execute;                  \
    static constexpr auto destroy = X##destroy_plan;             \
    static constexpr auto set_timelimit = X##set_timelimit;      \
    static constexpr auto plan_dft = X##plan_guru64_dft;         \
    static constexpr auto plan_dft_r2c = X##plan_guru64_dft_r2c; \
    static constexpr auto plan_dft_c2r = X##plan_guru64_dft_c2r; \
    static constexpr auto load = X##import_wisdom_from_filename; \
    static constexpr auto save = X##export_wisdom_to_filename;   \
  };
SHARDFFT_FFTW(float, fftwf_)
SHARDFFT_FFTW(double, fftw_)
#undef SHARDFFT_FFTW

/// Memory of FFTW, aligned as it likes.
template <class T>
class FftwMemory {
 public:
  FftwMemory() = default;
  explicit FftwMemory(std::size_t reals)
      : data_(static_cast<T*>(Fftw<T>::allocate(std::max<std::size_t>(1, reals) * sizeof(T)))) {
    if (!data_) throw std::bad_alloc();
  }
  [[nodiscard]] T* get() const { return data_.get(); }
  [[nodiscard]] typename Fftw<T>::Complex* as_complex() const {
    return reinterpret_cast<typename Fftw<T>::Complex*>(data_.get());
  }
  [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(data_.get()); }

 private:
  struct Free {
    void operator()(T* p) const { Fftw<T>::release(p); }
  };
  std::unique_ptr<T, Free> data_;
};

/// A plan and its end.
template <class T>
class FftwPlan {
 public:
  FftwPlan() = default;
  explicit FftwPlan(typename Fftw<T>::Plan plan) : plan_(plan) {
    if (!plan_) throw Unsupported("FFTW has no plan for this");
  }
  void run() const { Fftw<T>::execute(plan_.get()); }

 private:
  struct Destroy {
    void operator()(typename Fftw<T>::Plan plan) const { Fftw<T>::destroy(plan); }
  };
  std::unique_ptr<std::remove_pointer_t<typename Fftw<T>::Plan>, Destroy> plan_;
};

/// How FFTW is called: its flags, where the result goes, and how to say it.
struct FftwWay {
  const char* name;
  bool in_place;
  unsigned flags;
};
/// The best call tries these; input that FFTW may destroy is refilled before each run anyway.
inline constexpr FftwWay fftw_best[] = {{"in place", true, FFTW_MEASURE},
                                        {"out of place", false, FFTW_MEASURE | FFTW_PRESERVE_INPUT},
                                        {"out of place, input destroyed", false, FFTW_MEASURE | FFTW_DESTROY_INPUT}};

/// "FFTW_MEASURE, in place"
inline std::string text_of(const FftwWay& way) {
  return std::string((way.flags & FFTW_ESTIMATE) != 0 ? "FFTW_ESTIMATE" : "FFTW_MEASURE") + ", " + way.name;
}

/// Extents as FFTW counts them.
template <class N>
std::vector<N> extents_of(const Shape& shape) {
  std::vector<N> n;
  for (const Index extent : shape) n.push_back(static_cast<N>(extent));
  return n;
}

}  // namespace shardfft::peers
