// A vendor's library that is opened when a device is used, so that programs also start where it is not installed.
#pragma once

#include <filesystem>
#include <string>

namespace shardfft {

/// The folder of the shared library, plug-in or program that holds this function: others of ours may lie beside it.
[[nodiscard]] std::filesystem::path own_folder();

class VendorLibrary {
 public:
  /// `name`: what the loader looks for ("libcufft.so.12"). `built_with`: the file that the build found, tried second;
  /// may be empty.
  VendorLibrary(std::string name, const std::string& built_with);

  /// Sets `function` to the one called `symbol`; leaves it where the library has none.
  template <class F>
  void find(const char* symbol, F*& function) {
    if (void* found = look_up(symbol)) function = reinterpret_cast<F*>(found);
  }
  /// Empty when the library is open and had every function; else what the loader said, and the remedy.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  [[nodiscard]] void* look_up(const char* symbol);

  std::string name_, why_not_{};
  void* opened_ = nullptr;  ///< never closed: libraries of devices do not survive that
};

}  // namespace shardfft
