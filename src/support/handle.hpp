// Owns a handle of a C library.
#pragma once

#include <utility>

namespace shardfft {

/// Calls `release(handle)` once, unless the handle is `null`. Movable, not copyable.
///   using FftwPlan = Handle<fftw_plan, fftw_destroy_plan>;
template <class T, auto release, auto null = T{}>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, null)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() { reset(); }

  void reset() {
    if (value_ != null) release(std::exchange(value_, null));
  }
  /// Never to be released.
  void forget() { value_ = null; }
  [[nodiscard]] T get() const { return value_; }
  explicit operator bool() const { return value_ != null; }

 private:
  T value_ = null;
};

}  // namespace shardfft
