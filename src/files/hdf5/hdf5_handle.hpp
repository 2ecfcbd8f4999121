// Identifiers of HDF5, given back at the end, and what HDF5 says of its last failure. For the files that see hdf5.h.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

namespace shardfft::files {

/// Owns an identifier.
class H5 {
 public:
  using Close = herr_t (*)(hid_t);
  H5() = default;
  H5(hid_t id, Close close) : id_(id), close_(close) {}
  H5(H5&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  H5& operator=(H5&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  ~H5() { (void)close(); }
  operator hid_t() const { return id_; }
  [[nodiscard]] bool is() const { return id_ >= 0; }
  /// False where HDF5 cannot: what a file lacks then is lost.
  [[nodiscard]] bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Before the first call of HDF5. The library prints what went wrong unless it is told not to; here one line of ours
/// says it. Its exit handler would close again what could not be closed, and crash.
void settle_hdf5();

/// The innermost line about the call that has just failed, "bad version number for layout message", or the first one
/// that has this word.
[[nodiscard]] std::string hdf5_reason(const std::string& word = "");

}  // namespace shardfft::files
