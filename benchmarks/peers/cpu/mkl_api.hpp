// MKL's statuses as exceptions, and what its serial and its cluster transforms share.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <mkl_dfti.h>
#include <mkl_service.h>

#include "peers/common/peer.hpp"

namespace shardfft::peers {

inline void require(MKL_LONG status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + DftiErrorMessage(status));
}

/// "2026.0.0"
inline std::string mkl_version() {
  MKLVersion v;
  mkl_get_version(&v);
  return std::to_string(v.MajorVersion) + "." + std::to_string(v.MinorVersion) + "." + std::to_string(v.UpdateVersion);
}

inline DFTI_CONFIG_VALUE mkl_precision(const Task& task) { return task.precision == f32 ? DFTI_SINGLE : DFTI_DOUBLE; }
inline DFTI_CONFIG_VALUE mkl_domain(const Task& task) { return task.kind == c2c ? DFTI_COMPLEX : DFTI_REAL; }

inline std::vector<MKL_LONG> mkl_lengths(const Task& task) {
  std::vector<MKL_LONG> lengths;
  for (const int axis : task.transformed()) lengths.push_back(task.shape[axis]);
  return lengths;
}

/// Memory of MKL, aligned to a cache line.
class MklMemory {
 public:
  MklMemory() = default;
  explicit MklMemory(Index bytes)
      : data_(static_cast<std::byte*>(mkl_malloc(static_cast<std::size_t>(bytes > 0 ? bytes : 64), 64))) {
    if (!data_) throw std::bad_alloc();
  }
  [[nodiscard]] std::byte* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { mkl_free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace shardfft::peers
