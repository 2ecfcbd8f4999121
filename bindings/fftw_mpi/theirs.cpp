#include "theirs.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

namespace shardfft::fftw_mpi {
namespace {

/// A library that was loaded for one module alone, as those of Python's are, is found by its file name only.
void* in_loaded_library(const std::string& file, const char* name) {
  void* library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

void* next_function(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return found;
  const std::string_view prefix = std::string_view(name).substr(0, std::string_view(name).find('_'));  // fftw, fftwf
  const std::string library = "libfftw3" + std::string(prefix.substr(4));
  for (const char* part : {"_mpi", "", "_threads", "_omp"})
    if (void* found = in_loaded_library(library + part + ".so.3", name)) return found;
  return nullptr;
}

void* any_function(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace shardfft::fftw_mpi
