#include "support/vendor_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace shardfft {
namespace {

// The loader's text begins with the library's name.
std::string loader_says() {
  const char* said = dlerror();
  return said ? said : "the loader gave no reason";
}

}  // namespace

std::filesystem::path own_folder() {
  Dl_info found{};
  dladdr(reinterpret_cast<void*>(&own_folder), &found);
  return std::filesystem::absolute(found.dli_fname ? found.dli_fname : "").lexically_normal().parent_path();
}

VendorLibrary::VendorLibrary(std::string name, const std::string& built_with)
    : name_(std::move(name)), opened_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (opened_) return;
  why_not_ =
      fmt::format("{} cannot be loaded: {}; install it, or put its folder on LD_LIBRARY_PATH", name_, loader_says());
  if (!built_with.empty()) opened_ = dlopen(built_with.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened_) why_not_.clear();
}

void* VendorLibrary::look_up(const char* symbol) {
  void* found = opened_ ? dlsym(opened_, symbol) : nullptr;
  if (opened_ && !found && why_not_.empty())
    why_not_ =
        fmt::format("{} has no {}: {}; install the version that shardfft was built with", name_, symbol, loader_says());
  return found;
}

}  // namespace shardfft
