// FFTW's own libraries, if the program has them.
#pragma once

#include <atomic>

namespace shardfft::fftw_mpi {

/// The function of this name in the library that comes after this one; nullptr if there is none.
void* next_function(const char* name);
/// The function of this name that programs reach, in whichever library; nullptr if there is none.
void* any_function(const char* name);

/// The same, looked up once, by type. A library may be loaded later: that there is none is not remembered.
template <class Function>
class Theirs {
 public:
  explicit constexpr Theirs(const char* name) : name_(name) {}
  [[nodiscard]] Function* get() {
    void* known = known_.load(std::memory_order_relaxed);
    if (known == nullptr) known_.store(known = next_function(name_), std::memory_order_relaxed);
    return reinterpret_cast<Function*>(known);
  }

 private:
  const char* name_;
  std::atomic<void*> known_{nullptr};
};

}  // namespace shardfft::fftw_mpi
