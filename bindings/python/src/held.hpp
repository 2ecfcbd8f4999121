// What Python holds of the library.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "module.hpp"

namespace shardfft::python {

/// Made, used and destroyed without the interpreter's lock. Threads use it one after the other.
template <class T>
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  ~Held() { reset(); }
  template <class Work>
  auto run(Work work) {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    return work(*held_);
  }

 protected:
  template <class... Arguments>
  void make(const Arguments&... arguments) {
    const nb::gil_scoped_release free;
    held_.emplace(arguments...);
  }
  void reset() {
    const nb::gil_scoped_release free;
    const std::lock_guard lock(mutex_);
    held_.reset();
  }

  std::mutex mutex_{};
  std::optional<T> held_{};
};

}  // namespace shardfft::python
